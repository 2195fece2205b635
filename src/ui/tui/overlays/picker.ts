/** A panel to choose from a list: search by typing, a preview where there is room, further keys for further deeds. */
import { Input, type KeyId, matchesKey } from "@earendil-works/pi-tui";
import { oneLine, stripControls } from "../../../lib/text/control.ts";
import { fuzzyScore } from "../../../lib/text/fuzzy.ts";
import { cells, fitCells } from "../../../lib/text/width.ts";
import type { FullPanel } from "../screen.ts";
import type { Theme } from "../theme.ts";

export interface PickRow {
  readonly id: string;
  readonly text: string;
  /** At the right margin. */
  readonly note?: string;
  /** It is the one in force. */
  readonly current?: boolean;
}

export interface PickAction {
  readonly key: KeyId;
  readonly label: string;
  /** Also where no row is chosen. */
  readonly always?: true;
  run(row: PickRow, picker: Picker): void | Promise<void>;
}

export interface PickOptions {
  readonly title: string;
  rows(): Promise<readonly PickRow[]>;
  /** Shown where there are none. */
  readonly empty: string;
  readonly enter: string;
  pick(row: PickRow): void;
  close(): void;
  changed(): void;
  theme(): Theme;
  preview?(row: PickRow, width: number): Promise<readonly string[]>;
  readonly actions?: readonly PickAction[];
}

export interface Picker extends FullPanel {
  handleInput(data: string): void;
  /** Reads the rows anew. */
  reload(): Promise<void>;
  /** Asks for a line of text; undefined: given up. */
  ask(question: string, given: string): Promise<string | undefined>;
}

/** From this width on a preview stands beside the list. */
const BESIDE = 76;

export function createPicker(options: PickOptions): Picker {
  const filter = new Input();
  filter.focused = true;
  let rows: readonly PickRow[] | undefined;
  let problem: string | undefined;
  let shown: readonly PickRow[] = [];
  let at = 0;
  let asking:
    | { readonly question: string; readonly input: Input; done(text: string | undefined): void }
    | undefined;
  let preview: { readonly id: string; readonly width: number; lines: readonly string[] } | undefined;
  let page = 10;

  function choose(): void {
    const query = filter.getValue().trim();
    const words = query.split(/\s+/).filter((word) => word !== "");
    if (rows === undefined) return;
    shown = words.length === 0 ? rows : rows
      .map((row) => ({ row, score: scoreOf(words, row.text, row.note ?? "") }))
      .filter(({ score }) => score !== undefined)
      .sort((a, b) => b.score! - a.score!)
      .map(({ row }) => row);
    at = Math.min(at, Math.max(0, shown.length - 1));
  }

  async function reload(): Promise<void> {
    try {
      rows = await options.rows();
      problem = undefined;
    } catch (error) {
      rows = [];
      problem = error instanceof Error ? error.message : String(error);
    }
    preview = undefined;
    const current = rows.findIndex((row) => row.current);
    if (filter.getValue() === "" && at === 0 && current > 0) at = current;
    choose();
    options.changed();
  }

  function lookAt(row: PickRow, width: number): void {
    if (options.preview === undefined || (preview?.id === row.id && preview.width === width)) return;
    const mine = { id: row.id, width, lines: [] as readonly string[] };
    preview = mine;
    options.preview(row, width).then((lines) => mine.lines = lines, (error) => {
      mine.lines = [`cannot be shown: ${error instanceof Error ? error.message : error}`];
    }).finally(options.changed);
  }

  const picker: Picker = {
    invalidate: () => {},
    render: (width) => [...picker.lines(width, 24)],
    reload,
    ask(question, given) {
      return new Promise((resolve) => {
        const input = new Input();
        input.focused = true;
        // As a paste, so that the cursor stands behind it.
        if (given !== "") input.handleInput(`\x1b[200~${oneLine(given, 400)}\x1b[201~`);
        const done = (text: string | undefined) => {
          asking = undefined;
          resolve(text);
          options.changed();
        };
        input.onSubmit = (text) => done(text);
        input.onEscape = () => done(undefined);
        asking = { question, input, done };
        options.changed();
      });
    },
    handleInput(data) {
      if (asking !== undefined) return asking.input.handleInput(data);
      const row = shown[at];
      if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) return options.close();
      if (matchesKey(data, "up") || matchesKey(data, "ctrl+p")) at = Math.max(0, at - 1);
      else if (matchesKey(data, "down") || matchesKey(data, "ctrl+n")) {
        at = Math.min(shown.length - 1, at + 1);
      } else if (matchesKey(data, "pageUp")) at = Math.max(0, at - page);
      else if (matchesKey(data, "pageDown")) at = Math.max(0, Math.min(shown.length - 1, at + page));
      else if (matchesKey(data, "enter")) {
        if (row !== undefined) options.pick(row);
        return;
      } else {
        const action = options.actions?.find(({ key }) => matchesKey(data, key));
        if (action !== undefined) {
          const chosen = row ?? (action.always ? { id: "", text: "" } : undefined);
          if (chosen !== undefined) void Promise.resolve(action.run(chosen, picker)).catch(fail);
          return;
        }
        filter.handleInput(data);
        at = 0;
        choose();
      }
      at = Math.max(0, at);
      options.changed();
    },
    lines(width, height) {
      const theme = options.theme();
      const lines = [theme.bold(fitCells(options.title, width))];
      if (asking !== undefined) lines.push(fitCells(asking.question, width), ...asking.input.render(width));
      else lines.push(...filter.render(width));
      const hints = [
        `Enter ${options.enter}`,
        ...(options.actions ?? []).map(({ key, label }) => `${nameOf(key)} ${label}`),
        "Esc back",
      ];
      const room = Math.max(1, height - lines.length - 2);
      page = room;
      lines.push("");
      const row = shown[at];
      const beside = options.preview !== undefined && width >= BESIDE;
      const listWidth = beside ? Math.floor(width / 2) - 1 : width;
      const list = listLines(listWidth, room, theme);
      if (beside && row !== undefined) {
        const previewWidth = width - listWidth - 3;
        lookAt(row, previewWidth);
        for (let i = 0; i < room; i++) {
          const left = list[i] ?? { line: "", length: 0 };
          const right = preview?.lines[i] ?? "";
          lines.push(
            `${left.line}${" ".repeat(Math.max(0, listWidth - left.length))} ${
              theme.paint("muted", "│")
            } ${right}`,
          );
        }
      } else {
        for (let i = 0; i < room; i++) lines.push(list[i]?.line ?? "");
      }
      lines.push(theme.paint("muted", fitHints(hints, width)));
      return lines;
    },
  };

  function fail(error: unknown): void {
    problem = error instanceof Error ? error.message : String(error);
    options.changed();
  }

  function listLines(width: number, room: number, theme: Theme): { line: string; length: number }[] {
    const say = (
      text: string,
    ) => [{ line: theme.paint("muted", fitCells(`  ${text}`, width)), length: width }];
    if (problem !== undefined) return say(oneLine(problem, 400));
    if (rows === undefined) return say("…");
    if (shown.length === 0) return say(rows.length === 0 ? options.empty : "nothing fits");
    const first = Math.max(0, Math.min(at - Math.floor(room / 2), shown.length - room));
    return shown.slice(first, first + room).map((row, i) => {
      const chosen = first + i === at;
      const note = row.note === undefined ? "" : ` ${oneLine(row.note, 60)}`;
      const text = stripControls(row.text).replace(/[\r\n\t]+/g, " ");
      const noteCells = cells(note);
      const shownNote = noteCells > width / 2 ? "" : note;
      const room = width - 2 - (shownNote === "" ? 0 : noteCells);
      const fitted = fitCells(text, room);
      const padding = shownNote === "" ? "" : " ".repeat(Math.max(0, room - cells(fitted)));
      const body = `${chosen ? "▸" : row.current ? "•" : " "} ${fitted}`;
      return {
        line: (chosen ? theme.selected(body) : body) + padding + theme.paint("muted", shownNote),
        length: 2 + cells(fitted) + padding.length + cells(shownNote),
      };
    });
  }

  void reload();
  return picker;
}

function scoreOf(words: readonly string[], text: string, note: string): number | undefined {
  let sum = 0;
  for (const word of words) {
    const within = (where: string) => where.toLowerCase().includes(word.toLowerCase());
    // Letters here and there find something in every note: there a word counts only as it stands.
    const score = fuzzyScore(word, text) ?? (within(note) ? 0 : undefined);
    if (score === undefined) return undefined;
    // Letters in a row count for more than letters that happen to be there.
    sum += score + (within(text) ? 100 : 0);
  }
  return sum;
}

/** "ctrl+d" -> "Ctrl-D" */
function nameOf(key: string): string {
  return key.split("+").map((part) => part[0].toUpperCase() + part.slice(1)).join("-");
}

/** As many hints as fit; the last one always. */
function fitHints(hints: string[], width: number): string {
  while (hints.length > 1 && hints.join(" · ").length > width) hints.splice(hints.length - 2, 1);
  return fitCells(hints.join(" · "), width);
}
