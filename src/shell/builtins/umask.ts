import type { LanguageBuiltin } from "../run/shell.ts";
import { badOption } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";
import { printed } from "./shared/print.ts";

/** `umask [-p] [-S] [mode]` */
export const umask: LanguageBuiltin = {
  name: "umask",
  run(sh, args) {
    // A mode such as `-x` is no option: only p and S are looked for.
    const o = parseOptions(args, "pS");
    if (o.bad !== undefined) return badOption(sh, "umask", o.bad, "umask [-p] [-S] [mode]");
    const mode = o.rest[0];
    if (mode === undefined) {
      const text = o.flags.has("S") ? symbolic(sh.umask) : sh.umask.toString(8).padStart(4, "0");
      return printed(sh, (o.flags.has("p") ? `umask ${o.flags.has("S") ? "-S " : ""}` : "") + text + "\n");
    }
    if (/^[0-9]/.test(mode)) {
      if (!/^[0-7]+$/.test(mode) || parseInt(mode, 8) > 0o777) {
        sh.warn(`umask: ${mode}: octal number out of range`);
        return 1;
      }
      sh.umask = parseInt(mode, 8);
      return o.flags.has("S") ? printed(sh, symbolic(sh.umask) + "\n") : 0;
    }
    const allowed = apply(~sh.umask & 0o777, mode);
    if (typeof allowed === "string") {
      sh.warn(`umask: ${allowed}`);
      return 1;
    }
    sh.umask = ~allowed & 0o777;
    return o.flags.has("S") ? printed(sh, symbolic(sh.umask) + "\n") : 0;
  },
};

function symbolic(mask: number): string {
  const letters = (shift: number) => "rwx".split("").filter((_, i) => !(mask >> shift & (4 >> i))).join("");
  return `u=${letters(6)},g=${letters(3)},o=${letters(0)}`;
}

/** A symbolic mode applied to permissions; a string says what is wrong. */
function apply(mode: number, text: string): number | string {
  for (const clause of text.split(",")) {
    const m = /^([ugoa]*)/.exec(clause)!;
    const rest = clause.slice(m[0].length);
    const who = m[1] === "" || m[1].includes("a") ? "ugo" : m[1];
    if (rest === "" || !/^[-+=]/.test(rest)) {
      return `\`${rest === "" ? "" : rest[0]}': invalid symbolic mode operator`;
    }
    const op = rest[0];
    const perms = rest.slice(1);
    const bad = /[^rwx]/.exec(perms);
    if (bad !== null) return `\`${bad[0]}': invalid symbolic mode character`;
    let bits = 0;
    for (const p of perms) bits |= p === "r" ? 4 : p === "w" ? 2 : 1;
    for (const w of who) {
      const shift = w === "u" ? 6 : w === "g" ? 3 : 0;
      if (op === "+") mode |= bits << shift;
      else if (op === "-") mode &= ~(bits << shift);
      else mode = mode & ~(7 << shift) | bits << shift;
    }
  }
  return mode;
}
