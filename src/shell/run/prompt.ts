/** Prompt strings: the backslash sequences of PS1, PS4, `${v@P}`, then parameter expansion. */
import { makeWord, Parser, readParts, ShellSyntaxError, type Word } from "../syntax/mod.ts";
import { abandon, begin, isRun } from "./process.ts";
import { ExpansionError } from "../expand/config.ts";
import { strftime } from "./strftime.ts";
import type { Shell } from "./shell.ts";

export function promptText(sh: Shell, text: string): string {
  const decoded = text.includes("\\") ? sequences(sh, text) : text;
  if (!sh.options.promptvars || !/[$`\\]/.test(decoded)) return decoded;
  try {
    const ctx = new Parser(decoded, { line: sh.line }).words;
    const parts = readParts(ctx, {
      quoted: true,
      single: false,
      double: false,
      stop: "",
      meta: false,
      heredoc: true,
    });
    const step = begin(sh.expander.quotedText(makeWord([{ kind: "dquote", parts }], decoded, sh.line)));
    // What would have to wait is not run for a prompt.
    if (!isRun(step)) return step;
    abandon(step);
    return decoded;
  } catch (error) {
    if (error instanceof ShellSyntaxError) return decoded;
    throw error;
  }
}

/** The value of a text as a word: a subscript that a variable or an argument holds. */
export function wordText(sh: Shell, text: string): string {
  const step = begin(sh.expander.text(wordOf(sh, text)));
  if (!isRun(step)) return step;
  abandon(step);
  throw new ExpansionError(`${text}: cannot wait for a command here`);
}

/** Throws what an expansion fails with: the text is met while the program runs. */
function wordOf(sh: Shell, text: string): Word {
  try {
    const ctx = new Parser(text, { line: sh.line }).words;
    const parts = readParts(ctx, {
      quoted: false,
      single: true,
      double: true,
      stop: "",
      meta: false,
      arith: true,
    });
    return makeWord(parts, text, sh.line);
  } catch (error) {
    if (error instanceof ShellSyntaxError) throw new ExpansionError(error.message);
    throw error;
  }
}

function sequences(sh: Shell, text: string): string {
  const now = new Date(sh.host.now());
  const two = (n: number) => String(n).padStart(2, "0");
  // What is put in is not expanded again.
  const value = (text: string) => sh.options.promptvars ? text.replace(/[\\$`]/g, "\\$&") : text;
  const home = sh.vars.text("HOME");
  const cwd = home !== undefined && home !== "/" && (sh.cwd === home || sh.cwd.startsWith(home + "/"))
    ? "~" + sh.cwd.slice(home.length)
    : sh.cwd;
  return text.replace(/\\(D\{[^}]*\}|[0-7]{1,3}|[\s\S])/g, (all, c: string) => {
    switch (c[0]) {
      case "a":
        return "\x07";
      case "d":
        return now.toDateString().slice(0, 10);
      case "e":
        return "\x1b";
      case "h":
        return sh.host.hostname.split(".")[0];
      case "H":
        return sh.host.hostname;
      case "j":
        return String(sh.jobs.running.length);
      case "l":
        return "tty";
      case "n":
        return "\n";
      case "r":
        return "\r";
      case "s":
        return sh.name0.split("/").pop()!;
      case "t":
        return `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
      case "T":
        return `${two(now.getHours() % 12 || 12)}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
      case "@":
        return `${two(now.getHours() % 12 || 12)}:${two(now.getMinutes())} ${
          now.getHours() < 12 ? "AM" : "PM"
        }`;
      case "A":
        return `${two(now.getHours())}:${two(now.getMinutes())}`;
      case "D":
        return c.length > 1
          ? value(strftime(c.slice(2, -1) || "%X", Math.floor(sh.host.now() / 1000), sh.vars.text("TZ")))
          : all;
      case "u":
        return sh.host.user.name;
      case "v":
        return "5.2";
      case "V":
        return "5.2.15";
      case "w":
        return value(cwd);
      case "W":
        return cwd === "/" ? "/" : value(cwd.split("/").pop()!);
      case "!":
      case "#":
        return "1";
      case "$":
        return sh.host.user.uid === 0 ? "#" : "$";
      case "\\":
        return "\\";
      case "[":
      case "]":
        return "";
    }
    if (/^[0-7]/.test(c)) return String.fromCharCode(parseInt(c, 8) & 0xff);
    return all;
  });
}
