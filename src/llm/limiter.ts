/**
 * What parallel requests to one provider share: how many may be under way,
 * and a pause that all keep when the server asks one of them to wait. Requests
 * go on in the order in which they came.
 */

/** One for a provider, shared by all its requests. */
export interface Limiter {
  /**
   * Resolves when a request may be sent; answers with how to say that it is over. Rejects with the signal's
   * reason. `waited`: it has kept a pause of its own already.
   */
  enter(signal: AbortSignal, waited?: boolean): Promise<() => void>;
  /** Nobody sends anything for this long, from now on. */
  pause(ms: number): void;
  /** The server answers again: nobody waits any longer. */
  resume(): void;
  /** Milliseconds until the pause is over; 0: there is none. */
  readonly pausedMs: number;
}

/** Clock and sleep in milliseconds; `wait` resolves at once when its signal aborts. */
interface LimiterDeps {
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Enough for a handful of agents, and few enough for the smaller accounts. */
const MAX_PARALLEL = 8;

/** Makes one for a provider. */
export function createLimiter(deps: LimiterDeps, most: number = MAX_PARALLEL): Limiter {
  let under = 0;
  let until = 0;
  const waiting: (() => void)[] = [];
  const left = () => Math.max(0, until - deps.now());

  function leave(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = waiting.shift();
      // The place goes to the next one as it is.
      if (next === undefined) under--;
      else next();
    };
  }

  return {
    get pausedMs() {
      return left();
    },
    pause(ms) {
      until = Math.max(until, deps.now() + ms);
    },
    resume() {
      until = 0;
    },
    async enter(signal, waited = false) {
      signal.throwIfAborted();
      if (under < most) under++;
      else {
        const turn = Promise.withResolvers<void>();
        const come = () => turn.resolve();
        const give = () => {
          const at = waiting.indexOf(come);
          if (at >= 0) waiting.splice(at, 1);
          turn.reject(signal.reason);
        };
        waiting.push(come);
        signal.addEventListener("abort", give, { once: true });
        try {
          await turn.promise;
        } finally {
          signal.removeEventListener("abort", give);
        }
      }
      const done = leave();
      try {
        // The pause may grow while it is waited for.
        for (let seen = 0; !waited && left() > 0 && until > seen;) {
          seen = until;
          await deps.wait(left(), signal);
          signal.throwIfAborted();
        }
      } catch (error) {
        done();
        throw error;
      }
      return done;
    },
  };
}
