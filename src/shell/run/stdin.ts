/**
 * A script on standard input. It is read as far as needed; what was read
 * beyond the line that runs is put back, so that commands can read it.
 */
import { type Run, wait } from "../expand/config.ts";
import { decodeBytes, encodeBytes } from "../../lib/text/bytes.ts";
import { ShellSyntaxError, type Statement } from "../syntax/mod.ts";
import type { Shell } from "./shell.ts";
import { line, parserFor, syntaxError } from "./text.ts";

export function* stdinScript(sh: Shell): Run<number> {
  const input = sh.fd(0);
  if (input === undefined) return 0;
  const buffer = new Uint8Array(1 << 16);
  let pending = "";
  let lineNumber = 1;
  let ended = false;
  // Bytes of an unfinished character at the end of what was read are kept apart.
  let tail = new Uint8Array(0);
  const more = function* (): Run<void> {
    const n = yield* wait(input.read(buffer));
    if (n === 0) {
      ended = true;
      pending += decodeBytes(tail).replaceAll("\0", "");
      tail = new Uint8Array(0);
      return;
    }
    const bytes = new Uint8Array(tail.length + n);
    bytes.set(tail);
    bytes.set(buffer.subarray(0, n), tail.length);
    const cut = bytes.lastIndexOf(10) + 1;
    pending += decodeBytes(bytes.subarray(0, cut)).replaceAll("\0", "");
    tail = bytes.slice(cut);
  };
  sh.source = "main";
  for (;;) {
    while (pending === "" && !ended) yield* more();
    if (pending === "") return sh.status;
    const parser = parserFor(sh, pending, lineNumber);
    let statements: readonly Statement[] | undefined;
    try {
      statements = parser.next();
      // At the end of the text a list could go on (`a &&` cannot: that is incomplete).
      if (statements === undefined && !ended) {
        pending = "";
        lineNumber = parser.reader.line(parser.reader.text.length);
        continue;
      }
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      if (error.incomplete && !ended) {
        yield* more();
        continue;
      }
      const source = sh.source;
      sh.source = undefined;
      syntaxError(sh, error, "");
      sh.source = source;
      return sh.status = 2;
    }
    if (statements === undefined) return sh.status;
    const at = parser.reader.pos;
    if (sh.options.verbose) sh.writeError(parser.reader.text.slice(0, at));
    lineNumber = parser.reader.line(at);
    const rest = encodeBytes(parser.reader.text.slice(at));
    const back = new Uint8Array(rest.length + tail.length);
    back.set(rest);
    back.set(tail, rest.length);
    input.unread(back);
    pending = "";
    tail = new Uint8Array(0);
    sh.source = "main";
    if (!sh.options.noexec && !(yield* line(sh, statements))) return sh.status;
    // What the command left is read again; the end is met again, too.
    ended = false;
  }
}
