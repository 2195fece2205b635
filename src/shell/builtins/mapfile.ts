/** `mapfile`, `readarray`: lines into an array. */
import type { Run } from "../expand/config.ts";
import { decodeBytes } from "../../lib/text/bytes.ts";
import { ASSOC, IndexedArray, READONLY } from "../expand/variable.ts";
import { isRun } from "../run/process.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { badOption, isName } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";

const USAGE =
  "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]";

export const mapfile: LanguageBuiltin = {
  name: "mapfile",
  run: (sh, args, call) => run(sh, args, call.name),
};
export const readarray: LanguageBuiltin = {
  name: "readarray",
  run: (sh, args, call) => run(sh, args, call.name),
};

function* run(sh: Shell, args: readonly string[], name: string): Run<number> {
  const o = parseOptions(args, "d:n:O:s:tu:C:c:");
  if (o.bad !== undefined) return badOption(sh, name, o.bad, USAGE.replace("mapfile", name));
  const target = o.rest[0] ?? "MAPFILE";
  if (!isName(target)) {
    sh.warn(`${name}: \`${target}': not a valid identifier`);
    return 1;
  }
  const numbers: Record<string, number> = {};
  for (const key of ["n", "O", "s", "u", "c"]) {
    const text = o.values.get(key);
    if (text === undefined) continue;
    if (!/^[0-9]+$/.test(text)) {
      sh.warn(
        `${name}: ${text}: invalid ${
          key === "O"
            ? "array origin"
            : key === "u"
            ? "file descriptor specification"
            : key === "c"
            ? "callback quantum"
            : "line count"
        }`,
      );
      return 1;
    }
    numbers[key] = Number(text);
  }
  const input = sh.fd(numbers.u ?? 0);
  if (input === undefined) {
    sh.warn(`${name}: ${numbers.u ?? 0}: invalid file descriptor: Bad file descriptor`);
    return 1;
  }
  const existing = sh.vars.get(target);
  if (existing !== undefined && (existing.value instanceof Map || (existing.flags & ASSOC) !== 0)) {
    sh.warn(`${name}: ${target}: not an indexed array`);
    return 1;
  }
  if (existing !== undefined && (existing.flags & READONLY) !== 0) {
    sh.warn(`${target}: readonly variable`);
    return 1;
  }
  const given = o.values.get("d");
  const delimiter = given === undefined ? 10 : given === "" ? 0 : given.charCodeAt(0) & 0xff;
  const array = o.values.has("O") && existing?.value instanceof IndexedArray
    ? existing.value.clone()
    : new IndexedArray();
  let at = numbers.O ?? 0;
  let skip = numbers.s ?? 0;
  const limit = numbers.n ?? 0;
  let taken = 0;
  let pending: number[] = [];
  const chunk = new Uint8Array(1 << 14);
  const callback = o.values.get("C");
  const quantum = numbers.c ?? 5000;
  if (callback !== undefined) sh.vars.setValue(target, array);
  const add = function* (line: number[], ended: boolean): Run<void> {
    if (skip > 0) {
      skip--;
      return;
    }
    // A NUL ends the text, as in C.
    const nul = line.indexOf(0);
    const text = decodeBytes(Uint8Array.from(nul === -1 ? line : line.slice(0, nul))) +
      (ended && !o.flags.has("t") && delimiter !== 0 ? String.fromCharCode(delimiter) : "");
    if (callback !== undefined && (taken + 1) % quantum === 0) {
      const step = sh.exec.text(sh, `${callback} ${at} '${text.replaceAll("'", "'\\''")}'`, {
        label: "mapfile",
        line: sh.line,
      });
      if (isRun(step)) yield* step;
    }
    array.set(at++, text);
    taken++;
  };
  read: for (;;) {
    const step = input.read(chunk);
    const n = step instanceof Promise ? (yield step) as number : step;
    if (n === 0) {
      if (pending.length > 0) yield* add(pending, false);
      break;
    }
    for (let i = 0; i < n; i++) {
      const b = chunk[i];
      if (b !== delimiter) {
        pending.push(b);
        continue;
      }
      yield* add(pending, true);
      pending = [];
      if (limit > 0 && taken >= limit) {
        input.unread(chunk.subarray(i + 1, n));
        break read;
      }
    }
    sh.poll();
  }
  sh.vars.setValue(target, array);
  return 0;
}
