import type { LanguageBuiltin } from "../run/shell.ts";
import { nestedText } from "../run/functions.ts";
import type { Run } from "../expand/config.ts";
import type { Shell } from "../run/shell.ts";

/** `eval [arg …]` */
export const evaluates: LanguageBuiltin = {
  name: "eval",
  special: true,
  run(sh, args) {
    const from = args[0] === "--" ? 1 : 0;
    if (from === 0 && args.length > 0 && /^-./.test(args[0])) {
      sh.warn(`eval: ${args[0].slice(0, 2)}: invalid option`);
      sh.writeError("eval: usage: eval [arg ...]\n");
      return 2;
    }
    const text = args.slice(from).join(" ");
    if (text.trim() === "") return 0;
    if (sh.evalDepth >= 500) {
      sh.warn("eval: maximum eval nesting level exceeded");
      return 1;
    }
    return run(sh, text);
  },
};

function* run(sh: Shell, text: string): Run<number> {
  sh.evalDepth++;
  sh.traceDepth++;
  try {
    const { line } = sh;
    yield* nestedText(sh, sh.evalDepth, () => sh.exec.text(sh, text, { label: "eval", line }));
    return sh.status;
  } finally {
    sh.evalDepth--;
    sh.traceDepth--;
  }
}
