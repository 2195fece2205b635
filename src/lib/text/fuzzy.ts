/** Fuzzy matching of paths: all letters of a query in order, better where they begin words or stand together. */

/** How well `path` fits `query`: higher is better, undefined where a letter is missing. Case counts only if the query has capitals. */
export function fuzzyScore(query: string, path: string): number | undefined {
  const fold = query === query.toLowerCase();
  const wanted = query.replaceAll(" ", "");
  const text = fold ? path.toLowerCase() : path;
  if (wanted.length === 0 || wanted.length > text.length) return undefined;
  // The last name counts most: if the whole query is in it, the folders need not help.
  const name = path.lastIndexOf("/") + 1;
  const inName = scoreFrom(wanted, text, path, name);
  const anywhere = scoreFrom(wanted, text, path, 0);
  if (inName !== undefined) return Math.max(inName + 20, anywhere ?? 0) - path.length / 50;
  return anywhere === undefined ? undefined : anywhere - path.length / 50;
}

/** The better of two ways to lay the letters: on the beginnings of words where there are some, and as early as possible. */
function scoreFrom(wanted: string, text: string, path: string, start: number): number | undefined {
  const early = laid(wanted, text, path, start, false);
  if (early === undefined) return undefined;
  return Math.max(early, laid(wanted, text, path, start, true) ?? 0);
}

function laid(
  wanted: string,
  text: string,
  path: string,
  start: number,
  onWords: boolean,
): number | undefined {
  let score = 0;
  let at = start;
  let last = -2;
  for (const letter of wanted) {
    const found = onWords ? place(letter, text, path, at, last) : text.indexOf(letter, at);
    if (found < 0) return undefined;
    score += found === last + 1 ? 6 : begins(path, found) ? 5 : 1;
    last = found;
    at = found + letter.length;
  }
  return score;
}

/** The next place of a letter: right behind the last one, else where a word begins, else anywhere. */
function place(letter: string, text: string, path: string, at: number, last: number): number {
  const next = text.indexOf(letter, at);
  if (next < 0 || next === last + 1) return next;
  for (let i = next; i >= 0; i = text.indexOf(letter, i + 1)) if (begins(path, i)) return i;
  return next;
}

function begins(path: string, at: number): boolean {
  if (at === 0) return true;
  const before = path[at - 1];
  return /[\/_\-. ]/.test(before) || (/[a-z0-9]/.test(before) && /[A-Z]/.test(path[at]));
}
