/**
 * Editors that take a whole screen. Without a terminal some of them wait for
 * keys from wherever they can read, their error output even, and nobody can
 * press any: they are told off at once, with what does the same without one.
 */
import { type Description, NullDescription } from "./fds.ts";

const SCREEN = new Set(
  "vi vim view vimdiff nvim nano rnano pico emacs joe jed mcedit micro hx helix kak ne".split(" "),
);

/** Options with which they do what they are told and end; `+12` only says where to begin. */
const BATCH =
  /^(?:\+(?!\d*$)|-[ceEsS]|-es$|-Es$|--(?:cmd|headless|batch|script|eval|version|help)\b|-batch$|-script$|-[hV]$)/;

/** Why it cannot work here; undefined where it can. `stdin`: keys may come from what it reads. */
export function needsScreen(argv: readonly string[], stdin: Description | undefined): string | undefined {
  const name = argv[0].slice(argv[0].lastIndexOf("/") + 1);
  const keys = stdin !== undefined && !(stdin instanceof NullDescription) && !stdin.terminal;
  if (!SCREEN.has(name) || keys || argv.slice(1).some((arg) => BATCH.test(arg))) return undefined;
  return "this editor needs a terminal, and there is none here: sed -i, a here-document or ed with a script change files without one";
}
