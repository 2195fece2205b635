/** The panels that are lists: sessions, models, the session's tree, themes, and plain lists of names. */
import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { TreeNode } from "../../../engine/snapshot.ts";
import { counted } from "../../../lib/text/count.ts";
import { oneLine, stripControls } from "../../../lib/text/control.ts";
import { fitCells } from "../../../lib/text/width.ts";
import type { Chat, ChatPorts, ChatWish, ModelRow, NamedRow, PastItem, SessionRow } from "../../interface.ts";
import type { Op } from "../../../engine/op.ts";
import type { FullPanel } from "../screen.ts";
import { type Theme, THEME_NAMES } from "../theme.ts";
import { createPicker } from "./picker.ts";

/** What the lists need of the chat. */
interface ListWays {
  readonly ports: ChatPorts;
  theme(): Theme;
  changed(): void;
  chat(): Chat | undefined;
  say(text: string): void;
  fail(error: unknown): void;
  submit(op: Op): Promise<boolean>;
  open(wish: ChatWish): Promise<void>;
  setTheme(name: string): void;
  draft(text: string): void;
  model(): string;
  history(): readonly string[];
}

/** A model of which the settings say nothing. */
const UNLISTED: Omit<ModelRow, "name"> = { contextWindow: undefined, price: undefined, reasoning: false };

/** Lines of a preview. */
const PREVIEW = 60;

export function sessionsPanel(ways: ListWays, close: () => void): FullPanel {
  const { ports } = ways;
  /** Only those in which this was said; empty: all. */
  let said = "";
  return createPicker({
    ...frame(ways, close),
    title: "Sessions of this folder",
    empty: "no sessions yet",
    enter: "goes on",
    rows: async () => {
      const current = ways.chat()?.sessionId;
      const found: readonly (SessionRow & { readonly excerpt?: string })[] = said === ""
        ? await ports.sessions.list()
        : await ports.sessions.search(said);
      return found.map((row) => ({
        id: row.id,
        text: row.problem === undefined
          ? (row.title || "(empty)") + (row.excerpt === undefined ? "" : `: ${oneLine(row.excerpt, 120)}`)
          : `cannot be read: ${row.problem}`,
        note: `${row.messages ?? "?"} · ${ago(row.changedAt)}`,
        current: row.id === current,
      }));
    },
    pick(row) {
      close();
      if (row.id !== ways.chat()?.sessionId) void ways.open({ choice: { kind: "named", wanted: row.id } });
    },
    preview: async (row, width) => previewLines(await ports.sessions.preview(row.id), width, ways.theme()),
    actions: [
      {
        key: "ctrl+f",
        label: "in what was said",
        always: true,
        async run(_, picker) {
          said = (await picker.ask("Said where? (empty: all sessions)", said) ?? said).trim();
          await picker.reload();
        },
      },
      {
        key: "ctrl+r",
        label: "rename",
        async run(row, picker) {
          const title = await picker.ask("New title:", row.text);
          if (title === undefined || title.trim() === "") return;
          if (row.id === ways.chat()?.sessionId) await ways.submit({ type: "title", title: title.trim() });
          else await ports.sessions.rename(row.id, title.trim());
          await picker.reload();
        },
      },
      {
        key: "ctrl+d",
        label: "delete",
        async run(row, picker) {
          if (row.id === ways.chat()?.sessionId) throw new Error("This one is open: go to another one first");
          const sure = await picker.ask(
            `Delete "${oneLine(row.text, 40)}"? It goes to the trash folder. yes:`,
            "",
          );
          if (sure?.trim().toLowerCase() !== "yes") return;
          await ports.sessions.remove(row.id);
          await picker.reload();
        },
      },
    ],
  });
}

export function modelsPanel(ways: ListWays, close: () => void): FullPanel {
  return createPicker({
    ...frame(ways, close),
    title: "Models",
    empty: "no provider is set up: myelin auth login",
    enter: "uses it",
    rows: async () => {
      const listed = await ways.ports.models();
      // A provider whose settings list no models takes any: the one in use is shown all the same.
      const used = ways.model();
      const all = used === "" || listed.some(({ name }) => name === used)
        ? listed
        : [{ ...UNLISTED, name: used }, ...listed];
      return all.map(({ name, contextWindow, price, reasoning }) => ({
        id: name,
        text: name,
        note: [
          reasoning ? "thinks" : "",
          contextWindow === undefined ? "" : `${Math.round(contextWindow / 1000)}k`,
          price === undefined ? "price unknown" : `$${price[0]} / $${price[1]}`,
        ].filter((part) => part !== "").join(" · "),
        current: name === used,
      }));
    },
    pick(row) {
      close();
      void ways.submit({ type: "model", model: row.id }).then((done) => {
        if (done) ways.say(`From here on: ${row.id}`);
      });
    },
  });
}

export function treePanel(ways: ListWays, close: () => void): FullPanel {
  let nodes: readonly TreeNode[] = [];
  return createPicker({
    ...frame(ways, close),
    title: "Tree of this session",
    empty: "nothing was said yet",
    enter: "goes there",
    rows: async () => {
      nodes = await ways.chat()?.engine.tree() ?? [];
      const depth = depths(nodes);
      const last = nodes.filter(({ onPath }) => onPath).at(-1);
      return nodes.map((node) => ({
        id: node.id,
        text: `${"  ".repeat(Math.min(8, depth.get(node.id) ?? 0))}${MARKS[node.kind]} ${
          node.label === undefined ? "" : `[${node.label}] `
        }${node.text}`,
        note: node.onPath ? "" : "branch",
        current: node === last,
      }));
    },
    pick(row) {
      close();
      void ways.submit({ type: "navigate", to: row.id });
    },
    preview: (row, width) =>
      Promise.resolve(
        wrapTextWithAnsi(stripControls(nodes.find(({ id }) => id === row.id)?.text ?? ""), width).slice(
          0,
          PREVIEW,
        ),
      ),
    actions: [
      {
        key: "ctrl+s",
        label: "with a summary",
        run(row) {
          close();
          void ways.submit({ type: "navigate", to: row.id, summarize: true });
        },
      },
      {
        key: "ctrl+f",
        label: "fork",
        run(row) {
          const id = ways.chat()?.sessionId;
          close();
          if (id !== undefined) void ways.open({ choice: { kind: "named", wanted: id }, fork: row.id });
        },
      },
      {
        key: "ctrl+l",
        label: "label",
        async run(row, picker) {
          const label = await picker.ask(
            "Label (empty: none):",
            nodes.find(({ id }) => id === row.id)?.label ?? "",
          );
          if (label === undefined) return;
          await ways.submit({ type: "label", entry: row.id, label: label.trim() });
          await picker.reload();
        },
      },
    ],
  });
}

const MARKS: Readonly<Record<TreeNode["kind"], string>> = {
  user: "›",
  answer: "•",
  summary: "Σ",
  compaction: "Σ",
  checkpoint: "⚑",
};

/** Where a path forks, what hangs on it stands further in. */
function depths(nodes: readonly TreeNode[]): Map<string, number> {
  const children = new Map<string | null, number>();
  const depth = new Map<string, number>();
  for (const { id, parentId } of nodes) {
    const nth = children.get(parentId) ?? 0;
    children.set(parentId, nth + 1);
    depth.set(id, (parentId === null ? 0 : depth.get(parentId) ?? 0) + (nth > 0 ? 1 : 0));
  }
  return depth;
}

export function themesPanel(ways: ListWays, close: () => void): FullPanel {
  const about: Readonly<Record<string, string>> = {
    auto: "as the terminal's background is",
    dark: "for dark backgrounds",
    light: "for light backgrounds",
    terminal: "the sixteen colours of the terminal",
    mono: "no colours",
  };
  return createPicker({
    ...frame(ways, close),
    title: "Theme",
    empty: "",
    enter: "uses it",
    rows: () =>
      Promise.resolve(THEME_NAMES.map((name) => ({
        id: name,
        text: name,
        note: about[name] ?? "",
        current: name === ways.theme().name,
      }))),
    pick(row) {
      close();
      ways.setTheme(row.id);
    },
  });
}

export function namedPanel(
  title: string,
  rows: () => Promise<readonly NamedRow[]>,
  ways: ListWays,
  close: () => void,
): FullPanel {
  let known: readonly NamedRow[] = [];
  return createPicker({
    ...frame(ways, close),
    title,
    empty: "none",
    enter: "says more",
    rows: async () => {
      known = await rows();
      const width = Math.min(28, Math.max(0, ...known.map(({ name }) => name.length)));
      return known.map(({ name, text }) => ({
        id: name,
        text: `${name.padEnd(width)}  ${oneLine(text, 200)}`,
      }));
    },
    pick(row) {
      const one = known.find(({ name }) => name === row.id);
      close();
      if (one !== undefined) ways.say(`${one.name}: ${one.text}`);
    },
  });
}

/** The question of trust: what would run. */
export function trustPanel(ways: ListWays, close: () => void): FullPanel {
  const yes = "Trust it as it is now";
  return createPicker({
    ...frame(ways, close),
    title: "These files of the project can run code; do you trust them?",
    empty: "nothing of this project can run by itself",
    enter: "chooses",
    rows: async () => {
      const files = await ways.ports.trust.wanted();
      if (files.length === 0) return [];
      return [
        ...files.map((file) => ({ id: file, text: file })),
        { id: "no", text: "Not now", current: true },
        { id: "yes", text: yes },
      ];
    },
    pick(row) {
      close();
      if (row.id !== "yes") return;
      ways.ports.trust.give().then(
        () => ways.say("Trusted as it is now; it holds from the next start on."),
        (error) => ways.fail(error),
      );
    },
  });
}

export function historyPanel(ways: ListWays, close: () => void): FullPanel {
  return createPicker({
    ...frame(ways, close),
    title: "Drafts of before",
    empty: "none yet",
    enter: "takes it",
    rows: () =>
      Promise.resolve([...new Set([...ways.history()].reverse())].map((text, i) => ({ id: `${i}`, text }))),
    pick(row) {
      close();
      ways.draft(row.text);
    },
    preview: (row, width) =>
      Promise.resolve(
        stripControls(row.text).split("\n").flatMap((line) => wrapTextWithAnsi(line, width)).slice(
          0,
          PREVIEW,
        ),
      ),
  });
}

function frame(ways: ListWays, close: () => void) {
  return { close, changed: ways.changed, theme: ways.theme };
}

/** A session in short. */
function previewLines(past: readonly PastItem[], width: number, theme: Theme): string[] {
  const lines: string[] = [];
  for (const item of past) {
    if (item.type === "user") {
      if (lines.length > 0) lines.push("");
      lines.push(...short(`› ${item.text}`, width, 4).map((line) => theme.bold(line)));
    } else if (item.type === "assistant" && item.text.trim() !== "") {
      lines.push(...short(item.text, width, 6));
    } else if (item.type === "call") lines.push(theme.paint("muted", fitCells(`● ${item.name}`, width)));
    if (lines.length > PREVIEW) break;
  }
  if (past.length > 0) lines.push("", theme.paint("muted", fitCells(counted(past.length, "item"), width)));
  return lines;
}

function short(text: string, width: number, limit: number): string[] {
  const lines = stripControls(text).replaceAll("\t", "    ").trim().split("\n").flatMap((line) =>
    wrapTextWithAnsi(line, width)
  );
  return lines.length <= limit ? lines : [...lines.slice(0, limit - 1), "…"];
}

/** "3 min", "2 h", "5 d" */
function ago(at: string): string {
  const minutes = Math.max(0, (Date.now() - Date.parse(at)) / 60_000);
  if (!Number.isFinite(minutes)) return "";
  if (minutes < 60) return `${Math.round(minutes)} min`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 1440)} d`;
}
