import { SIGNALS } from "../../lib/signals.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { functionDepth } from "../run/traps.ts";
import { plainQuote } from "../expand/quote.ts";
import { parseOptions } from "./shared/options.ts";
import { printed } from "./shared/print.ts";
import { listSignals, signalName } from "./shared/signals.ts";
import { badOption } from "./shared/errors.ts";

const USAGE = "trap [-lp] [[arg] signal_spec ...]";

/** `trap [-lp] [action] [signal …]` */
export const trap: LanguageBuiltin = {
  name: "trap",
  special: true,
  run(sh, args) {
    const o = parseOptions(args, "lp");
    if (o.bad !== undefined) return badOption(sh, "trap", o.bad, USAGE);
    if (o.flags.has("l")) return printed(sh, listSignals());
    if (o.flags.has("p") || o.rest.length === 0) return show(sh, o.rest);
    let [action, ...names] = o.rest as [string, ...string[]];
    let remove = action === "-";
    if (names.length === 0) {
      if (trapName(action) === undefined) {
        sh.writeError(`trap: usage: ${USAGE}\n`);
        return 2;
      }
      names = [action];
      remove = true;
    } else if (/^[0-9]+$/.test(action) && trapName(action) !== undefined) {
      names = [action, ...names];
      remove = true;
    }
    let status = 0;
    const traps = new Map(sh.traps);
    for (const given of names) {
      const name = trapName(given);
      if (name === undefined) {
        sh.warn(`trap: ${given}: invalid signal specification`);
        status = 1;
        continue;
      }
      if (sh.ignoredForGood.has(name)) continue;
      if (remove) traps.delete(name);
      else if (name !== "KILL" && name !== "STOP") {
        traps.set(name, action);
        if (name === "ERR" || name === "DEBUG" || name === "RETURN") {
          sh.trapDepth = { ...sh.trapDepth, [name]: functionDepth(sh) };
        }
      }
    }
    sh.traps = traps;
    sh.inheritedTraps = new Map();
    action = "";
    sh.session.watchSignals?.(traps, sh);
    return status;
  },
};

function trapName(given: string): string | undefined {
  const upper = given.toUpperCase().replace(/^SIG(?=[A-Z])/, "");
  if (given === "0" || upper === "EXIT") return "EXIT";
  if (upper === "ERR" || upper === "DEBUG" || upper === "RETURN") return upper;
  return signalName(given);
}

function order(name: string): number {
  if (name === "EXIT") return 0;
  const n = SIGNALS[name];
  return n ?? { DEBUG: 65, ERR: 66, RETURN: 67 }[name] ?? 99;
}

function show(sh: Shell, names: readonly string[]): number | Promise<number> {
  const all = sh.inheritedTraps.size > 0 ? new Map([...sh.inheritedTraps, ...sh.traps]) : sh.traps;
  let status = 0;
  const wanted = names.length === 0 ? [...all.keys()] : names.flatMap((n) => {
    const name = trapName(n);
    if (name === undefined) {
      sh.warn(`trap: ${n}: invalid signal specification`);
      status = 1;
    }
    return name === undefined ? [] : [name];
  });
  // Those that were asked for are shown in that order.
  if (names.length === 0) wanted.sort((a, b) => order(a) - order(b));
  const text = wanted.filter((n) => all.has(n)).map((n) => {
    const shown = n === "EXIT" || n === "ERR" || n === "DEBUG" || n === "RETURN" || sh.options.posix
      ? n
      : "SIG" + n;
    return `trap -- ${plainQuote(all.get(n)!)} ${shown}\n`;
  }).join("");
  return printed(sh, text, status);
}
