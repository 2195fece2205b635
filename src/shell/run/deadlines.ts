/**
 * Deadlines of commands that run now. A timer comes only when everything
 * waits; a loop that never does would keep it away, so whoever looks for a
 * cancel looks at the clock as well.
 */

export interface Deadline {
  /** The host's time. */
  readonly at: number;
  passed(): void;
}

/** The clock is read by one look of so many. */
const LOOKS = 16;

export class Deadlines {
  readonly #open = new Set<Deadline>();
  #looks = 0;

  constructor(readonly now: () => number) {}

  add(deadline: Deadline): void {
    this.#open.add(deadline);
  }

  delete(deadline: Deadline): void {
    this.#open.delete(deadline);
  }

  /** Tells those whose time is over. Cheap: called in every loop. */
  look(): void {
    if (this.#open.size === 0 || ++this.#looks < LOOKS) return;
    this.#looks = 0;
    const now = this.now();
    for (const deadline of this.#open) {
      if (now < deadline.at) continue;
      this.#open.delete(deadline);
      deadline.passed();
    }
  }
}
