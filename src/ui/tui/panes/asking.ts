/** What waits for an answer of the user: one panel after the other, in the order in which it was asked. */
import type { EngineEvent } from "../../../engine/event.ts";
import type { Op } from "../../../engine/op.ts";
import { oneLine } from "../../../lib/text/control.ts";
import { QUIET_MS } from "./guard.ts";
import { askPanel, type PanelWays, permissionPanel, type QuestionPanel } from "./question.ts";

export interface AskingWays extends PanelWays {
  /** Another panel is the first, or none. */
  focus(): void;
  later(ms: number, call: () => void): void;
  /** Calls the user, who may be elsewhere. */
  notify(text: string): void;
  submit(op: Op): void;
}

export interface Asking {
  /** The panel that is shown. */
  readonly first: QuestionPanel | undefined;
  /** Takes what opens or closes a panel; other events are none of its business. */
  watch(event: EngineEvent): void;
  clear(): void;
}

export function createAsking(ways: AskingWays): Asking {
  const panels: QuestionPanel[] = [];

  function add(panel: QuestionPanel): void {
    panels.push(panel);
    if (panels.length === 1) ways.focus();
    // Its keys light up when they count.
    ways.later(QUIET_MS + 50, ways.changed);
  }

  function close(id: string): void {
    const at = panels.findIndex((panel) => panel.id === id);
    if (at < 0) return;
    panels.splice(at, 1);
    ways.focus();
    ways.changed();
  }

  return {
    get first() {
      return panels[0];
    },
    watch(event) {
      switch (event.type) {
        case "permission_request":
          add(permissionPanel(event, (answer) => {
            close(event.permitId);
            ways.submit({ type: "approve", permitId: event.permitId, ...answer });
          }, ways));
          ways.notify(`wants to: ${oneLine(event.request, 80)}`);
          break;
        case "question":
          add(askPanel(event, (answer) => {
            close(event.questionId);
            ways.submit({ type: "answer", questionId: event.questionId, ...answer });
          }, ways));
          ways.notify(`asks: ${oneLine(event.text, 80)}`);
          break;
        case "question_closed":
          close(event.questionId);
          break;
        case "run_end":
          for (const { id } of [...panels]) close(id);
          break;
      }
    },
    clear() {
      panels.length = 0;
    },
  };
}
