/** zgrep: grep over what gzip has packed; files that are not packed are searched as they are. */
import type { UtilityContext } from "../builtin.ts";
import { UsageError } from "./shared/options.ts";

/** Options of grep that take the next argument. */
const WITH_VALUE =
  /^-[a-zA-Z]*[efmABC]$|^--(regexp|file|max-count|context|after-context|before-context|label)$/;
const REFUSED = /^-[a-zA-Z]*[drRzZ]|^--(di|exc|inc|rec|nu)/;

export async function run(context: UtilityContext): Promise<number> {
  const options: string[] = [], operands: string[] = [];
  let patterns = false, named: boolean | undefined, list = "";
  const { args } = context;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === "--") {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (arg === "-" || !arg.startsWith("-")) {
      operands.push(arg);
      continue;
    }
    if (REFUSED.test(arg) && !/^-[efmABC]/.test(arg)) {
      await context.stderr.print(`${context.name}: ${arg}: option not supported\n`);
      return 2;
    }
    if (arg === "-H" || arg === "--with-filename") named = true;
    else if (arg === "-h" || arg === "--no-filename") named = false;
    else if (arg === "-l" || arg === "--files-with-matches") list = "l";
    else if (arg === "-L" || arg === "--files-without-match") list = "L";
    else {
      if (/^-[a-zA-Z]*[ef]|^--(regexp|file)/.test(arg)) patterns = true;
      options.push(arg);
      if (WITH_VALUE.test(arg) && i + 1 < args.length) options.push(args[++i]);
    }
  }
  if (!patterns) {
    const pattern = operands.shift();
    if (pattern === undefined) throw new UsageError("missing pattern", 2);
    options.push("-e", pattern);
  }
  const files = operands.length === 0 ? ["-"] : operands;
  named ??= files.length > 1;
  let status = 1;
  for (const file of files) {
    context.poll();
    const one = await search(context, file, [...options, ...(list ? ["-q"] : [named ? "-H" : "-h"])]);
    if (list !== "" && one === (list === "l" ? 0 : 1)) await context.stdout.print(`${file}\n`);
    // A match anywhere counts, trouble counts more.
    status = one <= 1 && status <= 1 ? Math.min(status, one) : Math.max(status, one);
  }
  return status;
}

async function search(context: UtilityContext, file: string, options: readonly string[]): Promise<number> {
  await context.stdout.flush();
  const label = file === "-" ? "(standard input)" : file;
  return await context.run([
    "bash",
    "-c",
    'file=$1; label=$2; shift 2; gzip -cdfq -- "$file" | grep --label="$label" "$@"; s=("${PIPESTATUS[@]}"); ' +
    "((s[0] == 1 && s[1] < 2)) && exit 2; exit ${s[1]}",
    "zgrep",
    file,
    label,
    ...options,
  ]);
}
