/**
 * Engines that choose between others by the text that they are asked about.
 */
import type { Regex, RegexMatch } from "./engine.ts";

/** Texts up to this length are given to V8 although the pattern has look-around or back-references. */
const SHORT_TEXT = 20_000;

/** For blocks of lines, of which most have no match: a text without a character that every match holds is told at once. */
export class ScreenedRegex implements Regex {
  readonly source: string;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;

  constructor(readonly regex: Regex, readonly needed: string) {
    this.source = regex.source;
    this.groups = regex.groups;
    this.names = regex.names;
  }

  exec(text: string, from?: number): RegexMatch | undefined {
    return this.regex.exec(text, from);
  }

  spans(text: string, from?: number): Int32Array | undefined {
    return this.regex.spans(text, from);
  }

  find(text: string, from?: number): number {
    return this.regex.find(text, from);
  }

  test(text: string): boolean {
    return text.includes(this.needed) && this.regex.test(text);
  }
}

/** V8 for short texts, the counting engine for long ones. */
export class EitherRegex implements Regex {
  readonly source: string;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;

  constructor(readonly quick: Regex, readonly counted: Regex) {
    this.source = quick.source;
    this.groups = quick.groups;
    this.names = quick.names;
  }

  #for(text: string): Regex {
    return text.length <= SHORT_TEXT ? this.quick : this.counted;
  }

  exec(text: string, from?: number): RegexMatch | undefined {
    return this.#for(text).exec(text, from);
  }

  spans(text: string, from?: number): Int32Array | undefined {
    return this.#for(text).spans(text, from);
  }

  find(text: string, from?: number): number {
    return this.#for(text).find(text, from);
  }

  test(text: string): boolean {
    return this.#for(text).test(text);
  }
}
