/**
 * The keys: one table, from which the chat, its help and the table in the
 * documentation come. The editor's own keys have the names of the terminal
 * library; a user's settings may give any action other keys.
 */
import {
  type KeybindingsConfig,
  KeybindingsManager,
  type KeyId,
  TUI_KEYBINDINGS,
} from "@earendil-works/pi-tui";

interface KeyRow {
  readonly keys: readonly KeyId[];
  readonly help: string;
}

export const CHAT_KEYS = {
  "chat.interrupt": { keys: ["escape"], help: "end what is running; what was done is kept" },
  "chat.clear": { keys: ["ctrl+c"], help: "empty the draft, end what is running; twice: quit" },
  "chat.quit": { keys: ["ctrl+d"], help: "quit, where the draft is empty" },
  "chat.suspend": { keys: ["ctrl+z"], help: "back to the shell; `fg` returns" },
  "chat.queue": { keys: ["alt+enter"], help: "while it works: send when the run has ended" },
  "chat.unqueue": { keys: ["alt+up"], help: "take the last waiting message back into the draft" },
  "chat.transcript": { keys: ["ctrl+o"], help: "the whole conversation, with everything unfolded" },
  "chat.redraw": { keys: ["ctrl+l"], help: "draw anew, where something else has written on the screen" },
  "chat.thinking": { keys: ["ctrl+t"], help: "show or fold what the model thinks" },
  "chat.external": { keys: ["ctrl+g"], help: "write the draft in your own editor ($VISUAL, $EDITOR)" },
  "chat.paste": { keys: ["ctrl+v"], help: "put the clipboard's image into the draft" },
  "chat.chip": { keys: ["alt+v"], help: "show what was pasted as text, to see and edit it" },
  "chat.history": { keys: ["ctrl+r"], help: "search the drafts of before" },
  "chat.approval": { keys: ["shift+tab"], help: "who decides what rules leave open: ask, auto, never" },
  "chat.sessions": { keys: ["alt+s"], help: "sessions" },
  "chat.models": { keys: ["alt+m"], help: "models" },
  "chat.tree": { keys: ["alt+t"], help: "the tree of this session" },
  "chat.help": { keys: ["f1"], help: "help" },
} as const satisfies Readonly<Record<string, KeyRow>>;

export type ChatAction = keyof typeof CHAT_KEYS;

/** Actions of the editor that people look for, in the order of the table. */
const EDITOR: readonly (keyof typeof TUI_KEYBINDINGS)[] = [
  "tui.input.submit",
  "tui.input.newLine",
  "tui.input.tab",
  "tui.editor.cursorUp",
  "tui.editor.cursorDown",
  "tui.editor.cursorWordLeft",
  "tui.editor.cursorWordRight",
  "tui.editor.cursorLineStart",
  "tui.editor.cursorLineEnd",
  "tui.editor.deleteWordBackward",
  "tui.editor.deleteToLineStart",
  "tui.editor.deleteToLineEnd",
  "tui.editor.yank",
  "tui.editor.yankPop",
  "tui.editor.undo",
];

const EDITOR_HELP: Readonly<Partial<Record<keyof typeof TUI_KEYBINDINGS, string>>> = {
  "tui.input.submit": "send; while it works: tell it at once",
  "tui.input.newLine": "a new line",
  "tui.input.tab": "complete a command or a file",
  "tui.editor.cursorUp": "up; in the first line: the draft before",
  "tui.editor.cursorDown": "down; in the last line: the draft after",
  "tui.editor.cursorWordLeft": "a word to the left",
  "tui.editor.cursorWordRight": "a word to the right",
  "tui.editor.cursorLineStart": "beginning of the line",
  "tui.editor.cursorLineEnd": "end of the line",
  "tui.editor.deleteWordBackward": "cut the word before",
  "tui.editor.deleteToLineStart": "cut to the beginning of the line",
  "tui.editor.deleteToLineEnd": "cut to the end of the line",
  "tui.editor.yank": "put in what was cut",
  "tui.editor.yankPop": "instead of it what was cut before",
  "tui.editor.undo": "undo",
};

/** The editor's undo is hard to type on many keyboards. */
const CHANGED: KeybindingsConfig = { "tui.editor.undo": ["ctrl+-", "alt+z"] };

export interface Keymap {
  readonly manager: KeybindingsManager;
  readonly rows: readonly {
    readonly action: string;
    readonly keys: readonly string[];
    readonly help: string;
  }[];
  /** Names in the settings that are no actions, and keys that mean two things. */
  readonly problems: readonly string[];
  is(data: string, action: ChatAction): boolean;
  /** The first key of an action, for hints. */
  keyOf(action: ChatAction): string;
}

/** The keys in force: the table, changed by what the user has set. */
export function createKeymap(user: Readonly<Record<string, readonly string[]>>): Keymap {
  const own = Object.fromEntries(
    Object.entries(CHAT_KEYS).map(([name, row]) => [name, {
      defaultKeys: [...row.keys] as KeyId[],
      description: row.help,
    }]),
  );
  const definitions = { ...TUI_KEYBINDINGS, ...own };
  const known = Object.entries(user).filter(([name]) => name in definitions);
  const config = { ...CHANGED, ...Object.fromEntries(known) } as KeybindingsConfig;
  const manager = new KeybindingsManager(definitions, config);
  const keysOf = (name: string) => manager.getKeys(name as keyof typeof TUI_KEYBINDINGS);
  const problems = Object.keys(user).filter((name) => !(name in definitions)).map((name) =>
    `keys: there is no action "${name}"`
  );
  for (const { key, keybindings } of manager.getConflicts()) {
    problems.push(`keys: ${key} means ${keybindings.join(" and ")}`);
  }
  return {
    manager,
    problems,
    rows: [
      ...Object.entries(CHAT_KEYS).map(([action, { help }]) => ({ action, keys: keysOf(action), help })),
      ...EDITOR.map((action) => ({ action, keys: keysOf(action), help: EDITOR_HELP[action] ?? "" })),
    ],
    is: (data, action) => manager.matches(data, action as keyof typeof TUI_KEYBINDINGS),
    keyOf: (action) => shown(keysOf(action)[0] ?? ""),
  };
}

/** "ctrl+o" -> "Ctrl-O". */
export function shown(key: string): string {
  return key.replace("escape", "esc").split("+").map((part) =>
    part.length === 1 ? part.toUpperCase() : part[0].toUpperCase() + part.slice(1)
  ).join("-");
}

/** The table of docs/chat.md. */
export function keyTable(): string {
  const rows = createKeymap({}).rows.map(({ action, keys, help }) =>
    `| ${keys.map((key) => `\`${shown(key)}\``).join(" ")} | ${help} | \`${action}\` |`
  );
  return ["| keys | do | name in the settings |", "| --- | --- | --- |", ...rows].join("\n");
}
