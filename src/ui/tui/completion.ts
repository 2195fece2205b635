/** What the editor offers while one types: commands after `/`, files after `@` (and in `!` lines). */
import type { AutocompleteItem, AutocompleteProvider } from "@earendil-works/pi-tui";
import { oneLine } from "../../lib/text/control.ts";
import { fuzzyScore } from "../../lib/text/fuzzy.ts";

export interface Offered {
  readonly name: string;
  readonly summary: string;
  readonly hint: string;
  /** What its first argument may be. */
  readonly values: readonly string[];
}

const MAX = 20;

/** Files of the workspace, found once and looked through for each query. */
export interface FileIndex {
  /** The best ones; undefined where the query was given up. */
  search(query: string, signal: AbortSignal): Promise<readonly string[] | undefined>;
}

/** `walk` gives the files in pieces, as it finds them. */
export function createFileIndex(walk: () => AsyncIterable<readonly string[]>): FileIndex {
  let files: string[] = [];
  let found: Promise<void> | undefined;
  let foundAt = 0;

  async function fill(): Promise<void> {
    const fresh: string[] = [];
    for await (const piece of walk()) {
      for (const path of piece) fresh.push(path);
      if (files.length < fresh.length) files = fresh;
    }
    files = fresh;
    foundAt = performance.now();
  }

  return {
    async search(query, signal) {
      // What has changed since is looked for in the background.
      if (found === undefined || (foundAt > 0 && performance.now() - foundAt > 10_000)) {
        foundAt = 0;
        found = fill();
      }
      if (files.length === 0) await found;
      const best: { path: string; score: number }[] = [];
      let worst = -Infinity;
      let since = performance.now();
      for (let i = 0; i < files.length; i++) {
        // Keys that come meanwhile must not wait for the end of a long list.
        if (i % 2048 === 2047 && performance.now() - since > 8) {
          await new Promise((resolve) => setTimeout(resolve, 0));
          if (signal.aborted) return undefined;
          since = performance.now();
        }
        const path = files[i];
        const score = query === "" ? -path.split("/").length - path.length / 1000 : fuzzyScore(query, path);
        if (score === undefined || (best.length >= MAX && score <= worst)) continue;
        let at = best.length;
        while (at > 0 && best[at - 1].score < score) at--;
        best.splice(at, 0, { path, score });
        if (best.length > MAX) best.pop();
        worst = best.at(-1)!.score;
      }
      return best.map(({ path }) => path);
    },
  };
}

/** The provider for the editor. `offered` is asked anew each time. */
export function createCompletion(offered: () => readonly Offered[], files: FileIndex): AutocompleteProvider {
  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, cursorLine, cursorCol, { signal }) {
      const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
      if (cursorLine === 0 && before.startsWith("/")) return commandItems(before, offered());
      const mention = /(?:^|[\s("'=])@("?)([^\s"]*|[^"]*)$/.exec(before);
      if (mention === null || (mention[1] === "" && /\s/.test(mention[2]))) return null;
      const found = await files.search(mention[2], signal);
      if (found === undefined || found.length === 0) return null;
      return {
        prefix: `@${mention[1]}${mention[2]}`,
        items: found.map((path) => {
          const shown = oneLine(path, 400);
          return { value: /\s/.test(path) ? `@"${path}"` : `@${path}`, label: shown };
        }),
      };
    },
    applyCompletion(lines, cursorLine, cursorCol, item, prefix) {
      const line = lines[cursorLine] ?? "";
      const before = line.slice(0, cursorCol);
      let { value } = item;
      // Keys may have come since the list was made: what stands there now is what is completed.
      let typed = prefix;
      if (value.startsWith("/") && cursorLine === 0) {
        typed = before;
        value = commandItems(before, offered())?.items.find((one) => one.value === value)?.value ??
          commandItems(before, offered())?.items[0]?.value ?? value;
      } else if (value.startsWith("@")) typed = /@"?[^"@]*$/.exec(before)?.[0] ?? prefix;
      const start = cursorCol - typed.length;
      const text = `${value} `;
      return {
        lines: lines.map((one, i) =>
          i === cursorLine ? line.slice(0, start) + text + line.slice(cursorCol).trimStart() : one
        ),
        cursorLine,
        cursorCol: start + text.length,
      };
    },
    shouldTriggerFileCompletion: (lines, cursorLine, cursorCol) =>
      /@[^\s]*$/.test((lines[cursorLine] ?? "").slice(0, cursorCol)),
  };
}

function commandItems(before: string, offered: readonly Offered[]) {
  const space = before.indexOf(" ");
  if (space < 0) {
    const word = before.slice(1);
    const items = offered.map((one) => ({ one, score: word === "" ? 0 : fuzzyScore(word, one.name) }))
      .filter(({ score }) => score !== undefined)
      .sort((a, b) => b.score! - a.score!)
      .map(({ one }): AutocompleteItem => ({
        value: `/${one.name}`,
        label: `/${one.name}${one.hint === "" ? "" : ` ${one.hint}`}`,
        description: oneLine(one.summary, 200),
      }));
    return items.length === 0 ? null : { items, prefix: before };
  }
  const command = offered.find(({ name }) => name === before.slice(1, space));
  const word = before.slice(space + 1);
  const items = (command?.values ?? []).filter((value) => value.startsWith(word) && value !== word);
  return items.length === 0 ? null : { items: items.map((value) => ({ value, label: value })), prefix: word };
}

/** The files that a text mentions with `@`. */
export function mentions(text: string): string[] {
  return [...text.matchAll(/(?:^|[\s("'=])@(?:"([^"\n]+)"|([^\s"'`,;:!?()]+))/g)].map(([, quoted, plain]) =>
    quoted ?? plain.replace(/\.$/, "")
  );
}
