import type { LanguageBuiltin } from "../run/shell.ts";
import { badOption } from "./shared/errors.ts";
import { printed } from "./shared/print.ts";

const LIMITS: readonly (readonly [letter: string, description: string, unit: string, value: string])[] = [
  ["R", "real-time non-blocking time", "microseconds, -R", "unlimited"],
  ["c", "core file size", "blocks, -c", "0"],
  ["d", "data seg size", "kbytes, -d", "unlimited"],
  ["e", "scheduling priority", "-e", "0"],
  ["f", "file size", "blocks, -f", "unlimited"],
  ["i", "pending signals", "-i", "unlimited"],
  ["l", "max locked memory", "kbytes, -l", "64"],
  ["m", "max memory size", "kbytes, -m", "unlimited"],
  ["n", "open files", "-n", "1024"],
  ["p", "pipe size", "512 bytes, -p", "8"],
  ["q", "POSIX message queues", "bytes, -q", "819200"],
  ["r", "real-time priority", "-r", "0"],
  ["s", "stack size", "kbytes, -s", "8192"],
  ["t", "cpu time", "seconds, -t", "unlimited"],
  ["u", "max user processes", "-u", "unlimited"],
  ["v", "virtual memory", "kbytes, -v", "unlimited"],
  ["x", "file locks", "-x", "unlimited"],
];

/** Hard limits that are not the same as the soft ones. */
const HARD: Readonly<Record<string, string>> = { c: "unlimited", n: "1048576", s: "unlimited" };
/** Bytes in the unit a limit is given in. */
const BLOCKS: Readonly<Record<string, bigint>> = {
  c: 1024n,
  d: 1024n,
  f: 1024n,
  l: 1024n,
  m: 1024n,
  p: 512n,
  s: 1024n,
  v: 1024n,
};

/** `ulimit`: shows usual limits; the shell's own process has none of its own to set, so a new value is kept for show only. */
export const ulimit: LanguageBuiltin = {
  name: "ulimit",
  run(sh, args) {
    let letter = "f";
    let all = false;
    let soft = false;
    let hard = false;
    let value: string | undefined;
    for (const a of args) {
      if (/^-[A-Za-z]+$/.test(a)) {
        for (const c of a.slice(1)) {
          if (c === "a") all = true;
          else if (c === "S") soft = true;
          else if (c === "H") hard = true;
          else if (!LIMITS.some(([l]) => l === c)) {
            return badOption(sh, "ulimit", "-" + c, "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]");
          } else letter = c;
        }
      } else value = a;
    }
    const limits = sh.session.ulimits;
    const current = (l: string, which = hard && !soft) =>
      (which ? limits.get("H" + l) ?? HARD[l] : limits.get(l)) ?? LIMITS.find(([k]) => k === l)![3];
    if (all) {
      return printed(
        sh,
        LIMITS.map(([l, text, unit]) =>
          `${text.padEnd(30)}(${unit}) ${current(l)}`.replace(
            /^(.{0,30}?)\s*\(([^)]*)\) /,
            (_, t: string, u: string) => `${t.trimEnd().padEnd(28)}${`(${u})`.padStart(20)} `,
          ) + "\n"
        ).join(""),
      );
    }
    if (value === undefined) return printed(sh, current(letter) + "\n");
    if (value !== "unlimited" && value !== "hard" && value !== "soft" && !/^[0-9]+$/.test(value)) {
      sh.warn(`ulimit: ${value}: invalid number`);
      return 1;
    }
    const wanted = value === "hard" || value === "soft" ? current(letter, value === "hard") : value;
    if (wanted !== "unlimited" && BigInt(wanted) * (BLOCKS[letter] ?? 1n) >= 1n << 63n) {
      sh.warn(`ulimit: ${value}: limit out of range`);
      return 1;
    }
    // Without a letter for it both limits are set.
    const both = soft === hard;
    const number = (text: string) => text === "unlimited" ? Infinity : Number(text);
    const why = (both || hard) && number(wanted) > number(current(letter, true)) && sh.host.user.uid !== 0
      ? "Operation not permitted"
      : both
      ? undefined
      : number(hard ? current(letter, false) : wanted) > number(hard ? wanted : current(letter, true))
      ? "Invalid argument"
      : undefined;
    if (why !== undefined) {
      sh.warn(`ulimit: ${LIMITS.find(([l]) => l === letter)![1]}: cannot modify limit: ${why}`);
      return 1;
    }
    if (both || soft) limits.set(letter, wanted);
    if (both || hard) limits.set("H" + letter, wanted);
    return 0;
  },
};
