/**
 * Output on its way to watchers while a call runs. It is gathered for a moment,
 * so that many small pieces make one message, and what a short call has to say
 * none of its own. Never more than a window of it is under way; of what does
 * not fit the oldest is left out, and said so. The result of the call does not
 * depend on it.
 */
import { OUTPUT_WINDOW } from "./messages.ts";

export interface LiveOutput {
  write(text: string): void;
  /** The receiver has taken so much. */
  taken(length: number): void;
  /** The call is over: what has not been sent, to go with its result. */
  rest(): string;
}

/** Nobody sees that a line comes so many milliseconds later. */
const GATHER_MS = 5;
/** So many characters go at once. */
const GATHER_LENGTH = 4096;

/** `send` takes what may go now; the rest waits for `taken`, and of too much only the end is kept. */
export function createLiveOutput(send: (text: string) => void): LiveOutput {
  let underWay = 0;
  let waiting = "";
  let lost = 0;
  let gathering: ReturnType<typeof setTimeout> | undefined;

  function take(): string {
    clearTimeout(gathering);
    gathering = undefined;
    const text = lost > 0 ? `[… ${lost} characters not shown …]\n${waiting}` : waiting;
    waiting = "";
    lost = 0;
    return text;
  }

  function flush(): void {
    if (waiting === "" || underWay >= OUTPUT_WINDOW) return;
    const text = take();
    underWay += text.length;
    send(text);
  }

  function gathered(): void {
    gathering = undefined;
    flush();
  }

  return {
    write(text) {
      waiting += text;
      if (waiting.length > OUTPUT_WINDOW) {
        const cut = waiting.length - OUTPUT_WINDOW;
        waiting = waiting.slice(cut);
        lost += cut;
      }
      if (waiting.length >= GATHER_LENGTH) flush();
      else gathering ??= setTimeout(gathered, GATHER_MS);
    },
    taken(length) {
      const full = underWay >= OUTPUT_WINDOW;
      underWay -= length;
      if (full) flush();
    },
    rest: take,
  };
}
