import type { LanguageBuiltin } from "../run/shell.ts";
import { printed } from "./shared/print.ts";

/** `times`: processor time of the shell and of its children (which are not counted apart). */
export const times: LanguageBuiltin = {
  name: "times",
  special: true,
  run(sh) {
    const [user, system] = sh.host.cpuTimes();
    const show = (ms: number) => `${Math.floor(ms / 60000)}m${(ms % 60000 / 1000).toFixed(3)}s`;
    return printed(sh, `${show(user)} ${show(system)}\n0m0.000s 0m0.000s\n`);
  },
};
