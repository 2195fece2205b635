/** numfmt: numbers from and to sizes for people. */
import type { UtilityContext } from "../builtin.ts";
import { eachLine } from "./shared/each_line.ts";
import { type Options, parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain } from "./shared/report.ts";

const TABLE = {
  options: [
    "d|delimiter=",
    "field=",
    "format=",
    "from=",
    "from-unit=",
    "header=?",
    "invalid=",
    "padding=",
    "round=",
    "suffix=",
    "to=",
    "to-unit=",
    "z|zero-terminated",
  ],
  unsupported: ["debug", "grouping"],
  usage: "[OPTION]... [NUMBER]...",
};

const LETTERS = "KMGTPEZY";

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const fields = readFields(options.value("field") ?? "1");
  const separator = options.value("d");
  const converter = new Converter(options);
  const invalid = options.value("invalid") ?? "abort";
  let status = 0;
  const header = options.has("header") ? Number(options.value("header") || 1) : 0;
  let line = 0;
  const messages: string[] = [];
  const convertLine = (text: string): string | undefined => {
    if (line++ < header) return text;
    const parts = separator === undefined ? text.match(/\s*\S+|\s+$/g) ?? [text] : text.split(separator);
    const out = parts.map((part, i) => {
      if (!fields(i + 1)) return part;
      const lead = separator === undefined ? /^\s*/.exec(part)![0] : "";
      try {
        const converted = converter.convert(part.slice(lead.length));
        // Blanks before the number are part of its width.
        return separator === undefined && !options.has("padding") && (i > 0 || lead !== "")
          ? (i > 0 ? lead[0] ?? "" : "") + converted.padStart(part.length - (i > 0 ? 1 : 0))
          : (i > 0 ? lead : "") + converted;
      } catch (error) {
        if (!(error instanceof Invalid)) throw error;
        if (invalid !== "ignore") messages.push(error.message);
        if (invalid === "abort" || invalid === "fail") status = 2;
        if (invalid === "abort") throw new UsageError(error.message, 2, false);
        return part;
      }
    });
    return out.join(separator ?? "");
  };
  if (options.operands.length > 0) {
    for (const text of options.operands) await context.stdout.print(convertLine(text) + "\n");
  } else await eachLine(context, [], convertLine);
  for (const message of messages) await complain(context, message);
  return status;
}

class Invalid extends Error {}

class Converter {
  readonly #from: string;
  readonly #to: string;
  readonly #round: string;
  readonly #format: RegExpExecArray | undefined;

  constructor(readonly options: Options) {
    const unit = (key: string) => {
      const text = options.value(key) ?? "none";
      if (!["none", "auto", "si", "iec", "iec-i"].includes(text) || (key === "to" && text === "auto")) {
        throw new UsageError(`invalid argument ${cite(text)} for '--${key}'`);
      }
      return text;
    };
    this.#from = unit("from");
    this.#to = unit("to");
    this.#round = options.value("round") ?? "from-zero";
    const format = options.value("format");
    if (format !== undefined) {
      const match = /^((?:[^%]|%%)*)%(['0-]*)(\d*)(?:\.(\d+))?f((?:[^%]|%%)*)$/.exec(format);
      if (!match) {
        throw new UsageError(
          `invalid format ${cite(format)}, directive must be %[0]['][-][N][.][N]f`,
          1,
          false,
        );
      }
      this.#format = match;
    }
  }

  convert(text: string): string {
    const suffix = this.options.value("suffix") ?? "";
    const bare = suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
    const match = /^([-+]?\d*\.?\d+)([KMGTPEZYk]?)(i?)(.*)$/.exec(bare);
    if (!match) throw new Invalid(`invalid number: ${cite(text)}`);
    const [, digits, letter, i, rest] = match;
    if (rest !== "") {
      throw new Invalid(
        letter === "" && i === ""
          ? `invalid suffix in input: ${cite(text)}`
          : `invalid suffix in input ${cite(text)}: ${cite(rest)}`,
      );
    }
    let value = Number(digits);
    if (letter !== "") {
      if (this.#from === "none") {
        throw new Invalid(`rejecting suffix in input: ${cite(text)} (consider using --from)`);
      }
      if (this.#from === "iec-i" && i === "") {
        throw new Invalid(`missing 'i' suffix in input: ${cite(text)} (e.g Ki/Mi/Gi)`);
      }
      if (this.#from !== "iec-i" && this.#from !== "auto" && i !== "") {
        throw new Invalid(`invalid suffix in input ${cite(text)}: 'i'`);
      }
      const base = this.#from === "si" || (this.#from === "auto" && i === "") ? 1000 : 1024;
      value *= base ** (LETTERS.indexOf(letter.toUpperCase()) + 1);
    }
    value = value * Number(this.options.value("from-unit") ?? 1) / Number(this.options.value("to-unit") ?? 1);
    const places = digits.includes(".") ? digits.length - digits.indexOf(".") - 1 : 0;
    let out = this.#to === "none" ? this.#plain(value, places, letter !== "") : this.#human(value);
    out += suffix;
    if (this.#format) {
      const [, before, flags, width, , after] = this.#format;
      const size = Number(width || 0);
      const padded = flags.includes("-")
        ? out.padEnd(size)
        : flags.includes("0")
        ? out.padStart(size, "0")
        : out.padStart(size);
      out = before.replaceAll("%%", "%") + padded + after.replaceAll("%%", "%");
    }
    const padding = this.options.value("padding");
    if (padding === undefined) return out;
    const size = Number(padding);
    return size < 0 ? out.padEnd(-size) : out.padStart(size);
  }

  #rounded(value: number, places: number): number {
    const factor = 10 ** places;
    const scaled = Number((value * factor).toPrecision(15));
    switch (this.#round) {
      case "up":
        return Math.ceil(scaled) / factor;
      case "down":
        return Math.floor(scaled) / factor;
      case "towards-zero":
        return Math.trunc(scaled) / factor;
      case "nearest":
        return Math.sign(scaled) * Math.round(Math.abs(scaled)) / factor;
      default:
        return Math.sign(scaled) * Math.ceil(Math.abs(scaled)) / factor;
    }
  }

  #plain(value: number, places: number, scaled: boolean): string {
    const wanted = this.#format?.[4];
    if (wanted !== undefined) return this.#rounded(value, Number(wanted)).toFixed(Number(wanted));
    const digits = scaled ? 0 : places;
    return this.#rounded(value, digits).toFixed(digits);
  }

  #human(value: number): string {
    const base = this.#to === "si" ? 1000 : 1024;
    let size = Math.abs(value);
    let power = 0;
    while (size >= base && power < LETTERS.length) {
      size /= base;
      power++;
    }
    const wanted = this.#format?.[4];
    const sign = value < 0 ? "-" : "";
    let places = wanted !== undefined ? Number(wanted) : power > 0 && size < 10 ? 1 : 0;
    let shown = Math.abs(this.#rounded(size, places));
    if (shown >= base && power < LETTERS.length) {
      shown /= base;
      power++;
      places = wanted !== undefined ? places : 1;
    } else if (wanted === undefined && power > 0 && places === 1 && shown >= 10) places = 0;
    const letter = power === 0 ? "" : LETTERS[power - 1] + (this.#to === "iec-i" ? "i" : "");
    return sign + shown.toFixed(places) + letter;
  }
}

function readFields(text: string): (field: number) => boolean {
  if (text === "-") return () => true;
  const ranges = text.split(",").map((part): [number, number] => {
    const match = /^(\d*)(-?)(\d*)$/.exec(part);
    if (!match || part === "") throw new UsageError(`invalid field value ${cite(part)}`);
    const low = match[1] === "" ? 1 : Number(match[1]);
    return [low, match[2] === "" ? low : match[3] === "" ? Infinity : Number(match[3])];
  });
  return (field) => ranges.some(([low, high]) => field >= low && field <= high);
}
