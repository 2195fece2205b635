/**
 * Values that must not leave the machine, and marks in their place: what goes
 * out is masked (`[hidden: NAME]`), and a mark that comes back in a file's
 * content or a command is put back. A mark stands for one value as long as the
 * vault lives. Nothing here touches the disk.
 */
import { findKeys, LEAD } from "./key_shapes.ts";

/** Values shorter than {@link MIN_VALUE} are never masked. */
export interface Secret {
  /** What the mark is to call it: the name of a variable, of a field. */
  readonly name: string;
  readonly value: string;
}

/** By default keys are found by their shapes too, and names of fields stay. */
export interface MaskOptions {
  /** Known values only: the text comes from where the user said that keys may be seen. */
  readonly shapes?: boolean;
  /** Of plain data the names of fields, too: they are somebody's own. */
  readonly names?: boolean;
}

/** One for a session: its marks mean something only to it. */
export interface Vault {
  /** Takes the values that are known now; those known before stay known. */
  learn(secrets: Iterable<Secret>): void;
  mask(text: string, options?: MaskOptions): string;
  /** The same for every text in a value of plain data; the value itself where there is nothing to mask. */
  maskAll<T>(value: T, options?: MaskOptions): T;
  /** Puts values back in the place of marks; of `only` those, where it is given. */
  restore(text: string, only?: ReadonlySet<string>): string;
  restoreAll<T>(value: T, only?: ReadonlySet<string>): T;
  /** Marks in a text that stand for nothing here. */
  unknownMarks(text: string): string[];
  /** All marks in a text. */
  marks(text: string): string[];
  /** For the words of a model as they come: no known value gets through, and no more is held back than may be the beginning of one. */
  liveStream(): MaskStream;
  /** For text that comes in pieces: no value gets through, wherever it is cut. */
  stream(): MaskStream;
  /** The same for bytes of any encoding that keeps ASCII. */
  byteStream(): { push(bytes: Uint8Array): Uint8Array; end(): Uint8Array };
  readonly size: number;
}

/** What is held back comes with a later piece, or with the end. */
export interface MaskStream {
  push(text: string): string;
  end(): string;
}

/** Shorter ones would be met everywhere. */
const MIN_VALUE = 6;
/** Shorter ones count only where they stand by themselves. */
const FREE_LENGTH = 12;
const MARK = /\[hidden: ([A-Za-z0-9_. -]{1,80})\]/g;
/** Characters that a key may consist of: at such a place text that comes in pieces is not cut. */
const JOINED = /[A-Za-z0-9+/_=.:@%~!#$^&*,?'"\\-]/;
/** Text without a place to cut is held back to this length. */
const HOLD = 8192;
const LONGEST = 64 * 1024;

interface Entry {
  readonly value: string;
  readonly mark: string;
  /** Must stand by itself. */
  readonly alone: boolean;
}

/** Makes an empty vault. */
export function createVault(): Vault {
  /** Longest first, so that a value inside of another does not tear it. */
  const entries: Entry[] = [];
  const byValue = new Map<string, string>();
  const byMark = new Map<string, string>();
  let spaced: string[] = [];
  let bytesOf: Entry[] | undefined;
  let byFirst: Map<string, Entry[]> | undefined;

  function markFor(name: string, value: string): string {
    const known = byValue.get(value);
    if (known !== undefined) return known;
    const plain = name.replace(/[^A-Za-z0-9_. -]+/g, "_").slice(0, 60) || "SECRET";
    let mark = `[hidden: ${plain}]`;
    for (let n = 2; byMark.has(mark); n++) mark = `[hidden: ${plain} ${n}]`;
    byValue.set(value, mark);
    byMark.set(mark, value);
    return mark;
  }

  function add(name: string, value: string): void {
    if (byValue.has(value)) return;
    const mark = markFor(name, value);
    entries.push({ value, mark, alone: value.length < FREE_LENGTH });
  }

  function sort(): void {
    entries.sort((a, b) => b.value.length - a.value.length);
    spaced = entries.filter(({ value }) => !isJoined(value)).map(({ value }) => value);
    bytesOf = undefined;
    byFirst = undefined;
  }

  function maskKnown(text: string, list: readonly Entry[]): string {
    for (const { value, mark, alone } of list) {
      let at = text.indexOf(value);
      if (at < 0) continue;
      let out = "";
      let from = 0;
      for (; at >= 0; at = text.indexOf(value, at)) {
        const end = at + value.length;
        if (alone && !standsAlone(text, at, end)) {
          at++;
          continue;
        }
        out += text.slice(from, at) + mark;
        from = at = end;
      }
      text = out + text.slice(from);
    }
    return text;
  }

  function maskShapes(text: string): string {
    const found = findKeys(text);
    if (found.length === 0) return text;
    let out = "";
    let from = 0;
    for (const { start, end, name } of found) {
      const value = text.slice(start, end);
      // A mark inside: part of it was known by itself.
      if (value.includes("[hidden: ")) continue;
      out += text.slice(from, start) + markFor(name, value);
      from = end;
    }
    return out + text.slice(from);
  }

  function mask(text: string, options: MaskOptions = {}): string {
    const known = maskKnown(text, entries);
    return options.shapes === false ? known : maskShapes(known);
  }

  function restore(text: string, only?: ReadonlySet<string>): string {
    if (!text.includes("[hidden: ")) return text;
    return text.replace(MARK, (mark) => only?.has(mark) === false ? mark : byMark.get(mark) ?? mark);
  }

  /** Where the first known value begins that the end of a text may be the beginning of; one that ends there may go on. */
  function unfinished(text: string): number {
    byFirst ??= Map.groupBy(entries, ({ value }) => value[0]);
    const from = Math.max(0, text.length - (entries[0]?.value.length ?? 0));
    for (let at = from; at < text.length; at++) {
      const rest = text.slice(at);
      if (byFirst.get(text[at])?.some(({ value }) => value.startsWith(rest))) return at;
    }
    return text.length;
  }

  function liveStream(): MaskStream {
    let rest = "";
    /** What a short value must not stand directly behind. */
    let last = "";
    const take = (cut: number): string => {
      const piece = last + rest.slice(0, cut);
      const out = maskKnown(piece, entries).slice(last.length);
      last = rest.slice(cut - 1, cut) || last;
      rest = rest.slice(cut);
      return out;
    };
    return {
      push(text) {
        if (entries.length === 0 && rest === "") return text;
        rest += text;
        return take(unfinished(rest));
      },
      end: () => take(rest.length),
    };
  }

  /** How much of the end may be the beginning of something that is to be masked. */
  function heldBack(text: string, spaced: readonly string[]): number {
    let from = text.length;
    while (from > 0 && text.length - from < HOLD && JOINED.test(text[from - 1])) from--;
    // What introduces a key belongs to it: `Bearer …`, `API_KEY = …`.
    for (
      let lead = LEAD.exec(text.slice(Math.max(0, from - 80), from));
      lead !== null && text.length - from < HOLD;
    ) {
      from -= lead[0].length;
      while (from > 0 && text.length - from < HOLD && JOINED.test(text[from - 1])) from--;
      lead = LEAD.exec(text.slice(Math.max(0, from - 80), from));
    }
    const begin = text.lastIndexOf("-----BEGIN ");
    if (begin >= 0 && text.length - begin < LONGEST && !text.slice(begin).includes("-----END ")) {
      from = Math.min(from, begin);
    }
    // A cut further ahead may tear another one.
    for (let last = -1; last !== from;) {
      last = from;
      for (const value of spaced) from = before(value, text, from);
    }
    if (text.length - from < HOLD) return from;
    const longest = Math.max(512, entries[0]?.value.length ?? 0);
    return begin === from ? from : Math.max(from, text.length - longest);
  }

  const stream = (maskPiece: (text: string) => string, spaced: readonly string[]): MaskStream => {
    let rest = "";
    return {
      push(text) {
        rest += text;
        const cut = heldBack(rest, spaced);
        if (cut === 0) return "";
        const out = maskPiece(rest.slice(0, cut));
        rest = rest.slice(cut);
        return out;
      },
      end() {
        const out = maskPiece(rest);
        rest = "";
        return out;
      },
    };
  };

  return {
    learn(secrets) {
      const before = entries.length;
      for (const { name, value } of secrets) {
        const trimmed = value.trim();
        if (trimmed.length < MIN_VALUE || trimmed.length > LONGEST) continue;
        add(name, trimmed);
        for (const [how, variant] of variants(trimmed)) add(`${name} as ${how}`, variant);
      }
      if (entries.length !== before) sort();
    },
    mask,
    maskAll: (value, options) => mapTexts(value, (text) => mask(text, options), options?.names),
    restore,
    restoreAll: (value, only) => mapTexts(value, (text) => restore(text, only), true),
    unknownMarks: (text) => marks(text).filter((mark) => !byMark.has(mark)),
    marks,
    liveStream,
    stream: () => stream(mask, spaced),
    byteStream() {
      // Bytes as characters of the same number: what is found is what stands there, and all else passes unchanged.
      bytesOf ??= entries.map((entry) => ({
        ...entry,
        value: toBinary(new TextEncoder().encode(entry.value)),
      }));
      const list = bytesOf;
      const inner = stream(
        (text) => maskShapes(maskKnown(text, list)),
        list.map(({ value }) => value).filter((value) => !isJoined(value)),
      );
      return {
        push: (bytes) => fromBinary(inner.push(toBinary(bytes))),
        end: () => fromBinary(inner.end()),
      };
    },
    get size() {
      return byValue.size;
    },
  };
}

function marks(text: string): string[] {
  return text.includes("[hidden: ") ? [...text.matchAll(MARK)].map(([mark]) => mark) : [];
}

/** The same value as it may stand elsewhere. */
function variants(value: string): [string, string][] {
  const out: [string, string][] = [];
  const quoted = JSON.stringify(value).slice(1, -1);
  if (quoted !== value) out.push(["JSON", quoted]);
  const percent = encodeURIComponent(value.toWellFormed());
  if (percent !== value) out.push(["URL", percent]);
  if (value.length >= FREE_LENGTH && value.length < 4096) {
    const bytes = new TextEncoder().encode(value);
    for (let shift = 0; shift < 3; shift++) {
      // What is the same whatever stands before and behind it.
      const padded = new Uint8Array(shift + bytes.length);
      padded.set(bytes, shift);
      const text = btoa(toBinary(padded)).replace(/=+$/, "");
      const first = Math.ceil((shift * 8) / 6);
      const last = Math.floor(((shift + bytes.length) * 8) / 6);
      const fixed = text.slice(first, last);
      if (fixed.length >= FREE_LENGTH) out.push([shift === 0 ? "base64" : `base64 at ${shift}`, fixed]);
    }
  }
  return out;
}

/** Where to cut before `from`, so that neither the value nor a beginning of it at the end is torn. */
function before(value: string, text: string, from: number): number {
  const crossing = text.lastIndexOf(value, from);
  if (crossing >= 0 && crossing < from && crossing + value.length > from) return crossing;
  for (let at = Math.max(0, text.length - value.length + 1); at < from; at++) {
    if (text[at] === value[0] && value.startsWith(text.slice(at))) return at;
  }
  return from;
}

function isJoined(value: string): boolean {
  for (const char of value) if (!JOINED.test(char)) return false;
  return true;
}

function standsAlone(text: string, start: number, end: number): boolean {
  return !/[A-Za-z0-9_]/.test(text[start - 1] ?? " ") && !/[A-Za-z0-9_]/.test(text[end] ?? " ");
}

function mapTexts<T>(value: T, change: (text: string) => string, names = false): T {
  if (typeof value === "string") return change(value) as T;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    const out = value.map((item) => mapTexts(item, change, names));
    return out.some((item, i) => item !== value[i]) ? out as T : value;
  }
  let changed = false;
  const out: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const name = names ? change(key) : key;
    const made = mapTexts(item, change, names);
    // As data of its own, also where it is called like something that objects have.
    Object.defineProperty(out, name, { value: made, enumerable: true, configurable: true, writable: true });
    changed ||= made !== item || name !== key;
  }
  return changed ? out as T : value;
}

/** Each byte as the character of its number. */
function toBinary(bytes: Uint8Array): string {
  const text = ANSI.decode(bytes);
  // All but 27 of the 256 stand for the character of their number.
  return /[^\0-\xff]/.test(text) ? text.replace(/[^\0-\xff]/g, (char) => OF_ANSI.get(char)!) : text;
}

/** Fifteen times as fast as making the text from numbers. */
const ANSI = new TextDecoder("windows-1252");
const OF_ANSI = new Map(
  Array.from(
    { length: 0x20 },
    (_, i) => [ANSI.decode(Uint8Array.of(0x80 + i)), String.fromCharCode(0x80 + i)],
  ),
);

function fromBinary(text: string): Uint8Array {
  if (!/[^\0-\x7f]/.test(text)) return new TextEncoder().encode(text);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
