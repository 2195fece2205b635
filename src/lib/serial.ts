/** One at a time: tasks run in the order they were handed in, each after the one before has ended. */
export class Serial {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs `task` when all earlier ones have ended, well or not; answers with its outcome. */
  run<T>(task: () => Promise<T> | T): Promise<T> {
    const outcome = this.#tail.then(task);
    // A failure belongs to the one who handed the task in, not to the next in line.
    this.#tail = outcome.then(() => {}, () => {});
    return outcome;
  }

  /** Resolves when everything handed in so far has ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}
