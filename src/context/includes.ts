/**
 * `@path` in a file of instructions: another file that belongs to it. Text in
 * back-ticks, in fenced blocks and within words (mail addresses, package
 * names behind other text) is no include.
 */

/** A mention. `plain`: it names no folder ("@notes.md", but also "@somebody"): no include unless the file is there. */
export interface Include {
  readonly path: string;
  readonly plain: boolean;
}

/** The includes of a text, in order, each path once. */
export function findIncludes(text: string): Include[] {
  const found = new Map<string, Include>();
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const open = line.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, (span) => " ".repeat(span.length));
    for (const [, raw] of open.matchAll(/(?<=^|[\s(])@((?:~\/|\.{0,2}\/)?[\w.~-][^\s`"'()<>@,;:]*)/g)) {
      const path = raw.replace(/[.!?]+$/, "");
      if (path === "" || found.has(path)) continue;
      found.set(path, { path, plain: !/^(?:~\/|\.{1,2}\/|\/)/.test(path) });
    }
  }
  return [...found.values()];
}
