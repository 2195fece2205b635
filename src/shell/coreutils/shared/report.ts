/**
 * How utilities speak about what went wrong: GNU's quoting of names and the
 * form `name: what: why` on stderr.
 */
import type { UtilityContext } from "../../builtin.ts";
import { HostError } from "../../host.ts";

const OPEN = "\ue010", CLOSE = "\ue011";

/**
 * A word in the quotes of the locale, for messages (GNU has two kinds; this
 * one is curly where the locale is UTF-8). The quotes are put in when the
 * message is printed, by {@link localized}.
 */
export function cite(text: string): string {
  return OPEN + text + CLOSE;
}

/** Puts the quotes of the locale into a message. */
export function localized(context: UtilityContext, message: string): string {
  if (!message.includes(OPEN)) return message;
  const { env } = context;
  const locale = env.get("LC_ALL") || env.get("LC_CTYPE") || env.get("LANG") || "";
  const [open, close] = /utf-?8/i.test(locale) ? ["‘", "’"] : ["'", "'"];
  return message.replaceAll(OPEN, open).replaceAll(CLOSE, close);
}

/** Prints `name: message` on stderr. */
export async function complain(context: UtilityContext, message: string): Promise<void> {
  // What was written before comes out before, as on a terminal.
  const done = context.stderr.print(`${context.name}: ${localized(context, message)}\n`);
  if (done) await done;
}

/** The reason of a failed host operation; everything else, and a closed pipe, is thrown on. */
export function reason(error: unknown): string {
  if (error instanceof HostError && error.code !== "EPIPE") return error.message;
  throw error;
}

/** Prints `name: file: reason` for a failed operation on a file. */
export function complainAbout(context: UtilityContext, file: string, error: unknown): Promise<void> {
  return complain(context, `${quoteIfNeeded(file)}: ${reason(error)}`);
}

/** True for a host error with this code. */
export function hasCode(error: unknown, ...codes: string[]): error is HostError {
  return error instanceof HostError && codes.includes(error.code);
}

/** A name in quotes, as GNU prints it in the C locale. */
export function quote(text: string): string {
  if (/[\x00-\x1f\x7f\udc80-\udcff]/.test(text)) return quoteControl(text);
  if (!text.includes("'")) return `'${text}'`;
  if (!/["$`\\!]/.test(text)) return `"${text}"`;
  return "'" + text.replaceAll("'", "'\\''") + "'";
}

const PLAIN = /^[A-Za-z0-9_@%+=.,/\-\u00a0-\ud7ff\ue000-\uffff]+$/;

/** A name as it is, or in quotes where a shell would need them. */
export function quoteIfNeeded(text: string): string {
  return PLAIN.test(text) || /^[\w.\/~#{}\-+=,@%^\]]+$/.test(text) && !/^[~#{]/.test(text)
    ? text
    : quote(text);
}

function quoteControl(text: string): string {
  let out = "";
  let open = "";
  for (const c of text) {
    const code = c.charCodeAt(0);
    const control = code < 0x20 || code === 0x7f || (code >= 0xdc80 && code <= 0xdcff);
    if (control) {
      if (open !== "$") {
        if (open === "'") out += "'";
        else if (out === "") out += "''";
        out += "$'";
        open = "$";
      }
      const named: Record<string, string> = {
        "\n": "\\n",
        "\t": "\\t",
        "\r": "\\r",
        "\x07": "\\a",
        "\b": "\\b",
        "\f": "\\f",
        "\v": "\\v",
      };
      out += named[c] ?? "\\" + (code & 0xff).toString(8).padStart(3, "0");
    } else {
      if (open !== "'") {
        out += open === "$" ? "''" : "'";
        open = "'";
      }
      out += c === "'" ? "'\\''" : c;
    }
  }
  return out + "'";
}
