/** "Did you mean": the known name that is nearest to a mistyped one (optimal string alignment distance). */
/** The name that somebody who wrote `wrong` most likely meant; undefined where none is near. */
export function nearest(wrong: string, names: Iterable<string>): string | undefined {
  const word = wrong.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    const other = name.toLowerCase();
    const far = other === word ? 0 : editDistance(word, other, least);
    if (far < least) {
      least = far;
      best = name;
    }
  }
  return best;
}

/** Edits between two words, swaps of neighbours counted as one; anything from `limit` on may come back as `limit`. */
function editDistance(a: string, b: string, limit = Infinity): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], before[j - 2] + 1);
      }
    }
    before = last;
    last = row;
  }
  return last[b.length];
}
