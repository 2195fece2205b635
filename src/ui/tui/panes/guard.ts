/**
 * Keeps keys that were typed before a question could be seen from answering
 * it: it takes keys only after it has been drawn and the keyboard was silent
 * for a moment. What comes before goes where it was meant to.
 */

/** Longer than between two keys of somebody who types, shorter than it takes to read a question. */
export const QUIET_MS = 350;

export interface Guard {
  /** It has been drawn. */
  drawn(): void;
  /** A key has come; whether it counts. */
  admits(): boolean;
  readonly open: boolean;
}

export function createGuard(now: () => number): Guard {
  let since: number | undefined;
  let open = false;
  const look = () => {
    open ||= since !== undefined && now() - since >= QUIET_MS;
    return open;
  };
  return {
    drawn: () => void (since ??= now()),
    admits() {
      if (look()) return true;
      if (since !== undefined) since = now();
      return false;
    },
    get open() {
      return look();
    },
  };
}
