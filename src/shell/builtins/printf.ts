/** `printf [-v var] format [argument …]` */
import { ExpansionError } from "../expand/config.ts";
import { ansiQuote, backslashQuote, needsAnsi } from "../expand/quote.ts";
import { decodeBytes, encodeBytes } from "../../lib/text/bytes.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { joinBytes, PRINTF_B, PRINTF_FORMAT, readEscape, unescape } from "../syntax/mod.ts";
import { printed } from "./shared/print.ts";
import { strftime } from "../run/strftime.ts";

const USAGE = "printf [-v var] format [arguments]";

export const printf: LanguageBuiltin = {
  name: "printf",
  run(sh, given) {
    let args = given;
    let variable: string | undefined;
    while (args.length > 0 && args[0].startsWith("-") && args[0].length > 1) {
      if (args[0] === "--") {
        args = args.slice(1);
        break;
      }
      if (args[0].startsWith("-v")) {
        variable = args[0].length > 2 ? args[0].slice(2) : args[1];
        args = args.slice(args[0].length > 2 ? 1 : 2);
        if (variable === undefined) {
          sh.warn("printf: -v: option requires an argument");
          sh.writeError(`printf: usage: ${USAGE}\n`);
          return 2;
        }
        if (!/^[A-Za-z_][A-Za-z0-9_]*(\[[\s\S]+\])?$/.test(variable)) {
          sh.warn(`printf: \`${variable}': not a valid identifier`);
          return 2;
        }
        continue;
      }
      sh.warn(`printf: ${args[0].slice(0, 2)}: invalid option`);
      sh.writeError(`printf: usage: ${USAGE}\n`);
      return 2;
    }
    if (args.length === 0) {
      sh.writeError(`printf: usage: ${USAGE}\n`);
      return 2;
    }
    const f = new Formatter(sh, args[0], args.slice(1));
    const text = joinBytes(f.all());
    if (variable === undefined) return printed(sh, text, f.status);
    const open = variable.indexOf("[");
    try {
      if (open === -1) sh.vars.assign(variable, text);
      else sh.vars.assignElementText(variable.slice(0, open), variable.slice(open + 1, -1), text, 0);
    } catch (error) {
      if (!(error instanceof ExpansionError)) throw error;
      sh.warn(error.message);
      return 1;
    }
    return f.status;
  },
};

class Formatter {
  status = 0;
  #next = 0;
  #used = false;
  #stopped = false;

  constructor(readonly sh: Shell, readonly format: string, readonly args: readonly string[]) {}

  all(): string {
    let out = "";
    do {
      this.#used = false;
      out += this.#once();
      if (out.length > 1 << 28) {
        this.sh.warn("printf: output is too long");
        this.status = 1;
        return out;
      }
    } while (!this.#stopped && this.#used && this.#next < this.args.length);
    return out;
  }

  #argument(): string | undefined {
    this.#used = true;
    return this.args[this.#next++];
  }

  #once(): string {
    const format = this.format;
    let out = "";
    let i = 0;
    while (i < format.length && !this.#stopped) {
      const c = format[i];
      if (c === "\\") {
        const e = readEscape(format, i + 1, PRINTF_FORMAT);
        out += e.value;
        i = e.next;
      } else if (c === "%") {
        const end = this.#directive(i);
        out += end.text;
        i = end.next;
      } else {
        let end = i + 1;
        while (end < format.length && format[end] !== "%" && format[end] !== "\\") end++;
        out += format.slice(i, end);
        i = end;
      }
    }
    return out;
  }

  #directive(start: number): { text: string; next: number } {
    const format = this.format;
    if (format[start + 1] === "%") return { text: "%", next: start + 2 };
    const m = /^%([-+ 0#']*)(\*|[0-9]+)?(?:\.(\*|-?[0-9]*))?(?:hh|h|ll|l|L|q|j|z|t)?(\([^)]*\)T|[a-zA-Z])?/
      .exec(format.slice(start));
    if (m === null || m[4] === undefined) {
      // `%q` is a conversion, not a length.
      const q = /^%([-+ 0#']*)(\*|[0-9]+)?(?:\.(\*|-?[0-9]*))?q/.exec(format.slice(start));
      if (q !== null) return this.#convert(q[1], q[2], q[3], "q", start + q[0].length);
      const bad = m?.[0] ?? "%";
      const next = format[start + bad.length];
      this.sh.warn(
        next === undefined
          ? `printf: \`${bad === "%" ? "%" : bad[bad.length - 1]}': missing format character`
          : `printf: \`${next}': invalid format character`,
      );
      this.status = 1;
      this.#stopped = true;
      return { text: "", next: format.length };
    }
    return this.#convert(m[1], m[2], m[3], m[4], start + m[0].length);
  }

  #convert(
    flags: string,
    w: string | undefined,
    p: string | undefined,
    type: string,
    next: number,
  ): { text: string; next: number } {
    let width = w === "*" ? Number(this.#integer(this.#argument())) : w === undefined ? 0 : Number(w);
    let left = flags.includes("-");
    if (width < 0) {
      left = true;
      width = -width;
    }
    let precision = p === "*"
      ? Number(this.#integer(this.#argument()))
      : p === undefined
      ? undefined
      : Number(p || 0);
    if (precision !== undefined && precision < 0) precision = undefined;
    if (width > 1 << 24 || (precision ?? 0) > 1 << 24) {
      this.sh.warn("printf: Value too large for defined data type");
      this.status = 1;
      return { text: "", next };
    }
    const pad = (text: string, zero = false) => this.#pad(text, width, left, zero && flags.includes("0"));
    switch (type[0]) {
      case "s":
        return { text: pad(this.#cut(this.#argument() ?? "", precision)), next };
      case "b": {
        const e = unescape(this.#argument() ?? "", PRINTF_B);
        if (e.stop) this.#stopped = true;
        return { text: pad(this.#cut(joinBytes(e.value), precision)), next };
      }
      case "q": {
        const value = this.#argument() ?? "";
        const quoted = flags.includes("#")
          ? (needsAnsi(value) ? ansiQuote(value) : "'" + value.replaceAll("'", "'\\''") + "'")
          : backslashQuote(value);
        return { text: pad(this.#cut(quoted, precision)), next };
      }
      case "Q":
        return { text: pad(backslashQuote(this.#cut(this.#argument() ?? "", precision))), next };
      case "c": {
        const value = this.#argument() ?? "";
        // One byte, as in C.
        const first = value === "" ? 0 : encodeBytes(value)[0];
        return {
          text: pad(first < 0x80 ? String.fromCharCode(first) : String.fromCharCode(0xdc00 | first)),
          next,
        };
      }
      case "d":
      case "i":
      case "u":
      case "o":
      case "x":
      case "X":
        return {
          text: this.#number(
            type[0],
            this.#integer(this.#argument(), type[0] !== "d" && type[0] !== "i"),
            flags,
            width,
            left,
            precision,
          ),
          next,
        };
      case "e":
      case "E":
      case "f":
      case "F":
      case "g":
      case "G":
      case "a":
      case "A":
        return {
          text: this.#float(type[0], this.#floating(this.#argument()), flags, width, left, precision),
          next,
        };
      case "(": {
        const arg = this.#argument();
        const seconds = arg === undefined || arg === "-1" || arg === ""
          ? Math.floor(this.sh.host.now() / 1000)
          : arg === "-2"
          ? Math.floor(this.sh.session.started / 1000)
          : Number(this.#integer(arg));
        return {
          text: pad(
            this.#cut(strftime(type.slice(1, -2) || "%X", seconds, this.sh.vars.text("TZ")), precision),
          ),
          next,
        };
      }
      case "n":
        return { text: "", next };
    }
    this.sh.warn(`printf: \`${type}': invalid format character`);
    this.status = 1;
    this.#stopped = true;
    return { text: "", next };
  }

  /** Precision counts bytes, as C's does. */
  #cut(text: string, precision: number | undefined): string {
    if (precision === undefined || text.length * 3 <= precision) return text;
    if (/^[\x00-\x7f]*$/.test(text)) return text.slice(0, precision);
    return decodeBytes(encodeBytes(text).subarray(0, precision));
  }

  #pad(text: string, width: number, left: boolean, zero: boolean): string {
    if (width === 0) return text;
    const size = /^[\x00-\x7f]*$/.test(text) ? text.length : encodeBytes(text).length;
    if (size >= width) return text;
    const fill = width - size;
    return left ? text + " ".repeat(fill) : (zero ? "0" : " ").repeat(fill) + text;
  }

  #number(
    type: string,
    value: bigint,
    flags: string,
    width: number,
    left: boolean,
    precision: number | undefined,
  ): string {
    let sign = "";
    let digits: string;
    if (type === "d" || type === "i") {
      const v = BigInt.asIntN(64, value);
      sign = v < 0n ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
      digits = (v < 0n ? -v : v).toString();
    } else {
      const v = BigInt.asUintN(64, value);
      digits = type === "u" ? v.toString() : type === "o" ? v.toString(8) : v.toString(16);
      if (type === "X") digits = digits.toUpperCase();
      if (flags.includes("#") && v !== 0n) {
        sign = type === "o" ? "0" : type === "x" ? "0x" : type === "X" ? "0X" : "";
      }
    }
    if (precision !== undefined) {
      digits = digits === "0" && precision === 0 ? "" : digits.padStart(precision, "0");
    }
    if (flags.includes("0") && !left && precision === undefined) {
      digits = digits.padStart(width - sign.length, "0");
    }
    return this.#pad(sign + digits, width, left, false);
  }

  #float(
    type: string,
    value: number,
    flags: string,
    width: number,
    left: boolean,
    precision: number | undefined,
  ): string {
    const upper = type === type.toUpperCase();
    const negative = value < 0 || Object.is(value, -0);
    const abs = Math.abs(value);
    let body: string;
    if (!Number.isFinite(abs)) body = Number.isNaN(abs) ? "nan" : "inf";
    else if (type === "f" || type === "F") body = fixed(abs, precision ?? 6);
    else if (type === "e" || type === "E") body = exponent(abs, precision ?? 6);
    else if (type === "g" || type === "G") body = general(abs, precision ?? 6, flags.includes("#"));
    else body = hexFloat(abs, precision);
    if (upper) body = body.toUpperCase();
    const sign = negative && !Number.isNaN(abs)
      ? "-"
      : flags.includes("+")
      ? "+"
      : flags.includes(" ")
      ? " "
      : "";
    if (flags.includes("0") && !left && Number.isFinite(abs)) body = body.padStart(width - sign.length, "0");
    return this.#pad(sign + body, width, left, false);
  }

  /** An integer argument: C's notations, or `'c` for a character's code. */
  #integer(arg: string | undefined, unsigned = false): bigint {
    if (arg === undefined || arg === "") return 0n;
    if (arg[0] === "'" || arg[0] === '"') return BigInt(arg.length > 1 ? arg.codePointAt(1)! : 0);
    const text = arg.trimStart();
    const m = /^([+-]?)(0[xX][0-9A-Fa-f]+|0[0-7]*|[1-9][0-9]*)/.exec(text);
    if (m === null) {
      this.sh.warn(`printf: ${arg}: invalid number`);
      this.status = 1;
      return 0n;
    }
    const digits = /^0[0-7]+$/.test(m[2]) ? "0o" + m[2].slice(1) : m[2];
    let value = BigInt(digits);
    if (m[1] === "-") value = -value;
    if (m[0].length < text.length) {
      this.sh.warn(
        /^[0-9]/.test(text.slice(m[0].length))
          ? `printf: ${arg}: invalid octal number`
          : `printf: ${arg}: invalid number`,
      );
      this.status = 1;
    }
    const top = unsigned ? 18446744073709551615n : 9223372036854775807n;
    const bottom = unsigned ? -18446744073709551615n : -9223372036854775808n;
    if (value > top || value < bottom) {
      this.sh.warn(`printf: warning: ${arg}: Numerical result out of range`);
      value = value > 0n || unsigned ? top : bottom;
    }
    return value;
  }

  #floating(arg: string | undefined): number {
    if (arg === undefined || arg === "") return 0;
    if (arg[0] === "'" || arg[0] === '"') return arg.length > 1 ? arg.codePointAt(1)! : 0;
    const text = arg.trim();
    const hex = /^([+-]?)(0[xX][0-9A-Fa-f]+)$/.exec(text);
    if (hex !== null) return (hex[1] === "-" ? -1 : 1) * Number(hex[2]);
    const special = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(text);
    if (special !== null) {
      return (special[1] === "-" ? -1 : 1) * (special[2][0].toLowerCase() === "i" ? Infinity : NaN);
    }
    const m = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/.exec(text);
    if (m === null || m[0].length < text.length) {
      this.sh.warn(`printf: ${arg}: invalid number`);
      this.status = 1;
    }
    return m === null ? 0 : Number(m[0]);
  }
}

function fixed(v: number, precision: number): string {
  if (v < 1e21 && precision <= 100) {
    const text = v.toFixed(precision);
    // Halfway between two: C takes the even one, toFixed the greater.
    const exact = v.toFixed(Math.min(100, precision + 60));
    const at = exact.indexOf(".") + 1 + precision;
    if (precision > 40 || !/^50*$/.test(exact.slice(at)) || !/[13579]$/.test(text)) return text;
    const half = exact.slice(0, at).replace(/\.$/, "");
    return half;
  }
  if (v >= 1e21) return BigInt(v).toString() + (precision > 0 ? "." + "0".repeat(precision) : "");
  return v.toFixed(100) + "0".repeat(precision - 100);
}

function exponent(v: number, precision: number): string {
  const text = v.toExponential(Math.min(precision, 100));
  return text.replace(/e([+-])([0-9])$/, "e$10$2");
}

function general(v: number, precision: number, keep: boolean): string {
  const p = precision === 0 ? 1 : precision;
  if (v === 0) return keep ? "0." + "0".repeat(p - 1) : "0";
  const e = Number(v.toExponential(Math.min(p - 1, 100)).split("e")[1]);
  const text = e < -4 || e >= p ? exponent(v, p - 1) : v.toFixed(Math.min(Math.max(p - 1 - e, 0), 100));
  if (keep || !text.includes(".")) return text;
  return text.replace(/\.?0+(?=e|$)/, "");
}

function hexFloat(v: number, precision: number | undefined): string {
  if (v === 0) return "0x0p+0";
  let e = Math.floor(Math.log2(v));
  let m = v / 2 ** e;
  if (m >= 2) {
    m /= 2;
    e++;
  }
  let digits = "";
  let rest = m - 1;
  for (let i = 0; i < 13 && (rest > 0 || (precision !== undefined && i < precision)); i++) {
    rest *= 16;
    digits += Math.floor(rest).toString(16);
    rest -= Math.floor(rest);
  }
  if (precision !== undefined) digits = digits.slice(0, precision).padEnd(precision, "0");
  return `0x1${digits === "" ? "" : "." + digits}p${e < 0 ? "-" : "+"}${Math.abs(e)}`;
}
