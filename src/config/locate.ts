/**
 * Finds the line and column of a setting in its file. Only loaded when there
 * is something to tell, so it may be simple: it walks the text again instead
 * of keeping places while reading.
 */
import type { ConfigPlace } from "./errors.ts";

export type Format = "json" | "yaml";

/** Where the key that `path` leads to stands; undefined where it is not found. */
export function locate(source: string, format: Format, path: readonly string[]): ConfigPlace | undefined {
  if (path.length === 0) return undefined;
  const at = format === "json" ? new JsonWalk(source).find(path) : findYaml(source, path);
  return at === undefined ? undefined : placeAt(source, at);
}

/** The line and column of an offset. */
export function placeAt(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - start + 1 };
}

/** Walks JSON with comments and trailing commas. Assumes that the text was read before, and gives up where it is odd. */
class JsonWalk {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  find(path: readonly string[]): number | undefined {
    this.#space();
    const open = this.#source[this.#at];
    if (open !== "{" && open !== "[") return undefined;
    this.#at++;
    for (let index = 0;; index++) {
      this.#space();
      const start = this.#at;
      const next = this.#source[this.#at];
      if (next === undefined || next === "}" || next === "]") return undefined;
      let name = String(index);
      if (open === "{") {
        name = this.#text();
        this.#space();
        this.#at++;
      }
      if (name === path[0]) return path.length === 1 ? start : this.find(path.slice(1)) ?? start;
      this.#skip();
      this.#space();
      if (this.#source[this.#at] === ",") this.#at++;
    }
  }

  #space(): void {
    const rest = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
    rest.lastIndex = this.#at;
    rest.exec(this.#source);
    this.#at = rest.lastIndex;
  }

  #text(): string {
    const quoted = /"(?:[^"\\]|\\.)*"/sy;
    quoted.lastIndex = this.#at;
    const found = quoted.exec(this.#source);
    if (!found) {
      this.#at = this.#source.length;
      return "";
    }
    this.#at = quoted.lastIndex;
    return JSON.parse(found[0]);
  }

  /** Passes over a value. */
  #skip(): void {
    this.#space();
    let depth = 0;
    while (this.#at < this.#source.length) {
      const next = this.#source[this.#at];
      if (next === '"') this.#text();
      else if (next === "{" || next === "[") depth++, this.#at++;
      else if (next === "}" || next === "]") {
        if (depth === 0) return;
        depth--;
        this.#at++;
      } else if (next === "," && depth === 0) return;
      else this.#at++;
      if (depth > 0) this.#space();
    }
  }
}

/** Follows keys by their indentation; good for block style, silent on others. */
function findYaml(source: string, path: readonly string[]): number | undefined {
  let depth = 0;
  let indent = -1;
  let offset = 0;
  let items = -1;
  for (const line of source.split("\n")) {
    const found = /^(\s*)(?:(-\s+)?(?:"([^"]*)"|'([^']*)'|([^\s#:"'][^:]*?))\s*:(?:\s|$)|(-)\s)/.exec(line);
    if (found) {
      const own = found[1].length;
      const key = found[3] ?? found[4] ?? found[5];
      if (/^\d+$/.test(path[depth]) && (found[2] || found[6]) && own >= indent) items++;
      if (own > indent || indent < 0) {
        if (key === path[depth] || (items >= 0 && String(items) === path[depth])) {
          if (depth === path.length - 1) return offset + own;
          depth++;
          indent = own;
          items = -1;
        }
      }
    }
    offset += line.length + 1;
  }
  return undefined;
}
