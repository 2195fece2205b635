/** uniq: drops or chooses lines that repeat the one before; compares bytes in place. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSink, Later } from "../host.ts";
import { BLOCK_SIZE, BlockReader } from "./shared/blocks.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite, complainAbout } from "./shared/report.ts";

const TABLE = {
  options: [
    "c|count",
    "d|repeated",
    "D",
    "all-repeated=?",
    "f|skip-fields=",
    "group=?",
    "i|ignore-case",
    "s|skip-chars=",
    "u|unique",
    "w|check-chars=",
    "z|zero-terminated",
  ],
  usage: "[OPTION]... [INPUT [OUTPUT]]",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const { operands } = options;
  if (operands.length > 2) throw new UsageError(`extra operand ${cite(operands[2])}`);
  const number = (key: string, what: string): number | undefined => {
    const text = options.value(key);
    if (text === undefined) return undefined;
    if (!/^\d+$/.test(text)) throw new UsageError(`${text}: invalid number of ${what}`, 1, false);
    return Number(text);
  };
  const skipFields = number("f", "fields to skip") ?? 0;
  const skipChars = number("s", "bytes to skip") ?? 0;
  const check = number("w", "bytes to compare") ?? Infinity;
  const group = options.has("group") ? options.value("group") || "separate" : undefined;
  if (group !== undefined && options.has("c", "d", "D", "all-repeated", "u")) {
    throw new UsageError("--group is mutually exclusive with -c/-d/-D/-u");
  }
  const all = options.has("D", "all-repeated");
  if (all && options.has("c")) {
    throw new UsageError("printing all duplicated lines and repeat counts is meaningless");
  }
  const allStyle = options.value("all-repeated") || "none";
  const end = options.has("z") ? 0 : 10;
  const fold = options.has("i");
  const plain = skipFields === 0 && skipChars === 0 && check === Infinity;

  let source;
  try {
    source = operands.length === 0 || operands[0] === "-" ? context.stdin : await context.open(operands[0]);
  } catch (error) {
    await complainAbout(context, operands[0], error);
    return 1;
  }
  const sink: ByteSink = operands.length === 2 && operands[1] !== "-"
    ? await context.create(operands[1])
    : context.stdout;
  const key = (line: Uint8Array): Uint8Array => {
    let at = 0;
    for (let i = 0; i < skipFields; i++) {
      while (at < line.length && (line[at] === 32 || line[at] === 9)) at++;
      while (at < line.length && line[at] !== 32 && line[at] !== 9) at++;
    }
    at = Math.min(line.length, at + skipChars);
    return line.subarray(at, check === Infinity ? line.length : Math.min(line.length, at + check));
  };
  const groups = new Groups(sink, {
    end,
    counts: options.has("c"),
    repeated: options.has("d"),
    unique: options.has("u"),
    all,
    style: group ?? allStyle,
    grouped: group !== undefined,
  });
  let kept = new Uint8Array(256);
  let keptEnd = 0;
  let count = 0;
  const blocks = new BlockReader(source, end);
  try {
    for (;;) {
      context.poll();
      const next = blocks.next();
      const block = next instanceof Promise ? await next : next;
      if (!block) break;
      for (let start = 0; start < block.length;) {
        let stop = block.indexOf(end, start);
        if (stop < 0) stop = block.length;
        const line = block.subarray(start, stop);
        start = stop + 1;
        const current = kept.subarray(0, keptEnd);
        if (count > 0 && (plain ? same(line, current, fold) : same(key(line), key(current), fold))) {
          count++;
          if (groups.keepsAll) groups.repeat(line);
          continue;
        }
        if (count > 0) {
          const done = groups.emit(current, count);
          if (done) await done;
        }
        if (kept.length < line.length) kept = new Uint8Array(line.length * 2);
        kept.set(line);
        keptEnd = line.length;
        count = 1;
      }
      const done = groups.flush();
      if (done) await done;
    }
    if (count > 0) await groups.emit(kept.subarray(0, keptEnd), count);
    await groups.finish();
  } finally {
    if (source !== context.stdin) source.close();
    if (sink !== context.stdout) sink.close();
  }
  return 0;
}

interface Style {
  readonly end: number;
  readonly counts: boolean;
  readonly repeated: boolean;
  readonly unique: boolean;
  /** -D: every line of a group that repeats. */
  readonly all: boolean;
  readonly grouped: boolean;
  readonly style: string;
}

/** Writes what is chosen of each group, through a buffer of its own. */
class Groups {
  readonly keepsAll: boolean;
  #more: Uint8Array[] = [];
  #buffer = new Uint8Array(BLOCK_SIZE);
  #end = 0;
  #groups = 0;

  constructor(readonly sink: ByteSink, readonly style: Style) {
    this.keepsAll = style.all || style.grouped;
  }

  /** A further line of the group that is under way. */
  repeat(line: Uint8Array): void {
    this.#more.push(line.slice());
  }

  flush(): Later<void> {
    const bytes = this.#buffer.subarray(0, this.#end);
    this.#end = 0;
    return bytes.length > 0 ? this.sink.write(bytes) : undefined;
  }

  emit(line: Uint8Array, count: number): Later<void> {
    const { style } = this;
    const more = this.#more;
    if (more.length > 0) this.#more = [];
    if (this.keepsAll) {
      if (style.all && count < 2) return;
      if (
        (this.#groups > 0 && (style.style === "separate" || style.style === "both")) ||
        style.style === "prepend" || (style.style === "both" && this.#groups === 0)
      ) this.#separator();
      this.#groups++;
      this.#line(line, 0);
      for (const each of more) this.#line(each, 0);
      if (style.style === "append") this.#separator();
    } else {
      if (style.repeated && count < 2) return;
      if (style.unique && count > 1) return;
      this.#line(line, style.counts ? count : 0);
    }
    return this.#end > BLOCK_SIZE ? this.flush() : undefined;
  }

  async finish(): Promise<void> {
    if (this.style.grouped && this.style.style === "both" && this.#groups > 0) this.#separator();
    await this.flush();
  }

  #separator(): void {
    this.#room(1);
    this.#buffer[this.#end++] = this.style.end;
  }

  #line(line: Uint8Array, count: number): void {
    this.#room(line.length + 32);
    if (count > 0) {
      const text = String(count).padStart(7) + " ";
      for (let i = 0; i < text.length; i++) this.#buffer[this.#end++] = text.charCodeAt(i);
    }
    this.#buffer.set(line, this.#end);
    this.#end += line.length;
    this.#buffer[this.#end++] = this.style.end;
  }

  #room(size: number): void {
    if (this.#end + size <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#end + size));
    larger.set(this.#buffer.subarray(0, this.#end));
    this.#buffer = larger;
  }
}

function same(a: Uint8Array, b: Uint8Array, fold: boolean): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue;
    if (!fold || lower(a[i]) !== lower(b[i])) return false;
  }
  return true;
}

function lower(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}
