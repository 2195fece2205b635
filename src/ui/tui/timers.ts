/** Timers that end with the chat, so that none holds the process or draws on a terminal that was given back. */

export interface Timers {
  later(ms: number, call: () => void): ReturnType<typeof setTimeout>;
  stop(): void;
}

export function createTimers(): Timers {
  const waiting = new Set<ReturnType<typeof setTimeout>>();
  return {
    later(ms, call) {
      const timer = setTimeout(() => {
        waiting.delete(timer);
        call();
      }, ms);
      waiting.add(timer);
      return timer;
    },
    stop() {
      waiting.forEach((timer) => clearTimeout(timer));
      waiting.clear();
    },
  };
}
