/** Texts quoted so that the shell reads them back: the styles of `printf %q`, `${v@Q}`, `declare -p`, `set -x`. */

const UNSAFE = /[^A-Za-z0-9_\/.,:+=@%^{}~#!-]/;
const CONTROL = /[\x00-\x1f\x7f\udc80-\udcff]/;

const NAMED: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\x1b": "\\E",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  "'": "\\'",
};

/** Whether a text holds characters that only `$'…'` can show: controls and bytes that are not UTF-8. */
export function needsAnsi(text: string): boolean {
  return CONTROL.test(text) && (/[\x00-\x1f\x7f]/.test(text) || !text.isWellFormed());
}

/** `$'…'` */
export function ansiQuote(text: string): string {
  let out = "$'";
  for (const c of text) {
    const code = c.charCodeAt(0);
    if (NAMED[c] !== undefined) out += NAMED[c];
    else if (code < 32 || code === 127) out += "\\" + code.toString(8).padStart(3, "0");
    else if (c.length === 1 && code >= 0xdc80 && code <= 0xdcff) out += "\\" + (code & 0xff).toString(8);
    else out += c;
  }
  return out + "'";
}

/** `'…'` always, as `trap` and `alias` write it. */
export function plainQuote(text: string): string {
  return "'" + text.replaceAll("'", "'\\''") + "'";
}

/** `'…'`, or `$'…'` where there are control characters: `${v@Q}`. */
export function singleQuote(text: string): string {
  return needsAnsi(text) ? ansiQuote(text) : "'" + text.replaceAll("'", "'\\''") + "'";
}

/** `"…"`, as `declare -p` writes values. */
export function doubleQuote(text: string): string {
  return needsAnsi(text) ? ansiQuote(text) : '"' + text.replace(/["$`\\]/g, "\\$&") + '"';
}

/** Backslashes where needed: `printf %q`. */
export function backslashQuote(text: string): string {
  if (text === "") return "''";
  if (needsAnsi(text)) return ansiQuote(text);
  return text.replace(/[ !"$&'()*,;<>?[\\\]^`{|}]|^[#~]|(?<=[:=])~/g, "\\$&");
}

/** The words of `set -x`: single quotes where a character means something to the shell, `$'…'` for other controls. */
export function xtraceQuote(text: string): string {
  if (text === "") return "''";
  if (/[\s'"`$&|;()<>*?[\]\\{}!^]|^[#~]/.test(text)) return text === "'" ? "\\'" : plainQuote(text);
  return needsAnsi(text) ? ansiQuote(text) : text;
}

/** Quotes only where something needs it, with `'…'`: what `set -x` and `set` show. */
export function traceQuote(text: string): string {
  if (text === "") return "''";
  if (needsAnsi(text)) return ansiQuote(text);
  if (!UNSAFE.test(text) && !/^[#~]|[{}!^]/.test(text)) return text;
  if (/^[A-Za-z0-9_\/.,:+=@%-]+$/.test(text)) return text;
  if (text === "'") return "\\'";
  return "'" + text.replaceAll("'", "'\\''") + "'";
}
