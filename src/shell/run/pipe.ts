/** A pipe inside the isolate: a bounded ring with back-pressure; writing without a reader fails with EPIPE. */
import { HostError, type Later } from "../host.ts";

const SIZE = 1 << 16;
const pool: Uint8Array[] = [];

export class Pipe {
  #buffer: Uint8Array | undefined;
  #start = 0;
  #count = 0;
  #readable = true;
  #writable = true;
  #readers: (() => void)[] = [];
  #writers: (() => void)[] = [];

  read(into: Uint8Array): Later<number> {
    if (this.#count > 0) return this.#take(into);
    if (!this.#writable || into.length === 0) return 0;
    return this.#readLater(into);
  }

  async #readLater(into: Uint8Array): Promise<number> {
    while (this.#count === 0 && this.#writable) {
      await new Promise<void>((resolve) => this.#readers.push(resolve));
    }
    return this.#count > 0 ? this.#take(into) : 0;
  }

  #take(into: Uint8Array): number {
    const buffer = this.#buffer!;
    const n = Math.min(into.length, this.#count);
    const head = Math.min(n, SIZE - this.#start);
    into.set(buffer.subarray(this.#start, this.#start + head));
    if (head < n) into.set(buffer.subarray(0, n - head), head);
    this.#start = (this.#start + n) % SIZE;
    this.#count -= n;
    if (this.#count === 0) this.#start = 0;
    this.#wake("writers");
    return n;
  }

  #wake(who: "readers" | "writers"): void {
    const waiting = who === "readers" ? this.#readers : this.#writers;
    if (waiting.length === 0) return;
    if (who === "readers") this.#readers = [];
    else this.#writers = [];
    for (const wake of waiting) wake();
  }

  write(bytes: Uint8Array): Later<void> {
    const done = this.#put(bytes);
    if (done < bytes.length) return this.#writeLater(bytes, done);
  }

  async #writeLater(bytes: Uint8Array, done: number): Promise<void> {
    while (done < bytes.length) {
      await new Promise<void>((resolve) => this.#writers.push(resolve));
      done += this.#put(done === 0 ? bytes : bytes.subarray(done));
    }
  }

  #put(bytes: Uint8Array): number {
    if (!this.#readable) throw new HostError("EPIPE");
    const room = SIZE - this.#count;
    const n = Math.min(room, bytes.length);
    if (n === 0) return 0;
    const buffer = this.#buffer ??= pool.pop() ?? new Uint8Array(SIZE);
    const end = (this.#start + this.#count) % SIZE;
    const head = Math.min(n, SIZE - end);
    buffer.set(bytes.length === head ? bytes : bytes.subarray(0, head), end);
    if (head < n) buffer.set(bytes.subarray(head, n), 0);
    this.#count += n;
    this.#wake("readers");
    return n;
  }

  closeRead(): void {
    this.#readable = false;
    this.#recycle();
    this.#wake("writers");
  }

  closeWrite(): void {
    this.#writable = false;
    this.#wake("readers");
  }

  #recycle(): void {
    if (this.#buffer !== undefined && pool.length < 16) pool.push(this.#buffer);
    this.#buffer = undefined;
    this.#count = 0;
    this.#start = 0;
  }
}
