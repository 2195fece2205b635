/**
 * The panels that stand in place of the editor while somebody must decide:
 * permissions, and questions of the model. A panel gives its answer once.
 */
import { type Component, Input, matchesKey, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { EngineEvent } from "../../../engine/event.ts";
import { counted } from "../../../lib/text/count.ts";
import { oneLine, stripControls } from "../../../lib/text/control.ts";
import { fitCells } from "../../../lib/text/width.ts";
import type { Theme } from "../theme.ts";
import { createGuard } from "./guard.ts";

export type PermitAnswer = {
  readonly allow: boolean;
  readonly scope?: "once" | "session" | "project";
  readonly reason?: string;
};
export type ChosenAnswer = { readonly chosen?: readonly string[]; readonly text?: string };

export interface QuestionPanel extends Component {
  handleInput(data: string): void;
  /** Whether keys count by now. */
  readonly open: boolean;
  readonly id: string;
}

export interface PanelWays {
  now(): number;
  theme(): Theme;
  /** Keys that were not meant for the panel. */
  spill(data: string): void;
  changed(): void;
  /** Rows of the terminal. */
  rows(): number;
}

type Permission = Extract<EngineEvent, { type: "permission_request" }>;
type Question = Extract<EngineEvent, { type: "question" }>;

/** Rows of a text that a panel shows at most: what is asked must not push its answers off a low terminal. */
const ROWS = 8;
const textRows = (ways: PanelWays) => Math.max(3, Math.min(ROWS, Math.floor((ways.rows() - 8) / 2)));

export function permissionPanel(
  event: Permission,
  answer: (answer: PermitAnswer) => void,
  ways: PanelWays,
): QuestionPanel {
  const guard = createGuard(ways.now);
  let word: Input | undefined;
  const choices: readonly (readonly [string, string, () => void])[] = [
    ["y", "once", () => answer({ allow: true, scope: "once" })],
    ["s", "for this session", () => answer({ allow: true, scope: "session" })],
    ...(event.rule === null
      ? []
      : [["a", "always in this project", () => answer({ allow: true, scope: "project" })] as const]),
    ["n", "no", () => answer({ allow: false })],
    ["w", "no, with a word to the model", () => {
      word = wordInput((reason) => answer({ allow: false, ...(reason === "" ? {} : { reason }) }), () => {
        word = undefined;
        ways.changed();
      });
      ways.changed();
    }],
  ];
  return {
    id: event.permitId,
    get open() {
      return guard.open;
    },
    invalidate: () => {},
    handleInput(data) {
      if (word !== undefined) return word.handleInput(data);
      if (!guard.admits()) return ways.spill(data);
      choices.find(([key]) => matchesKey(data, key as "y") || data === key)?.[2]();
    },
    render(width) {
      guard.drawn();
      const theme = ways.theme();
      const muted = (line: string) => theme.paint("muted", line);
      // On a low terminal what is wanted comes first, then what a longer yes would keep.
      const room = Math.max(5, ways.rows() - 7);
      const request = boxed(event.request, width, Math.min(ROWS, room - 2), (line) => theme.bold(line));
      const few = (text: string, left: number) => boxed(text, width, Math.max(1, Math.min(4, left)), muted);
      const rule = event.rule === null
        ? []
        : few(`A longer yes is kept as ${event.rule}`, room - request.length - 1);
      const reason = few(`Asked because ${event.reason}`, room - request.length - rule.length);
      const lines = [
        theme.paint("warning", fitCells("? Allow this?", width)),
        ...request,
        ...reason,
        ...rule,
      ];
      if (word !== undefined) return [...lines, "  Why not?", ...word.render(width)];
      return [
        ...lines,
        ...choiceLines(choices.map(([key, label]) => [key, label]), width, theme, guard.open),
      ];
    },
  };
}

export function askPanel(
  event: Question,
  answer: (answer: ChosenAnswer) => void,
  ways: PanelWays,
): QuestionPanel {
  const guard = createGuard(ways.now);
  const { options, multiple } = event;
  let at = 0;
  const chosen = new Set<number>();
  const own = () =>
    wordInput((text) => {
      if (text !== "") answer({ ...(chosen.size > 0 ? { chosen: picked() } : {}), text });
    }, () => {
      if (options.length === 0) return;
      word = undefined;
      ways.changed();
    });
  let word: Input | undefined = options.length === 0 ? own() : undefined;
  const picked = () => [...chosen].sort((a, b) => a - b).map((i) => options[i]);
  const take = (i: number) => {
    at = i;
    if (i === options.length) word = own();
    else if (!multiple) answer({ chosen: [options[i]] });
    else if (!chosen.delete(i)) chosen.add(i);
    ways.changed();
  };
  return {
    id: event.questionId,
    get open() {
      return guard.open;
    },
    invalidate: () => {},
    handleInput(data) {
      if (!guard.admits()) return ways.spill(data);
      if (word !== undefined) return word.handleInput(data);
      if (matchesKey(data, "up")) at = (at + options.length) % (options.length + 1);
      else if (matchesKey(data, "down")) at = (at + 1) % (options.length + 1);
      else if (matchesKey(data, "space") && multiple) return take(at);
      else if (matchesKey(data, "enter")) {
        if (at === options.length || !multiple) return take(at);
        return answer({ chosen: chosen.size === 0 ? [options[at]] : picked() });
      } else if (/^[1-9]$/.test(data) && Number(data) <= options.length + 1) return take(Number(data) - 1);
      ways.changed();
    },
    render(width) {
      guard.drawn();
      const theme = ways.theme();
      const lines = boxed(event.text, width, textRows(ways), (line) => theme.bold(line), "? ");
      if (word !== undefined) return [...lines, ...word.render(width)];
      const rows = [...options.map((option) => oneLine(option, 200)), "something else …"];
      lines.push(...rows.map((option, i) => {
        const mark = multiple && i < options.length ? (chosen.has(i) ? "[x] " : "[ ] ") : "";
        const line = fitCells(`${i === at ? "▸" : " "} ${i + 1} ${mark}${option}`, width);
        return i === at ? theme.selected(line) : line;
      }));
      const hint = multiple ? "space chooses, Enter answers" : "a number or Enter answers";
      return [...lines, theme.paint("muted", fitCells(`  ${hint}`, width))];
    },
  };
}

function wordInput(done: (text: string) => void, back: () => void): Input {
  const input = new Input();
  input.focused = true;
  input.onSubmit = (text) => done(text.trim());
  input.onEscape = back;
  return input;
}

/** A text of the outside, indented; of a long one the beginning and the end, since either may be what matters. */
function boxed(
  text: string,
  width: number,
  rows: number,
  style: (line: string) => string,
  mark = "  ",
): string[] {
  const lines = stripControls(text).replaceAll("\t", "    ").split(/\r?\n/)
    .flatMap((line) => wrapTextWithAnsi(line, Math.max(4, width - 2)));
  const over = lines.length - rows + 1;
  const end = Math.floor((rows - 1) / 2);
  const cut = over <= 1 ? lines : rows === 1 ? [fitCells(oneLine(text, 400), Math.max(4, width - 2))] : [
    ...lines.slice(0, rows - 1 - end),
    fitCells(`… ${counted(over, "more line")}: Ctrl-O shows all`, width - 2),
    ...lines.slice(lines.length - end),
  ];
  return cut.map((line, i) => (i === 0 ? mark : "  ") + style(line));
}

/** Keys and what they mean, as many on a line as fit. */
function choiceLines(
  choices: readonly (readonly [string, string])[],
  width: number,
  theme: Theme,
  open: boolean,
): string[] {
  const lines: string[] = [];
  let line = "";
  let length = 0;
  for (const [key, label] of choices) {
    const size = key.length + label.length + 5;
    if (length > 0 && length + size > width) {
      lines.push(line);
      line = "";
      length = 0;
    }
    line += `  ${open ? theme.selected(`[${key}]`) : theme.paint("muted", `[${key}]`)} ${
      theme.paint("muted", label)
    }`;
    length += size + 1;
  }
  return [...lines, line];
}
