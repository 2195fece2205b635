/**
 * The directives of C's printf: reading one, and formatting numbers and texts
 * by it.
 */

export interface Directive {
  readonly flags: string;
  readonly width: number | "*" | undefined;
  readonly precision: number | "*" | undefined;
  readonly conversion: string;
  /** Position after it. */
  readonly end: number;
}

/** Widths beyond this are cut: nobody reads more, and memory is finite. */
const MAX_WIDTH = 1_000_000;

/** Reads the directive that starts with the `%` at `at`; undefined where the text ends in it. */
export function parseDirective(format: string, at: number): Directive | undefined {
  const match = /%([-+ #0']*)(\d+|\*)?(?:\.(\d*|\*))?(?:hh|h|ll|l|q|L|j|z|t)?([a-zA-Z%])/y;
  match.lastIndex = at;
  const found = match.exec(format);
  if (!found) return undefined;
  const number = (text: string | undefined) =>
    text === undefined ? undefined : text === "*" ? "*" as const : Math.min(MAX_WIDTH, Number(text));
  return {
    flags: found[1],
    width: number(found[2]),
    precision: number(found[3]),
    conversion: found[4],
    end: match.lastIndex,
  };
}

/** Pads a text to the directive's width. */
export function pad(text: string, flags: string, width: number | "*" | undefined): string {
  if (typeof width !== "number" || text.length >= width) return text;
  return flags.includes("-") ? text.padEnd(width) : text.padStart(width);
}

/** Formats a text by `%s` (precision cuts it) or `%c`. */
export function formatText(directive: Directive, text: string): string {
  const cut = directive.conversion === "c"
    ? text
    : typeof directive.precision === "number"
    ? [...text].slice(0, directive.precision).join("")
    : text;
  if (typeof directive.width === "number") {
    const missing = directive.width - [...cut].length;
    if (missing > 0) {
      return directive.flags.includes("-") ? cut + " ".repeat(missing) : " ".repeat(missing) + cut;
    }
  }
  return cut;
}

/** Formats a number by a float or integer conversion. */
export function formatNumber(directive: Directive, value: number): string {
  const { conversion, flags } = directive;
  if (/[diouxX]/.test(conversion)) {
    if (!Number.isFinite(value)) {
      return finish(Number.isNaN(value) ? "nan" : "inf", value < 0, {
        ...directive,
        flags: flags.replace("0", ""),
      });
    }
    const whole = Math.trunc(value);
    return formatInteger(directive, Number.isSafeInteger(whole) ? BigInt(whole) : BigInt(whole));
  }
  const negative = value < 0 || Object.is(value, -0);
  const size = Math.abs(value);
  if (!Number.isFinite(value)) {
    const text = Number.isNaN(value) ? "nan" : "inf";
    return finish(/[A-Z]/.test(conversion) ? text.toUpperCase() : text, value < 0, {
      ...directive,
      flags: flags.replace("0", ""),
    });
  }
  const precision = typeof directive.precision === "number" ? directive.precision : 6;
  let text: string;
  switch (conversion.toLowerCase()) {
    case "f":
      text = fixed(size, precision);
      if (precision === 0 && flags.includes("#")) text += ".";
      break;
    case "e":
      text = exponent(size, precision);
      break;
    case "a":
      text = hexFloat(size, typeof directive.precision === "number" ? directive.precision : undefined);
      break;
    default:
      text = general(size, precision === 0 ? 1 : precision, flags.includes("#"));
  }
  if (/[A-Z]/.test(conversion)) text = text.toUpperCase();
  return finish(text, negative, directive);
}

/** Formats a whole number by `d i o u x X`. */
export function formatInteger(directive: Directive, value: bigint): string {
  const { conversion, flags } = directive;
  let negative = value < 0n;
  let size = negative ? -value : value;
  if (!/[di]/.test(conversion) && negative) {
    size = BigInt.asUintN(64, value);
    negative = false;
  }
  let text = size.toString(conversion === "o" ? 8 : /[xX]/.test(conversion) ? 16 : 10);
  if (conversion === "X") text = text.toUpperCase();
  if (typeof directive.precision === "number") {
    text = directive.precision === 0 && size === 0n ? "" : text.padStart(directive.precision, "0");
  }
  let prefix = "";
  if (flags.includes("#")) {
    if (conversion === "o" && text[0] !== "0") text = "0" + text;
    if (/[xX]/.test(conversion) && size !== 0n) prefix = "0" + conversion;
  }
  const signed = /[di]/.test(conversion);
  return finish(text, negative, {
    ...directive,
    flags: (typeof directive.precision === "number" ? flags.replaceAll("0", "") : flags).replace(
      /[+ ]/g,
      signed ? "$&" : "",
    ),
  }, prefix);
}

function finish(text: string, negative: boolean, directive: Directive, prefix = ""): string {
  const { flags, width } = directive;
  const sign = (negative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "") + prefix;
  const all = sign + text;
  if (typeof width !== "number" || all.length >= width) return all;
  if (flags.includes("-")) return all.padEnd(width);
  if (flags.includes("0")) return sign + text.padStart(width - sign.length, "0");
  return all.padStart(width);
}

/** Digits after the point, exact, also beyond the 100 places and 1e21 of toFixed. */
function fixed(value: number, precision: number): string {
  if (value < 1e21 && precision <= 100) return value.toFixed(precision);
  if (precision > 100) return fixed(value, 100) + "0".repeat(precision - 100);
  return BigInt(value).toString() + (precision > 0 ? "." + "0".repeat(precision) : "");
}

function exponent(value: number, precision: number): string {
  const text = value.toExponential(Math.min(100, precision));
  return text.replace(/e([-+])(\d)$/, "e$10$2");
}

function general(value: number, precision: number, keep: boolean): string {
  const power = value === 0 ? 0 : Number(exponent(value, Math.min(100, precision - 1)).split("e")[1]);
  if (power < -4 || power >= precision) {
    const [digits, tail] = exponent(value, precision - 1).split("e");
    return (keep ? digits : trimZeros(digits)) + "e" + tail;
  }
  const text = fixed(value, Math.max(0, precision - 1 - power));
  return keep ? text : trimZeros(text);
}

function trimZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function hexFloat(value: number, precision: number | undefined): string {
  if (value === 0) return "0x0p+0";
  let power = Math.floor(Math.log2(value));
  let mantissa = value / 2 ** power;
  if (mantissa >= 2) {
    mantissa /= 2;
    power++;
  }
  let digits = "";
  let rest = mantissa - 1;
  for (let i = 0; i < 13; i++) {
    rest *= 16;
    const digit = Math.floor(rest);
    digits += digit.toString(16);
    rest -= digit;
  }
  digits = precision === undefined
    ? digits.replace(/0+$/, "")
    : digits.slice(0, precision).padEnd(precision, "0");
  return `0x1${digits ? "." + digits : ""}p${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}
