/** `read [-ers] [-a array] [-d delim] [-n count] [-N count] [-p prompt] [-t timeout] [-u fd] [name …]` */
import type { Run } from "../expand/config.ts";
import { ExpansionError } from "../expand/config.ts";
import { IndexedArray } from "../expand/variable.ts";
import { HostError } from "../host.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { badOption } from "./shared/errors.ts";
import { LineReader } from "./shared/lines.ts";
import { parseOptions } from "./shared/options.ts";

const USAGE =
  "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]";

export const read: LanguageBuiltin = { name: "read", run: (sh, args) => run(sh, args) };

function* run(sh: Shell, args: readonly string[]): Run<number> {
  const o = parseOptions(args, "ersa:d:i:n:N:p:t:u:");
  if (o.bad !== undefined) return badOption(sh, "read", o.bad, USAGE);
  if (o.missing !== undefined) {
    sh.warn(`read: ${o.missing}: option requires an argument`);
    sh.writeError(`read: usage: ${USAGE}\n`);
    return 2;
  }
  for (const name of o.rest) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*(\[[\s\S]*\])?$/.test(name)) {
      sh.warn(`read: \`${name}': not a valid identifier`);
      return 1;
    }
  }
  const count = number(sh, o.values.get("N") ?? o.values.get("n"), "read");
  if (count === undefined) return 1;
  const timeoutText = o.values.get("t");
  let timeout: number | undefined;
  if (timeoutText !== undefined) {
    timeout = Number(timeoutText);
    if (!/^[0-9]*\.?[0-9]+$|^[0-9]+\.$/.test(timeoutText)) {
      sh.warn(`read: ${timeoutText}: invalid timeout specification`);
      return 1;
    }
  }
  const fd = o.values.has("u") ? Number(o.values.get("u")) : 0;
  const input = Number.isInteger(fd) ? sh.fd(fd) : undefined;
  if (input === undefined) {
    sh.warn(
      o.values.has("u")
        ? `read: ${o.values.get("u")}: invalid file descriptor${
          Number.isInteger(fd) ? ": Bad file descriptor" : " specification"
        }`
        : "read: read error: 0: Bad file descriptor",
    );
    return 1;
  }
  if (o.values.has("p") && input.terminal) sh.writeError(o.values.get("p")!);
  const exact = o.flags.has("N");
  const given = o.values.get("d");
  const delimiter = exact ? -1 : given === undefined ? 10 : given === "" ? 0 : given.charCodeAt(0) & 0xff;
  let line: { text: string; escaped: boolean[] | undefined; ended: boolean } | "timeout";
  try {
    if (timeout === 0) return input.hasBack ? 0 : (yield* ready(sh, input)) ? 0 : 1;
    const reader = new LineReader(input);
    line = yield* reader.read(sh, delimiter, o.flags.has("r"), count < 0 ? undefined : count, timeout);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    sh.warn(`read: read error: ${fd}: ${error.message}`);
    return 1;
  }
  if (line === "timeout") {
    assign(sh, o.rest, o.values.get("a"), "", undefined, exact);
    return 142;
  }
  try {
    assign(sh, o.rest, o.values.get("a"), line.text, line.escaped, exact);
  } catch (error) {
    if (!(error instanceof ExpansionError)) throw error;
    sh.warn(error.message);
    return 1;
  }
  return line.ended ? 0 : 1;
}

/** Whether input is there without waiting. */
function* ready(sh: Shell, input: NonNullable<ReturnType<Shell["fd"]>>): Run<boolean> {
  const one = new Uint8Array(1);
  const n = input.read(one);
  if (n instanceof Promise) {
    const got = (yield Promise.race([n, sh.host.sleep(1).then(() => -1)])) as number;
    if (got === -1) {
      input.abandon(n, one);
      return false;
    }
    if (got > 0) input.unread(one);
    return true;
  }
  if (n > 0) input.unread(one);
  return true;
}

function number(sh: Shell, text: string | undefined, name: string): number | undefined {
  if (text === undefined) return -1;
  if (/^[0-9]+$/.test(text)) return Number(text);
  sh.warn(`${name}: ${text}: invalid number`);
  return undefined;
}

function assign(
  sh: Shell,
  names: readonly string[],
  array: string | undefined,
  text: string,
  escaped: boolean[] | undefined,
  exact: boolean,
): void {
  const ifs = sh.ifs ?? " \t\n";
  if (array !== undefined) {
    sh.vars.setValue(array, new IndexedArray(split(text, escaped, ifs, Infinity)));
    return;
  }
  if (names.length === 0) {
    set(sh, "REPLY", text);
    return;
  }
  if (exact) {
    set(sh, names[0], text);
    for (const name of names.slice(1)) set(sh, name, "");
    return;
  }
  const fields = split(text, escaped, ifs, names.length);
  names.forEach((name, i) => set(sh, name, fields[i] ?? ""));
}

function set(sh: Shell, name: string, value: string): void {
  const open = name.indexOf("[");
  if (open === -1) sh.vars.assign(name, value);
  else sh.vars.assignElementText(name.slice(0, open), name.slice(open + 1, -1), value, 0);
}

/** Splits by IFS into at most `max` fields, of which the last takes the rest. */
function split(text: string, escaped: boolean[] | undefined, ifs: string, max: number): string[] {
  const isIfs = (i: number) => !(escaped?.[i]) && ifs.includes(text[i]);
  const isSpace = (i: number) => isIfs(i) && " \t\n".includes(text[i]);
  const out: string[] = [];
  let i = 0;
  while (i < text.length && isSpace(i)) i++;
  while (i < text.length) {
    if (out.length === max - 1) {
      let end = text.length;
      while (end > i && isSpace(end - 1)) end--;
      // One delimiter at the very end belongs to the last field only where more follow it.
      let rest = text.slice(i, end);
      if (end > i && isIfs(end - 1) && !isSpace(end - 1)) {
        let other = false;
        for (let k = i; k < end - 1; k++) if (isIfs(k) && !isSpace(k)) other = true;
        let inner = false;
        for (let k = i; k < end - 1; k++) if (isSpace(k)) inner = true;
        if (!other && !inner) rest = rest.slice(0, -1);
      }
      out.push(rest);
      return out;
    }
    let end = i;
    while (end < text.length && !isIfs(end)) end++;
    out.push(text.slice(i, end));
    i = end;
    while (i < text.length && isSpace(i)) i++;
    if (i < text.length && isIfs(i)) {
      i++;
      while (i < text.length && isSpace(i)) i++;
    }
  }
  return out;
}
