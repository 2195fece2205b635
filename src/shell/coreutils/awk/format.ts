/** awk's printf: formats are read once and kept. */
import { type Directive, formatInteger, formatNumber, formatText, parseDirective } from "../shared/printf.ts";
import { Failure } from "../shared/options.ts";
import { Input, num, type Value } from "./values.ts";

const formats = new Map<string, (string | Directive)[]>();

function read(format: string): (string | Directive)[] {
  const out: (string | Directive)[] = [];
  let text = "";
  for (let at = 0; at < format.length;) {
    if (format[at] !== "%") {
      text += format[at++];
      continue;
    }
    const directive = parseDirective(format, at);
    if (!directive) {
      text += format[at++];
      continue;
    }
    at = directive.end;
    if (directive.conversion === "%") text += "%";
    else {
      if (text !== "") out.push(text);
      text = "";
      out.push(directive);
    }
  }
  if (text !== "") out.push(text);
  return out;
}

export function formatAll(format: string, args: readonly Value[], str: (value: Value) => string): string {
  let parts = formats.get(format);
  if (!parts) {
    if (formats.size > 500) formats.clear();
    formats.set(format, parts = read(format));
  }
  let out = "";
  let used = 0;
  for (const part of parts) {
    if (typeof part === "string") {
      out += part;
      continue;
    }
    let directive = part;
    if (part.width === "*" || part.precision === "*") {
      const width = part.width === "*" ? Math.trunc(num(args[used++])) : part.width;
      const precision = part.precision === "*" ? Math.trunc(num(args[used++])) : part.precision;
      directive = {
        ...part,
        flags: typeof width === "number" && width < 0 ? part.flags + "-" : part.flags,
        width: typeof width === "number" ? Math.min(Math.abs(width), 1_000_000) : undefined,
        precision: typeof precision === "number" && precision < 0 ? undefined : precision,
      };
    }
    const value = args[used++];
    switch (directive.conversion) {
      case "s":
        out += formatText(directive, str(value));
        break;
      case "c":
        out += formatText(directive, character(value, str));
        break;
      case "d":
      case "i":
      case "o":
      case "x":
      case "X":
      case "u": {
        const number = num(value);
        const whole = Math.trunc(number);
        const plain = directive.conversion === "d" || directive.conversion === "i";
        if (
          plain && directive.flags === "" && directive.width === undefined &&
          directive.precision === undefined && Number.isSafeInteger(whole)
        ) out += whole === 0 ? "0" : whole;
        else {out += Number.isFinite(number)
            ? formatInteger(directive, BigInt(whole))
            : formatNumber(directive, number);}
        break;
      }
      case "e":
      case "E":
      case "f":
      case "F":
      case "g":
      case "G":
      case "a":
      case "A":
        out += formatNumber(directive, num(value));
        break;
      default:
        throw new Failure(`bad conversion %${directive.conversion} in format`, 2);
    }
  }
  return out;
}

function character(value: Value, str: (value: Value) => string): string {
  if (typeof value === "number" || (value instanceof Input && value.numeric)) {
    const code = Math.trunc(num(value));
    if (code < 128 || code > 0x10ffff) return String.fromCharCode(code & 0x7f);
    return String.fromCodePoint(code);
  }
  const text = str(value);
  return text === "" ? "" : String.fromCodePoint(text.codePointAt(0)!);
}
