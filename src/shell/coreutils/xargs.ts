/**
 * xargs: builds command lines from stdin and runs them through the shell's own
 * look-up and gate, several at a time if asked.
 */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { decodeBytes, encodeBytes } from "../../lib/text/bytes.ts";
import { BLOCK_SIZE } from "./shared/blocks.ts";
import { parseSize } from "./shared/numbers.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain, quote } from "./shared/report.ts";
import { confirm } from "./shared/tree.ts";

const TABLE = {
  options: [
    "0|null",
    "a|arg-file=",
    "d|delimiter=",
    "E=",
    "e|eof=?",
    "I=",
    "i|replace=?",
    "L=",
    "l|max-lines=?",
    "n|max-args=",
    "P|max-procs=",
    "p|interactive",
    "r|no-run-if-empty",
    "s|max-chars=",
    "t|verbose",
    "x|exit",
    "process-slot-var=",
    "o|open-tty",
  ],
  unsupported: ["show-limits"],
  stopAtOperand: true,
  usage: "[OPTION]... COMMAND [INITIAL-ARGS]...",
};

/** What a command line may hold by default; GNU's is about the same. */
const MAX_CHARS = 128 * 1024 - 2048;

const empty: ByteSource = { read: () => 0, close: () => {} };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const number = (key: string, least: number): number | undefined => {
    const text = options.value(key);
    if (text === undefined) return undefined;
    if (!/^\d+$/.test(text)) throw new UsageError(`invalid number ${cite(text)} for -${key} option`);
    if (Number(text) < least) throw new UsageError(`value ${text} for -${key} option should be >= ${least}`);
    return Number(text);
  };
  const command = options.operands.length === 0 ? ["echo"] : options.operands;
  const mode = options.last("I", "i", "L", "l", "n");
  const replace = mode === "I" ? options.value("I")! : mode === "i" ? options.value("i") || "{}" : undefined;
  const maxLines = mode === "L" ? number("L", 1) : mode === "l" ? Number(options.value("l") || 1) : undefined;
  const maxArgs = mode === "n" ? number("n", 1) : undefined;
  const maxChars = parseSize(options.value("s") ?? "") ?? MAX_CHARS;
  const parallel = number("P", 0) ?? 1;
  const eof = options.value("E") ?? (options.value("e") || undefined);

  const file = options.value("a");
  const source = file === undefined ? context.stdin : await context.open(file);
  const runner = new Runner(
    context,
    parallel === 0 ? 64 : parallel,
    file === undefined ? empty : context.stdin,
    options.has("t"),
    options.has("p"),
    options.value("process-slot-var"),
  );
  const delimiter = options.has("0") ? "\0" : options.value("d");
  const items = delimiter === undefined
    ? new Words(source, context, eof, replace !== undefined)
    : new Separated(source, context, unescape(delimiter));
  const base = command.reduce((sum, arg) => sum + encodeBytes(arg).length + 1, 0);

  let batch: string[] = [];
  let size = base;
  let lines = 0;
  let ran = false;
  const flush = async (): Promise<void> => {
    ran = true;
    const args = batch;
    batch = [];
    size = base;
    lines = 0;
    await runner.start([...command, ...args]);
  };
  try {
    for (;;) {
      const next = items.next();
      let item: Item | undefined;
      try {
        item = await next;
      } catch (error) {
        // What came before the fault is still run.
        if (error instanceof Failure && batch.length > 0) await flush();
        throw error;
      }
      if (item === undefined) break;
      if (runner.stop) break;
      if (replace !== undefined) {
        ran = true;
        await runner.start(command.map((arg) => arg.replaceAll(replace, item.text)));
        continue;
      }
      const length = encodeBytes(item.text).length + 1;
      if (base + length > maxChars) throw new Failure("argument line too long");
      if (batch.length > 0 && size + length > maxChars) await flush();
      batch.push(item.text);
      size += length;
      if (item.lastOfLine) lines++;
      if (
        (maxArgs !== undefined && batch.length >= maxArgs) || (maxLines !== undefined && lines >= maxLines)
      ) await flush();
    }
    if (!runner.stop && (batch.length > 0 || (!ran && !options.has("r") && replace === undefined))) {
      await flush();
    }
  } finally {
    await runner.finish();
    if (source !== context.stdin) source.close();
  }
  return runner.status;
}

function unescape(text: string): string {
  const simple: Record<string, string> = {
    "\\n": "\n",
    "\\t": "\t",
    "\\0": "\0",
    "\\r": "\r",
    "\\\\": "\\",
    "\\a": "\x07",
    "\\b": "\b",
    "\\f": "\f",
    "\\v": "\v",
  };
  if (simple[text] !== undefined) return simple[text];
  const code = /^\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))$/.exec(text);
  if (code) return String.fromCharCode(code[1] ? parseInt(code[1], 16) : parseInt(code[2], 8));
  if (text.length !== 1) {
    throw new Failure(
      text.startsWith("\\")
        ? `Invalid escape sequence ${text} in input delimiter specification.`
        : `Invalid input delimiter specification ${text}: the delimiter must be either a single character or an escape sequence starting with \\.`,
    );
  }
  return text;
}

interface Item {
  readonly text: string;
  readonly lastOfLine: boolean;
}

/** Reads decoded text piece by piece; a character of several bytes is never cut. */
class Pieces {
  readonly #buffer = new Uint8Array(BLOCK_SIZE);
  #left = 0;
  constructor(readonly source: ByteSource, readonly context: UtilityContext) {}

  async next(): Promise<string | undefined> {
    this.context.poll();
    const got = await this.source.read(this.#buffer.subarray(this.#left));
    const end = this.#left + got;
    if (end === 0) return undefined;
    // An unfinished sequence at the end waits for the rest.
    let keep = 0;
    for (let back = 1; got > 0 && back <= Math.min(3, end); back++) {
      const byte = this.#buffer[end - back];
      if (byte >= 0xc0) {
        if ((byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back) keep = back;
        break;
      }
      if (byte < 0x80) break;
    }
    const text = decodeBytes(this.#buffer.subarray(0, end - keep));
    this.#buffer.copyWithin(0, end - keep, end);
    this.#left = keep;
    return text;
  }
}

class Separated {
  readonly #pieces: Pieces;
  #items: string[] = [];
  #rest = "";
  #done = false;
  constructor(source: ByteSource, context: UtilityContext, readonly delimiter: string) {
    this.#pieces = new Pieces(source, context);
  }

  async next(): Promise<Item | undefined> {
    while (this.#items.length === 0) {
      if (this.#done) return undefined;
      const piece = await this.#pieces.next();
      if (piece === undefined) {
        this.#done = true;
        if (this.#rest === "") return undefined;
        return { text: this.#rest, lastOfLine: true };
      }
      const parts = (this.#rest + piece).split(this.delimiter);
      this.#rest = parts.pop()!;
      this.#items = parts.reverse();
    }
    return { text: this.#items.pop()!, lastOfLine: true };
  }
}

/** Items between blanks and newlines, with quotes and backslashes; or whole lines for -I. */
class Words {
  readonly #pieces: Pieces;
  #text = "";
  #at = 0;
  #ended = false;
  constructor(
    source: ByteSource,
    context: UtilityContext,
    readonly eof: string | undefined,
    readonly wholeLines: boolean,
  ) {
    this.#pieces = new Pieces(source, context);
  }

  async #char(): Promise<string | undefined> {
    while (this.#at >= this.#text.length) {
      const piece = await this.#pieces.next();
      if (piece === undefined) return undefined;
      this.#text = piece;
      this.#at = 0;
    }
    return this.#text[this.#at++];
  }

  async next(): Promise<Item | undefined> {
    if (this.#ended) return undefined;
    let word = "";
    let started = false;
    for (;;) {
      const fast = this.#at < this.#text.length ? this.#text[this.#at++] : await this.#char();
      const c = fast;
      if (c === undefined) {
        this.#ended = true;
        return started ? this.#item(word, true) : undefined;
      }
      if (c === "\n") {
        if (!started) continue;
        // A line that ends in a blank goes on with the next one, for -L.
        return this.#item(word, true);
      }
      if (c === " " || c === "\t") {
        if (!started) continue;
        if (this.wholeLines) {
          word += c;
          continue;
        }
        const last = await this.#skipBlanks();
        return this.#item(word, last);
      }
      started = true;
      if (c === "'" || c === '"') {
        for (;;) {
          const inside = await this.#char();
          if (inside === undefined || inside === "\n") {
            throw new Failure(
              `unmatched ${
                c === "'" ? "single" : "double"
              } quote; by default quotes are special to xargs unless you use the -0 option`,
            );
          }
          if (inside === c) break;
          word += inside;
        }
      } else if (c === "\\") word += await this.#char() ?? "";
      else word += c;
    }
  }

  /** After a blank: whether the line ends here. */
  async #skipBlanks(): Promise<boolean> {
    for (;;) {
      const c = await this.#char();
      if (c === undefined) return true;
      if (c === "\n") return false;
      if (c !== " " && c !== "\t") {
        this.#at--;
        return false;
      }
    }
  }

  #item(text: string, lastOfLine: boolean): Item | undefined {
    if (this.eof !== undefined && text === this.eof) {
      this.#ended = true;
      return undefined;
    }
    return { text, lastOfLine };
  }
}

class Runner {
  status = 0;
  stop = false;
  readonly #running = new Set<Promise<void>>();
  readonly #slots: boolean[] = [];
  constructor(
    readonly context: UtilityContext,
    readonly parallel: number,
    readonly stdin: ByteSource,
    readonly verbose: boolean,
    readonly ask: boolean,
    readonly slotVariable: string | undefined,
  ) {}

  async start(argv: string[]): Promise<void> {
    this.context.poll();
    if (this.ask && !await confirm(this.context, argv.join(" ") + "?...")) return;
    if (this.verbose && !this.ask) {
      await this.context.stderr.print(
        argv.map((arg) => /^[\w@%+=:,.\/-]+$/.test(arg) ? arg : quote(arg)).join(" ") + "\n",
      );
    }
    while (this.#running.size >= this.parallel) await Promise.race(this.#running);
    if (this.stop) return;
    let slot = this.#slots.indexOf(false);
    if (slot < 0) slot = this.#slots.length;
    this.#slots[slot] = true;
    const env = this.slotVariable === undefined
      ? undefined
      : new Map([...this.context.env, [this.slotVariable, String(slot)]]);
    const job = this.context.run(argv, {
      stdin: this.stdin,
      missing: (why) => `${this.context.name}: ${argv[0]}: ${why}`,
      ...(env ? { env } : {}),
    }).then((status) => this.#ended(status, argv[0])).finally(() => {
      this.#slots[slot] = false;
      this.#running.delete(job);
    });
    this.#running.add(job);
    if (this.parallel === 1) await job;
  }

  async #ended(status: number, name: string): Promise<void> {
    if (status === 0) return;
    if (status === 126 || status === 127) {
      this.status = status;
      this.stop = true;
    } else if (status === 255) {
      await complain(this.context, `${name}: exited with status 255; aborting`);
      this.status = 124;
      this.stop = true;
    } else if (status > 128 && status < 192) {
      await complain(this.context, `${name}: terminated by signal ${status - 128}`);
      this.status = 125;
      this.stop = true;
    } else if (this.status === 0) this.status = 123;
  }

  async finish(): Promise<void> {
    await Promise.all(this.#running);
  }
}
