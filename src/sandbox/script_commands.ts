/**
 * The commands that a script's text names, without running it: for a text that
 * a foreign shell is to run (`zsh -c '…'`), and for an explanation beforehand.
 * What our own shell runs needs none of this: there each command is judged as
 * it comes. Only commands count: text in quotes, comments and quoted documents
 * names none.
 */
// The grammar alone: the shell's door would load the whole interpreter.
import { parse } from "../shell/syntax/mod.ts";
import type { Part, Redirect, Simple, Word } from "../shell/syntax/mod.ts";
import { isListed, kindAtAll, kindFor } from "./variables.ts";

interface ScriptCommands {
  /** Words of each simple command, as far as they are known: up to the first that only running it tells. */
  readonly vectors: readonly (readonly string[])[];
  /** Those of them that are cut short. */
  readonly cut: ReadonlySet<readonly string[]>;
  /** Files that redirections write, as written. */
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  /** Something in it is known only when it runs, or it cannot be read at all. */
  readonly unclear: boolean;
}

const NESTING = 6;

/** Commands whose words are a script themselves. */
const TEXT_RUNNERS = new Set(["eval", "trap"]);
/** Commands that give variables to all that comes later. */
const ASSIGNERS = new Set(["export", "declare", "typeset", "readonly", "local"]);
/** Commands that run a file's text. */
const FILE_RUNNERS = new Set(["source", "."]);

/** Reads a script. Never throws. */
export function scriptCommands(text: string, depth = 0): ScriptCommands {
  const vectors: (readonly string[])[] = [];
  const cut = new Set<readonly string[]>();
  const writes: string[] = [];
  const reads: string[] = [];
  let unclear = false;

  function inner(source: string): void {
    if (depth >= NESTING) {
      unclear = true;
      return;
    }
    const found = scriptCommands(source, depth + 1);
    vectors.push(...found.vectors);
    found.cut.forEach((argv) => cut.add(argv));
    writes.push(...found.writes);
    reads.push(...found.reads);
    unclear ||= found.unclear;
  }

  function simple(command: Simple): void {
    const argv: string[] = [];
    let whole = true;
    for (const word of command.words) {
      const value = known(word);
      if (value === undefined) {
        whole = false;
        unclear = true;
        break;
      }
      argv.push(value);
    }
    const lasting = ASSIGNERS.has(argv[0] ?? "export");
    for (const { name, value } of command.assigns) {
      assigned(name, value && known(value), lasting ? undefined : argv[0]);
    }
    if (argv.length === 0) return;
    if (lasting) {
      for (const word of command.words) {
        const text = known(word) ?? "";
        const equals = text.indexOf("=");
        if (word.assign) assigned(word.assign.name, word.assign.value && known(word.assign.value), undefined);
        else if (equals > 0) assigned(text.slice(0, equals), text.slice(equals + 1), undefined);
      }
    }
    vectors.push(argv);
    if (!whole) cut.add(argv);
    if (FILE_RUNNERS.has(argv[0])) unclear = true;
    if (!TEXT_RUNNERS.has(argv[0]) || !whole) return;
    inner(argv[0] === "eval" ? argv.slice(1).join(" ") : argv.find((arg, i) => i > 0 && arg !== "--") ?? "");
  }

  /** `program`: the one command that it is for; without one it may be for any. */
  function assigned(name: string, value: string | undefined, program: string | undefined): void {
    if (!isListed(name)) return;
    if (value === undefined) {
      unclear = true;
      return;
    }
    const kind = program === undefined
      ? kindAtAll({ name, value })
      : kindFor({ name, value }, [program.slice(program.lastIndexOf("/") + 1)]);
    if (kind === "command") inner(value);
    else if (kind !== undefined && kind !== "search") unclear = true;
  }

  function redirect({ op, target }: Redirect): void {
    if (op === "<<" || op === "<<-" || op === "<<<" || op === "<&") return;
    const path = known(target);
    if (path === undefined) unclear = true;
    else if (op === ">&" && /^(\d+|-)$/.test(path)) return;
    else (op === "<" ? reads : writes).push(path);
  }

  function visit(node: unknown): void {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    const record = node as Record<string, unknown>;
    if (record.kind === "simple") simple(node as Simple);
    if (record.kind === "command" && record.body === undefined) inner(String(record.source));
    if ("op" in record && "target" in record) redirect(node as Redirect);
    for (const [name, value] of Object.entries(record)) if (name !== "memo") visit(value);
  }

  try {
    visit(parse(text));
  } catch {
    // Not a text that this grammar reads: whoever runs it may read it otherwise.
    unclear = true;
  }
  return { vectors, cut, writes, reads, unclear };
}

/** The value of a word that no expansion changes; patterns count as they stand. */
function known(word: Word): string | undefined {
  return word.plain ?? joined(word.parts);
}

function joined(parts: readonly Part[]): string | undefined {
  let text = "";
  for (const part of parts) {
    const value = part.kind === "lit" || part.kind === "quoted"
      ? part.text
      : part.kind === "dquote"
      ? joined(part.parts)
      : undefined;
    if (value === undefined) return undefined;
    text += value;
  }
  // Braces become several words.
  return parts.some((part) => part.kind === "lit" && part.text.includes("{")) &&
      /\{.*(,|\.\.).*\}/s.test(text)
    ? undefined
    : text;
}
