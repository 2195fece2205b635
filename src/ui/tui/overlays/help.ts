/** The keys and commands, to read. */
import { type Command, hintOf } from "../../../commands/mod.ts";
import { cells, fitCells } from "../../../lib/text/width.ts";
import { type Keymap, shown } from "../keymap.ts";
import type { FullPanel } from "../screen.ts";
import type { Theme } from "../theme.ts";
import { createViewer } from "./viewer.ts";

interface HelpWays {
  readonly keymap: Keymap;
  theme(): Theme;
  changed(): void;
  commands(): readonly Command[];
}

export function helpPanel(ways: HelpWays, close: () => void): FullPanel {
  return createViewer({
    title: "Help",
    count: () => 1,
    piece: (_, width) => helpLines(ways, width, ways.theme()),
    search: () => "",
    from: "top",
    close,
    changed: ways.changed,
    theme: ways.theme,
  });
}

function helpLines({ keymap, commands }: HelpWays, width: number, theme: Theme): string[] {
  const rows = (pairs: readonly (readonly [string, string])[]) => {
    const left = Math.min(Math.floor(width * 0.4), Math.max(...pairs.map(([text]) => cells(text))) + 2);
    return pairs.map(([a, b]) => {
      const first = fitCells(a, left - 1);
      return `${theme.paint("accent", first)}${" ".repeat(left - cells(first))}${fitCells(b, width - left)}`;
    });
  };
  return [
    ...rows([
      ["@ and letters", "a file of the workspace; images are handed over"],
      ["/ and letters", "a command"],
      ["! command", "runs it in your shell; the model is told with the next message"],
      ["!! command", "the same, and the model is not told"],
    ]),
    "",
    theme.bold("Keys"),
    ...rows(keymap.rows.map(({ keys, help }) => [keys.map(shown).join(" "), help] as const)),
    "",
    theme.bold("Commands"),
    ...rows(
      commands().map((command) => [`/${command.name} ${hintOf(command)}`.trim(), command.summary] as const),
    ),
  ];
}
