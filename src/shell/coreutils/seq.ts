/** seq: numbers from first to last. */
import type { UtilityContext } from "../builtin.ts";
import { Failure, UsageError } from "./shared/options.ts";
import { formatNumber, parseDirective } from "./shared/printf.ts";
import { cite } from "./shared/report.ts";

export async function run(context: UtilityContext): Promise<number> {
  const { format, separator, equal, operands } = readArguments(context.args);
  if (operands.length === 0) throw new UsageError("missing operand");
  if (operands.length > 3) throw new UsageError(`extra operand ${cite(operands[3])}`);
  for (const text of operands) {
    if (
      !/^\s*[-+]?(\d+\.?\d*([eE][-+]?\d+)?|\.\d+([eE][-+]?\d+)?|0[xX][0-9a-fA-F]+|inf(inity)?)$/i.test(text)
    ) {
      throw new UsageError(`invalid floating point argument: ${cite(text)}`);
    }
  }
  const first = operands.length > 1 ? operands[0] : "1";
  const step = operands.length > 2 ? operands[1] : "1";
  const last = operands[operands.length - 1];
  if (Number(step) === 0) throw new UsageError(`invalid Zero increment value: ${cite(step)}`);
  const template = format === undefined ? undefined : readFormat(format);
  if (template && equal) {
    throw new UsageError("format string may not be specified when printing equal width strings");
  }

  const integers = !template && [first, step, last].every((text) => /^[-+]?\d{1,15}$/.test(text));
  const places = Math.max(decimals(first), decimals(step));
  const show = template
    ? (value: number) => template.before + formatNumber(template.directive, value) + template.after
    : integers && !equal
    ? String
    : padded(first, step, last, places, equal);

  // Multiples of the step, not sums: rounding does not add up.
  const from = parse(first), by = parse(step), to = parse(last);
  let out = "";
  let started = false;
  const limit = to + (integers ? 0 : Math.abs(by) * 1e-10 * Math.sign(by));
  for (let i = 0;; i++) {
    const value = from + i * by;
    if (by > 0 ? value > limit : value < limit) break;
    out += (started ? separator : "") + show(value);
    started = true;
    if (out.length > 16_384) {
      context.poll();
      const done = context.stdout.print(out);
      if (done) await done;
      out = "";
    }
  }
  if (started) await context.stdout.print(out + "\n");
  return 0;
}

function parse(text: string): number {
  const lower = text.trim().toLowerCase();
  if (/^[-+]?inf/.test(lower)) return lower.startsWith("-") ? -Infinity : Infinity;
  return lower.startsWith("+")
    ? Number(lower.slice(1))
    : lower.startsWith("-0x")
    ? -Number(lower.slice(1))
    : Number(lower);
}

/** Negative numbers are operands, so the options are read here. */
function readArguments(
  args: readonly string[],
): { format?: string; separator: string; equal: boolean; operands: string[] } {
  let format: string | undefined;
  let separator = "\n";
  let equal = false;
  let i = 0;
  for (; i < args.length; i++) {
    const arg = args[i];
    const value = (letter: string, long: string): string | undefined => {
      if (arg === letter || arg === long) {
        if (i + 1 >= args.length) throw new UsageError(`option requires an argument -- '${letter[1]}'`);
        return args[++i];
      }
      if (arg.startsWith(long + "=")) return arg.slice(long.length + 1);
      return arg.startsWith(letter) ? arg.slice(2) : undefined;
    };
    if (arg === "--") {
      i++;
      break;
    }
    if (arg === "-w" || arg === "--equal-width") equal = true;
    else if (arg.startsWith("-f") || arg.startsWith("--format")) format = value("-f", "--format");
    else if (arg.startsWith("-s") || arg.startsWith("--separator")) {
      separator = value("-s", "--separator") ?? "";
    } else if (/^-[.\di]/.test(arg) || !arg.startsWith("-") || arg === "-") break;
    else {throw new UsageError(
        arg.startsWith("--") ? `unrecognized option '${arg}'` : `invalid option -- '${arg[1]}'`,
      );}
  }
  return { format, separator, equal, operands: args.slice(i) };
}

function decimals(text: string): number {
  const match = /^[-+]?\d*\.?(\d*)(?:[eE]([-+]?\d+))?$/.exec(text);
  return match ? Math.max(0, match[1].length - Number(match[2] ?? 0)) : 0;
}

function padded(
  first: string,
  step: string,
  last: string,
  places: number,
  equal: boolean,
): (value: number) => string {
  if (!equal) return (value) => value.toFixed(places);
  const width = (text: string) => {
    const [whole, fraction = ""] = text.split(".");
    return whole.length + (whole === "" || whole === "-" ? 1 : 0) + (places > 0 ? places + 1 : 0) +
      fraction.length * 0;
  };
  const final = parse(first) + Math.floor((parse(last) - parse(first)) / parse(step) + 1e-9) * parse(step);
  const size = Math.max(
    width(first.replace(/^\+/, "")),
    width(final.toFixed(places)),
    width(last.replace(/^\+/, "").replace(/\..*/, "")),
  );
  return (value) => {
    const text = Math.abs(value).toFixed(places);
    const negative = value < 0 && Number(text) !== 0;
    return (negative ? "-" : "") + text.padStart(size - (negative ? 1 : 0), "0");
  };
}

function readFormat(
  format: string,
): { before: string; after: string; directive: ReturnType<typeof parseDirective> & object } {
  let at = 0;
  let before = "";
  let after = "";
  let directive: ReturnType<typeof parseDirective>;
  while (at < format.length) {
    if (format.startsWith("%%", at)) {
      if (directive) after += "%";
      else before += "%";
      at += 2;
    } else if (format[at] === "%") {
      if (directive) throw new Failure(`format ${cite(format)} has too many % directives`);
      directive = parseDirective(format, at);
      if (!directive || !/[aefgAEFG]/.test(directive.conversion)) {
        throw new Failure(
          `format ${cite(format)} has unknown %${format[(directive?.end ?? at + 2) - 1] ?? ""} directive`,
        );
      }
      at = directive.end;
    } else {
      if (directive) after += format[at++];
      else before += format[at++];
    }
  }
  if (!directive) throw new Failure(`format ${cite(format)} has no % directive`);
  return { before, after, directive };
}
