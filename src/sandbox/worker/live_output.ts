/**
 * Output on its way to watchers while a call runs. Never more than a window of
 * it is under way; what comes faster is gathered, and of what does not fit the
 * oldest is left out, and said so. The result of the call does not depend on it.
 */
import { OUTPUT_WINDOW } from "./messages.ts";

interface LiveOutput {
  write(text: string): void;
  /** The receiver has taken so much. */
  taken(length: number): void;
}

/** `send` takes what may go now; the rest waits for `taken`, and of too much only the end is kept. */
export function createLiveOutput(send: (text: string) => void): LiveOutput {
  let underWay = 0;
  let waiting = "";
  let lost = 0;

  function flush(): void {
    if (waiting === "" || underWay >= OUTPUT_WINDOW) return;
    const text = lost > 0 ? `[… ${lost} characters not shown …]\n${waiting}` : waiting;
    waiting = "";
    lost = 0;
    underWay += text.length;
    send(text);
  }

  return {
    write(text) {
      waiting += text;
      if (waiting.length > OUTPUT_WINDOW) {
        const cut = waiting.length - OUTPUT_WINDOW;
        waiting = waiting.slice(cut);
        lost += cut;
      }
      flush();
    },
    taken(length) {
      underWay -= length;
      flush();
    },
  };
}
