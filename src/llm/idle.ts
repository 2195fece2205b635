/**
 * The idle timer of one request: ends it when the server falls silent. Only
 * the time in which we wait for the server counts, never the time in which it
 * waits for us. Two bounds: no bytes at all for `idleMs`, and no progress (an
 * event with data) for ten times that, so that keep-alive comments hold a
 * connection open while a model thinks, and not for ever.
 */

const COMMENT_FACTOR = 10;

/** For one request: `wait` and `arrived` in turns, `close` at its end. */
export class IdleTimer {
  #idleMs: number;
  readonly #onSilence: (waitedMs: number) => void;
  #waitingSince: number | undefined;
  /** Time waited since the last progress, without the present wait. */
  #withoutProgress = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `onSilence` is called once, with the bound that was passed. */
  constructor(idleMs: number, onSilence: (waitedMs: number) => void) {
    this.#idleMs = idleMs;
    this.#onSilence = onSilence;
  }

  /** A read begins. */
  wait(): void {
    this.#waitingSince = performance.now();
    // One timer runs on across many reads and looks at the clock when it fires: arming one a read costs more.
    if (this.#timer === undefined) this.#arm();
  }

  /** A read has ended; `progress` when it brought an event with data. */
  arrived(progress: boolean): void {
    if (progress) this.#withoutProgress = 0;
    else if (this.#waitingSince !== undefined) {
      this.#withoutProgress += performance.now() - this.#waitingSince;
    }
    this.#waitingSince = undefined;
  }

  /** The answer is complete: what may still follow is waited for shortly. */
  shorten(idleMs: number): void {
    this.#idleMs = Math.min(this.#idleMs, idleMs);
    this.close();
    if (this.#waitingSince !== undefined) this.#arm();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #left(): { left: number; bound: number } {
    const waited = performance.now() - (this.#waitingSince ?? performance.now());
    const silent = this.#idleMs - waited;
    const idle = this.#idleMs * COMMENT_FACTOR - this.#withoutProgress - waited;
    return silent <= idle
      ? { left: silent, bound: this.#idleMs }
      : { left: idle, bound: this.#idleMs * COMMENT_FACTOR };
  }

  #arm(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#waitingSince === undefined) return;
      const { left, bound } = this.#left();
      if (left > 0) this.#arm();
      else this.#onSilence(bound);
    }, Math.max(1, Math.ceil(this.#left().left)));
  }
}
