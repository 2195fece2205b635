/** Everything below the conversation: what waits, what is going on, the editor or a question, and the status line. */
import type { Editor } from "@earendil-works/pi-tui";
import { oneLine } from "../../../lib/text/control.ts";
import { fitCells } from "../../../lib/text/width.ts";
import type { Theme } from "../theme.ts";
import type { Activity } from "./activity.ts";
import type { QuestionPanel } from "./question.ts";
import { type StatusFacts, statusLine } from "./status.ts";

export interface ChromeParts {
  /** Messages that wait for the next request or the end of the run, and for which. */
  readonly queue: readonly string[];
  readonly activity: Activity;
  /** The conversation is being opened. */
  readonly opening: boolean;
  /** Stands in place of the editor. */
  readonly panel: QuestionPanel | undefined;
  readonly editor: Editor;
  readonly interruptKey: string;
  /** Images and documents that go with the next prompt. */
  readonly attached: number;
  /** Stands for a moment in place of the status line. */
  readonly hint: string;
  readonly facts: StatusFacts;
  /** What the status line shows. */
  readonly status: readonly string[];
  readonly theme: Theme;
}

/** Waiting messages that are shown. */
const QUEUED = 4;

/** The lines, fewer than `height`. */
export function chrome(parts: ChromeParts, width: number, height: number): string[] {
  const { queue, activity, panel, editor, hint, theme } = parts;
  const muted = (text: string) => theme.paint("muted", fitCells(text, width));
  const lines = queue.slice(0, QUEUED).map((text) => muted(`⏵ ${oneLine(text, 400)}`));
  if (queue.length > QUEUED) lines.push(muted(`  and ${queue.length - QUEUED} more`));
  if (activity.running) {
    lines.push(activity.line(width, panel === undefined ? `${parts.interruptKey} interrupts` : "", theme));
  } else if (parts.opening) lines.push(muted("… opening the session"));
  if (panel !== undefined) lines.push(...panel.render(width));
  else {
    const border = editor.getText().startsWith("!") ? "warning" : "muted";
    editor.borderColor = (text) => theme.paint(border, text);
    lines.push(...editor.render(width).map((line) => line.replace(/ +$/, "")));
  }
  const attached = parts.attached === 0 ? "" : `[${parts.attached} attached] `;
  lines.push(
    hint !== ""
      ? theme.paint("warning", fitCells(hint, width))
      : attached + statusLine(parts.facts, parts.status, width - attached.length, theme),
  );
  // On a very low terminal what is typed counts most.
  return lines.length < height ? lines : lines.slice(lines.length - height + 1);
}
