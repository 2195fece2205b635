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

/** `ulimit`: shows usual limits; the shell's own process has none of its own to set, so a new value is kept for show only. */
export const ulimit: LanguageBuiltin = {
  name: "ulimit",
  run(sh, args) {
    let letter = "f";
    let all = false;
    let value: string | undefined;
    for (const a of args) {
      if (/^-[A-Za-z]+$/.test(a)) {
        for (const c of a.slice(1)) {
          if (c === "a") all = true;
          else if (c === "S" || c === "H") continue;
          else if (!LIMITS.some(([l]) => l === c)) {
            return badOption(sh, "ulimit", "-" + c, "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]");
          } else letter = c;
        }
      } else value = a;
    }
    const current = (l: string) => sh.session.ulimits.get(l) ?? LIMITS.find(([k]) => k === l)![3];
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
    sh.session.ulimits.set(letter, value === "hard" || value === "soft" ? current(letter) : value);
    return 0;
  },
};
