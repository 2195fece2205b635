/** The panels over the whole screen, and the commands and keys that open them. */
import type { Command } from "../../../commands/mod.ts";
import type { Op } from "../../../engine/op.ts";
import type { Chat, ChatPorts, ChatWish } from "../../interface.ts";
import type { Item } from "../../shared/transcript.ts";
import { gapBefore, itemLines, type ViewOptions } from "../item_view.ts";
import type { ChatAction, Keymap } from "../keymap.ts";
import type { FullPanel } from "../screen.ts";
import type { Theme } from "../theme.ts";
import { helpPanel } from "./help.ts";
import {
  historyPanel,
  modelsPanel,
  namedPanel,
  sessionsPanel,
  themesPanel,
  treePanel,
  trustPanel,
} from "./lists.ts";
import { createViewer } from "./viewer.ts";

export interface OverlayWays {
  readonly ports: ChatPorts;
  readonly keymap: Keymap;
  theme(): Theme;
  changed(): void;
  chat(): Chat | undefined;
  items(): readonly Item[];
  /** How items are drawn unfolded. */
  view(width: number): ViewOptions;
  show(panel: FullPanel | undefined): void;
  say(text: string): void;
  /** Gives a text to the clipboard of the terminal. */
  copy(text: string): void;
  fail(error: unknown): void;
  submit(op: Op): Promise<boolean>;
  open(wish: ChatWish): Promise<void>;
  setTheme(name: string): void;
  draft(text: string): void;
  model(): string;
  history(): readonly string[];
}

export interface Overlays {
  readonly keys: readonly (readonly [ChatAction, () => void])[];
  /** The commands of every interface, with panels where there are some, and those that only a chat has. */
  commands(all: readonly Command[]): readonly Command[];
  close(): void;
}

export function createOverlays(ways: OverlayWays): Overlays {
  const close = () => ways.show(undefined);
  const panels = {
    sessions: () => ways.show(sessionsPanel(ways, close)),
    models: () => ways.show(modelsPanel(ways, close)),
    tree: () => ways.show(treePanel(ways, close)),
    theme: () => ways.show(themesPanel(ways, close)),
    settings: () => ways.show(namedPanel("Settings in force", () => ways.ports.settings(), ways, close)),
    tools: () => ways.show(namedPanel("Tools of the model", () => ofSnapshot("tools"), ways, close)),
    skills: () => ways.show(namedPanel("Skills", () => ofSnapshot("skills"), ways, close)),
    mcp: () => ways.show(namedPanel("Servers of tools", () => ways.ports.servers(), ways, close)),
    trust: () => ways.show(trustPanel(ways, close)),
    history: () => ways.show(historyPanel(ways, close)),
    help: () => ways.show(helpPanel({ ...ways, commands: () => offered }, close)),
    transcript: () => ways.show(transcriptPanel(ways, close)),
  };

  async function ofSnapshot(what: "tools" | "skills") {
    const shot = await ways.chat()?.engine.snapshot();
    return (shot?.[what] ?? []).map(({ name, about }) => ({ name, text: about }));
  }

  /** Without words the command opens its panel; with words it does what it does everywhere. */
  const opening = (command: Command, show: () => void): Command => ({
    ...command,
    during: command.name === "resume" ? "idle" : command.during,
    args: command.args.map(({ required: _, ...argument }) => argument),
    run: (args, context) => {
      if (Object.keys(args).length > 0) return command.run(args, context);
      show();
      return Promise.resolve();
    },
  });
  const own = (name: string, summary: string, show: () => void): Command => ({
    name,
    summary,
    args: [],
    during: "any",
    run: () => {
      show();
      return Promise.resolve();
    },
  });

  let offered: readonly Command[] = [];

  function copyAnswer(): void {
    const last = ways.items().findLast(({ kind }) => kind === "answer");
    if (last?.kind !== "answer") return ways.say("There is no answer yet");
    ways.copy(last.text.trim());
    ways.say("The last answer was given to the terminal's clipboard. Where it does not take it: /export");
  }

  return {
    close,
    keys: [
      ["chat.sessions", panels.sessions],
      ["chat.models", panels.models],
      ["chat.tree", panels.tree],
      ["chat.history", panels.history],
      ["chat.help", panels.help],
      ["chat.transcript", panels.transcript],
    ],
    commands(all) {
      const shows: Readonly<Record<string, () => void>> = {
        sessions: panels.sessions,
        resume: panels.sessions,
        model: panels.models,
        navigate: panels.tree,
        fork: panels.tree,
        tools: panels.tools,
        mcp: panels.mcp,
        help: panels.help,
      };
      return offered = [
        ...all.map((command) =>
          shows[command.name] === undefined ? command : opening(command, shows[command.name])
        ),
        own("tree", "The tree of this session: go to a place, fork, label", panels.tree),
        {
          name: "rename",
          summary: "Give this session another title",
          args: [{ name: "title", about: "the title", required: true }],
          during: "any",
          async run({ title }, { submit, say }) {
            await submit({ type: "title", title });
            say(`Title: ${title}`);
          },
        },
        own("copy", "The last answer, into the terminal's clipboard", copyAnswer),
        own("theme", "Choose the colours", panels.theme),
        own("settings", "The settings in force, and where they come from", panels.settings),
        own("skills", "The skills that there are", panels.skills),
        own("transcript", "The whole conversation, with everything unfolded", panels.transcript),
        own("trust", "What this project could run if it were trusted", panels.trust),
      ];
    },
  };
}

function transcriptPanel(ways: OverlayWays, close: () => void): FullPanel {
  const items = ways.items();
  return createViewer({
    title: "Conversation",
    count: () => items.length,
    piece: (index, width) => {
      const item = items[index];
      if (item === undefined) return [];
      const lines = itemLines(item, ways.view(width));
      return gapBefore(items[index - 1], item) ? ["", ...lines] : lines;
    },
    search: (index) => {
      const item = items[index];
      return item.kind === "call"
        ? `${item.name} ${JSON.stringify(item.args ?? "")} ${item.result}`
        : item.kind === "shell"
        ? `${item.command} ${item.output}`
        : item.text;
    },
    from: "end",
    close,
    changed: ways.changed,
    theme: ways.theme,
  });
}
