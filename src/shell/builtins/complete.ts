/** `compgen`, `complete`, `compopt`: without a terminal only `compgen` does something. */
import { SIGNALS } from "../../lib/signals.ts";
import type { Run } from "../expand/config.ts";
import { expandGlob } from "../expand/glob.ts";
import { compilePattern, escapePattern } from "../expand/pattern.ts";
import { EXPORT, IndexedArray } from "../expand/variable.ts";
import { isRun } from "../run/process.ts";
import { SET_OPTIONS, SHOPT_OPTIONS } from "../run/options.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { KEYWORDS } from "./shared/keywords.ts";
import { parseOptions } from "./shared/options.ts";

const SPEC = "abcdefgjksuvo:A:G:W:F:C:X:P:S:V:";

function* words(sh: Shell, o: ReturnType<typeof parseOptions>, word: string): Run<string[]> {
  const out: string[] = [];
  const kinds = new Set<string>();
  const short: Record<string, string> = {
    a: "alias",
    b: "builtin",
    c: "command",
    d: "directory",
    e: "export",
    f: "file",
    g: "group",
    j: "job",
    k: "keyword",
    s: "service",
    u: "user",
    v: "variable",
  };
  for (const f of o.flags) if (short[f] !== undefined) kinds.add(short[f]);
  const action = o.values.get("A");
  if (action !== undefined) kinds.add(action);
  const take = (names: Iterable<string>) => {
    for (const n of [...names].sort()) if (n.startsWith(word)) out.push(n);
  };
  const arrays = (test: (name: string) => boolean) => sh.vars.names().filter(test);
  for (const kind of kinds) {
    switch (kind) {
      case "alias":
        take(sh.aliases.keys());
        break;
      case "builtin":
        take(sh.session.builtins.keys());
        break;
      case "command":
        take(KEYWORDS);
        take(sh.aliases.keys());
        take(sh.session.builtins.keys());
        take(sh.functions.keys());
        take(sh.session.utilities.keys());
        break;
      case "function":
        take(sh.functions.keys());
        break;
      case "keyword":
        take(KEYWORDS);
        break;
      case "variable":
        take(sh.vars.names());
        break;
      case "export":
        take(arrays((n) => ((sh.vars.raw(n)?.flags ?? 0) & EXPORT) !== 0));
        break;
      case "arrayvar":
        take(arrays((n) => sh.vars.raw(n)?.value instanceof IndexedArray));
        break;
      case "setopt":
        take(SET_OPTIONS.map(([n]) => n));
        break;
      case "shopt":
        take(SHOPT_OPTIONS.map(([n]) => n));
        break;
      case "signal":
        take(Object.keys(SIGNALS).map((n) => "SIG" + n));
        break;
      case "helptopic":
        take([...sh.session.builtins.keys(), ...KEYWORDS]);
        break;
      case "user":
        take([sh.host.user.name]);
        break;
      case "directory":
      case "file":
        out.push(...expandGlob(sh, escapePattern(word) + "*").filter((p) => kind === "file" || isDir(sh, p)));
        break;
    }
  }
  const list = o.values.get("W");
  if (list !== undefined) {
    const step = sh.expander.fields([{
      parts: [{ kind: "lit", text: "" }],
      text: "",
      line: sh.line,
      plain: "",
    }]);
    if (isRun(step)) yield* step;
    const ifs = sh.ifs ?? " \t\n";
    const text = sh.prompt(list);
    for (const w of text.split(ifs === "" ? "\0" : new RegExp(`[${ifs.replace(/[\]\\^-]/g, "\\$&")}]+`))) {
      if (w !== "" && w.startsWith(word)) out.push(w);
    }
  }
  const glob = o.values.get("G");
  if (glob !== undefined) out.push(...expandGlob(sh, glob));
  const fn = o.values.get("F");
  if (fn !== undefined && sh.functions.has(fn)) {
    sh.vars.unset("COMPREPLY");
    const step = sh.exec.invoke(sh, [fn, "compgen", word, ""], { functions: true, builtins: true });
    if (isRun(step)) yield* step;
    const reply = sh.vars.get("COMPREPLY")?.value;
    if (reply instanceof IndexedArray) out.push(...reply.values());
  }
  const filter = o.values.get("X");
  let result = out;
  if (filter !== undefined) {
    const keep = filter.startsWith("!");
    const pattern = compilePattern((keep ? filter.slice(1) : filter).replaceAll("&", word), true);
    result = result.filter((w) => pattern.matches(w) === keep);
  }
  return result.map((w) => (o.values.get("P") ?? "") + w + (o.values.get("S") ?? ""));
}

function isDir(sh: Shell, path: string): boolean {
  try {
    return sh.fs.stat(sh.absolute(path)).kind === "dir";
  } catch {
    return false;
  }
}

const ACTIONS = new Set(
  "alias arrayvar binding builtin command directory disabled enabled export file function group helptopic hostname job keyword running service setopt shopt signal stopped user variable"
    .split(" "),
);

export const compgen: LanguageBuiltin = {
  name: "compgen",
  *run(sh, args): Run<number> {
    const o = parseOptions(args, SPEC);
    if (o.bad !== undefined) {
      sh.warn(`compgen: ${o.bad}: invalid option`);
      sh.writeError(
        "compgen: usage: compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]\n",
      );
      return 2;
    }
    const action = o.values.get("A");
    if (action !== undefined && !ACTIONS.has(action)) {
      sh.warn(`compgen: ${action}: invalid action name`);
      return 2;
    }
    const found = yield* words(sh, o, o.rest[0] ?? "");
    if (found.length === 0) return 1;
    const later = sh.print(found.map((w) => w + "\n").join(""));
    if (later instanceof Promise) yield later;
    return 0;
  },
};

export const complete: LanguageBuiltin = { name: "complete", run: () => 0 };
export const compopt: LanguageBuiltin = {
  name: "compopt",
  run(sh) {
    sh.warn("compopt: not currently executing completion function");
    return 1;
  },
};
