/** truncate: makes files as long as asked. */
import type { UtilityContext } from "../builtin.ts";
import type { HostFile } from "../host.ts";
import { multiplier } from "./shared/numbers.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain, hasCode, quote, reason } from "./shared/report.ts";

const TABLE = {
  options: ["c|no-create", "r|reference=", "s|size="],
  unsupported: ["o|io-blocks"],
  usage: "OPTION... FILE...",
};

/** How a size is to be understood: as it is, or beside the present one. */
type Mode = "" | "+" | "-" | "<" | ">" | "/" | "%";

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const text = options.value("s");
  const reference = options.value("r");
  const [mode, amount] = text === undefined ? ["" as Mode, 0] : parse(text);
  if (text === undefined && reference === undefined) {
    throw new UsageError(`you must specify either ${cite("--size")} or ${cite("--reference")}`);
  }
  if (reference !== undefined && text !== undefined && mode === "") {
    throw new UsageError(`you must specify a relative ${cite("--size")} with ${cite("--reference")}`);
  }
  if (options.operands.length === 0) throw new UsageError("missing file operand");
  let base: number | undefined;
  if (reference !== undefined) {
    try {
      base = context.fs.stat(context.path(reference)).size;
    } catch (error) {
      throw new Failure(`cannot stat ${quote(reference)}: ${reason(error)}`);
    }
  }
  let status = 0;
  for (const name of options.operands) {
    context.poll();
    let file: HostFile;
    try {
      file = await context.fs.open(context.path(name), {
        write: true,
        create: !options.has("c"),
        mode: 0o666 & ~context.umask,
      });
    } catch (error) {
      if (options.has("c") && hasCode(error, "ENOENT")) continue;
      await complain(context, `cannot open ${quote(name)} for writing: ${reason(error)}`);
      status = 1;
      continue;
    }
    let size = amount;
    try {
      const old = base ?? (mode === "" ? 0 : file.stat().size);
      size = text === undefined ? old : sizeFor(mode, amount, old);
      file.truncate(size);
    } catch (error) {
      await complain(context, `failed to truncate ${quote(name)} at ${size} bytes: ${reason(error)}`);
      status = 1;
    } finally {
      file.close();
    }
  }
  return status;
}

function parse(text: string): [Mode, number] {
  const match = /^\s*([<>/%]?)\s*([-+]?)(\d*)([a-zA-Z]*)$/.exec(text);
  const [, modifier = "", sign = "", digits = "", suffix = ""] = match ?? [];
  if (modifier !== "" && sign !== "") throw new UsageError("multiple relative modifiers specified");
  const factor = /^[bcw]$/.test(suffix)
    ? undefined
    : multiplier(suffix.replace(/^[gt]/, (c) => c.toUpperCase()));
  if (!match || factor === undefined || (digits === "" && suffix === "")) {
    throw new Failure(`Invalid number: ${cite(text.replace(/^\s*[<>/%]/, ""))}`);
  }
  const amount = (digits === "" ? 1 : Number(digits)) * factor;
  if (!Number.isSafeInteger(amount)) {
    throw new Failure(`Invalid number: ${cite(text)}: Value too large for defined data type`);
  }
  if (amount === 0 && (modifier === "/" || modifier === "%")) throw new Failure("division by zero");
  return [(modifier || sign) as Mode, amount];
}

function sizeFor(mode: Mode, amount: number, old: number): number {
  switch (mode) {
    case "":
      return amount;
    case "+":
      return old + amount;
    case "-":
      return Math.max(0, old - amount);
    case "<":
      return Math.min(old, amount);
    case ">":
      return Math.max(old, amount);
    case "/":
      return Math.floor(old / amount) * amount;
    case "%":
      return Math.ceil(old / amount) * amount;
  }
}
