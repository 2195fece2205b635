/** env: shows the environment, or runs a command with a changed one. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite, localized } from "./shared/report.ts";

const TABLE = {
  options: ["i|ignore-environment", "u|unset=", "0|null", "C|chdir=", "S|split-string=", "v|debug"],
  unsupported: ["block-signal=?", "default-signal=?", "ignore-signal=?", "list-signal-handling"],
  stopAtOperand: true,
  usageStatus: 125,
  usage: "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE, splitStrings(context.args));
  const operands = [...options.operands];
  let env = new Map(context.env);
  if (operands[0] === "-") operands.shift();
  if (options.has("i") || options.operands[0] === "-") env = new Map();
  for (const name of options.values("u")) {
    if (name === "" || name.includes("=")) {
      throw new UsageError(`cannot unset ${cite(name)}: Invalid argument`, 125, false);
    }
    env.delete(name);
  }
  while (operands.length > 0 && operands[0].includes("=")) {
    const [name, value] = split(operands.shift()!);
    if (name === "") throw new UsageError(`cannot set ${cite("=" + value)}: Invalid argument`, 125, false);
    env.set(name, value);
  }
  if (operands.length > 0) {
    if (options.has("0")) throw new UsageError("cannot specify --null (-0) with command", 125);
    const folder = options.value("C");
    return await context.run(operands, {
      env,
      missing: (why) => localized(context, `${context.name}: ${cite(operands[0])}: ${why}`),
      ...(folder === undefined ? {} : { cwd: context.path(folder) }),
    });
  }
  if (options.has("C")) throw new UsageError("must specify command with --chdir (-C)", 125);
  const end = options.has("0") ? "\0" : "\n";
  for (const [name, value] of env) await context.stdout.print(`${name}=${value}${end}`);
  return 0;
}

function split(text: string): [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Replaces `-S "a b"` (and `-S` in a first argument, as in scripts' first lines) by its words. */
function splitStrings(args: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const match = /^(?:-([iv0]*)S|--split-string=?)([^]*)$/.exec(args[i]);
    if (!match || out.some((arg) => !arg.startsWith("-"))) {
      out.push(args[i]);
      continue;
    }
    if (match[1]) out.push(`-${match[1]}`);
    const text = match[2] !== "" ? match[2] : args[++i] ?? "";
    for (const word of text.matchAll(/(?:[^\s'"\\]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*")+/g)) {
      out.push(
        word[0].replace(
          /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])/g,
          (_, single, double, char) => single ?? (double ?? char).replace(/\\(["\\$])/g, "$1"),
        ),
      );
    }
  }
  return out;
}
