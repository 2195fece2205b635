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

interface YamlNode {
  readonly column: number;
  readonly name: string;
  readonly isItem: boolean;
  /** How many list items it has had. */
  items: number;
}

const YAML_LINE = /^(\s*)((?:-\s+)*)(?:(?:"([^"]*)"|'([^']*)'|([^\s#:"'-][^:]*?))\s*:(?:\s|$))?/;

/** Follows keys and items by their columns; good for block style, silent on others. */
function findYaml(source: string, path: readonly string[]): number | undefined {
  const root: YamlNode = { column: -1, name: "", isItem: false, items: 0 };
  const stack = [root];
  const top = () => stack[stack.length - 1];
  let offset = 0;
  for (const line of source.split("\n")) {
    const [, space, dashes, ...names] = YAML_LINE.exec(line + " ") ?? ["", "", ""];
    let column = space.length;
    const enter = (name: string, isItem: boolean) => {
      // A list may stand at the column of its key.
      while (top().column > column || (top().column === column && (!isItem || top().isItem))) stack.pop();
      stack.push({ column, name: isItem ? String(top().items++) : name, isItem, items: 0 });
      const found = stack.length === path.length + 1 && path.every((part, i) => stack[i + 1].name === part);
      return found ? offset + column : undefined;
    };
    for (const dash of dashes.match(/-\s+/g) ?? []) {
      const at = enter("", true);
      if (at !== undefined) return at;
      column += dash.length;
    }
    const key = names.find((name) => name !== undefined);
    const at = key === undefined ? undefined : enter(key, false);
    if (at !== undefined) return at;
    offset += line.length + 1;
  }
  return undefined;
}
