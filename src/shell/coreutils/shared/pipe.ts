/** A pipe of bounded size inside one utility, to and from the commands that it starts. */
import { type ByteSink, type ByteSource, HostError } from "../../host.ts";

const CAPACITY = 65_536;

export class Pipe {
  #chunks: Uint8Array[] = [];
  #size = 0;
  #ended = false;
  #closed = false;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;

  readonly source: ByteSource = {
    read: (into) => this.#chunks.length > 0 ? this.#take(into) : this.#ended ? 0 : this.#wait(into),
    close: () => {
      this.#closed = true;
      this.#chunks = [];
      this.#wakeWriter?.();
    },
  };

  readonly sink: ByteSink = {
    write: (bytes) => {
      if (this.#closed) throw new HostError("EPIPE");
      if (bytes.length === 0) return;
      this.#chunks.push(bytes.slice());
      this.#size += bytes.length;
      this.#wakeReader?.();
      if (this.#size > CAPACITY) return this.#room();
    },
    close: () => {
      this.#ended = true;
      this.#wakeReader?.();
    },
  };

  async #room(): Promise<void> {
    while (this.#size > CAPACITY && !this.#closed) {
      await new Promise<void>((resolve) => this.#wakeWriter = resolve);
    }
    this.#wakeWriter = undefined;
  }

  async #wait(into: Uint8Array): Promise<number> {
    while (this.#chunks.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => this.#wakeReader = resolve);
    }
    this.#wakeReader = undefined;
    return this.#chunks.length > 0 ? this.#take(into) : 0;
  }

  #take(into: Uint8Array): number {
    const chunk = this.#chunks[0];
    const count = Math.min(into.length, chunk.length);
    into.set(chunk.subarray(0, count));
    if (count === chunk.length) this.#chunks.shift();
    else this.#chunks[0] = chunk.subarray(count);
    this.#size -= count;
    this.#wakeWriter?.();
    return count;
  }
}
