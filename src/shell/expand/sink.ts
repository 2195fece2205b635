/** Where the pieces of a word go: into fields (split and globbed), into one text, or into a pattern. */
import type { Sink } from "./config.ts";
import { escapePattern } from "./pattern.ts";

export interface Field {
  readonly text: string;
  /** The same with quoted characters escaped; absent where nothing can glob. */
  readonly pattern: string | undefined;
}

const GLOB = /[*?[\\]|[@+!]\(/;

export class FieldSink implements Sink {
  readonly fields: Field[] = [];
  #text = "";
  #pattern = "";
  #glob = false;
  #started = false;
  /** The last delimiter was IFS white space that ended a field: a delimiter that follows belongs to it. */
  #afterSpace = false;

  /** `poll` is called now and then: what is split can be long. */
  constructor(readonly ifs: string, readonly poll: () => void) {}

  #emit(): void {
    if ((this.fields.length & 1023) === 1023) this.poll();
    this.fields.push({ text: this.#text, pattern: this.#glob ? this.#pattern : undefined });
    this.#text = "";
    this.#pattern = "";
    this.#glob = false;
    this.#started = false;
  }

  quoted(text: string): void {
    this.#started = true;
    this.#afterSpace = false;
    if (text === "") return;
    this.#text += text;
    this.#pattern += escapePattern(text);
  }

  literal(text: string): void {
    this.#started = true;
    this.#afterSpace = false;
    this.#text += text;
    this.#pattern += text;
    if (!this.#glob && GLOB.test(text)) this.#glob = true;
    else if (!this.#glob && text.startsWith("(") && /[@+!?*]$/.test(this.#pattern)) this.#glob = true;
  }

  /** Adds text that is globbed but not split. */
  #raw(text: string): void {
    if (text === "") return;
    this.literal(text);
  }

  split(text: string): void {
    const ifs = this.ifs;
    if (text === "") return;
    if (ifs === "") return this.#raw(text);
    let start = 0;
    for (let i = 0; i < text.length; i++) {
      if ((i & 0xffff) === 0xffff) this.poll();
      const c = text[i];
      if (!ifs.includes(c)) continue;
      this.#raw(text.slice(start, i));
      start = i + 1;
      if (c === " " || c === "\t" || c === "\n") {
        if (this.#started) {
          this.#emit();
          this.#afterSpace = true;
        }
      } else if (this.#started || !this.#afterSpace) {
        this.#emit();
        this.#afterSpace = false;
      } else {
        this.#afterSpace = false;
      }
    }
    this.#raw(text.slice(start));
  }

  list(values: readonly string[], quoted: boolean): void {
    const first = this.ifs[0];
    if (!quoted && first !== undefined && !" \t\n".includes(first)) {
      // A delimiter that is not white space keeps empty fields: as if joined by it.
      return this.split(values.join(first));
    }
    for (let i = 0; i < values.length; i++) {
      if (i > 0 && (this.#started || quoted)) this.#emit();
      if (quoted) this.quoted(values[i]);
      else this.split(values[i]);
    }
    if (!quoted) this.#afterSpace = false;
  }

  finish(): Field[] {
    if (this.#started) this.#emit();
    return this.fields;
  }
}

/** One text: nothing is split; lists are joined. */
export class TextSink implements Sink {
  value = "";
  quoted(text: string): void {
    this.value += text;
  }
  literal(text: string): void {
    this.value += text;
  }
  split(text: string): void {
    this.value += text;
  }
  list(values: readonly string[], _quoted: boolean, join: string): void {
    this.value += values.join(join);
  }
}

/** A pattern: what was quoted is escaped. */
export class PatternSink implements Sink {
  value = "";
  quoted(text: string): void {
    this.value += escapePattern(text);
  }
  literal(text: string): void {
    this.value += text;
  }
  split(text: string): void {
    this.value += text;
  }
  list(values: readonly string[], quoted: boolean, join: string): void {
    const text = values.join(join);
    this.value += quoted ? escapePattern(text) : text;
  }
}

/** A regular expression for `=~`: what was quoted is escaped. */
export class RegexSink implements Sink {
  value = "";
  quoted(text: string): void {
    this.value += text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  }
  literal(text: string): void {
    this.value += text;
  }
  split(text: string): void {
    this.value += text;
  }
  list(values: readonly string[], quoted: boolean, join: string): void {
    if (quoted) this.quoted(values.join(join));
    else this.value += values.join(join);
  }
}
