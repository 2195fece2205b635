/**
 * The time limit of one call. It is the command's and not that of a person
 * who thinks about a question of it: while a question is open the time stands
 * still, and goes on with what was left once the last one is answered.
 */

/** Counts down from the first {@link Deadline.set}; silent before that and after {@link Deadline.end}. */
export class Deadline {
  #timer?: ReturnType<typeof setTimeout>;
  /** On the clock of `performance.now`, as if nothing held it up now. */
  #due?: number;
  #holds = 0;
  #heldSince = 0;

  /** `expire` is called once the time is over, and again if another limit was set since. */
  constructor(private readonly expire: () => void) {}

  /** Whether there is a limit, held up or not. */
  get isSet(): boolean {
    return this.#due !== undefined;
  }

  /** So many milliseconds from now on, whatever was left of an earlier limit. */
  set(ms: number): void {
    const now = performance.now();
    this.#due = now + ms;
    this.#heldSince = now;
    if (this.#holds === 0) this.#start();
  }

  /** Stops the time; each hold wants its {@link release}. */
  hold(): void {
    clearTimeout(this.#timer);
    if (this.#holds === 0) this.#heldSince = performance.now();
    this.#holds++;
  }

  /** Lets the time go on where nothing else holds it. */
  release(): void {
    this.#holds--;
    if (this.#holds > 0 || this.#due === undefined) return;
    this.#due += performance.now() - this.#heldSince;
    this.#start();
  }

  /** For good, unless it is set again. */
  end(): void {
    clearTimeout(this.#timer);
    this.#due = undefined;
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.expire, this.#due! - performance.now());
  }
}
