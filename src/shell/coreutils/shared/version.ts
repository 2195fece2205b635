/**
 * Order of version numbers in names (`sort -V`, `ls -v`): digits by value,
 * the rest by character, `~` before everything, known suffixes last.
 */
const SUFFIX = /(?:\.[A-Za-z~][A-Za-z0-9~]*)*$/;

export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  for (const special of ["", ".", ".."]) {
    if (a === special) return -1;
    if (b === special) return 1;
  }
  if (a[0] === "." && b[0] !== ".") return -1;
  if (a[0] !== "." && b[0] === ".") return 1;
  const shortA = a.replace(SUFFIX, ""), shortB = b.replace(SUFFIX, "");
  const result = shortA === shortB ? compareParts(a, b) : compareParts(shortA, shortB) || compareParts(a, b);
  return result !== 0 ? result : a < b ? -1 : 1;
}

function compareParts(a: string, b: string): number {
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    while ((i < a.length && !digit(a, i)) || (j < b.length && !digit(b, j))) {
      const difference = weight(a, i) - weight(b, j);
      if (difference !== 0) return difference;
      i++;
      j++;
    }
    while (a[i] === "0") i++;
    while (b[j] === "0") j++;
    let first = 0;
    while (digit(a, i) && digit(b, j)) {
      first ||= a.charCodeAt(i) - b.charCodeAt(j);
      i++;
      j++;
    }
    if (digit(a, i)) return 1;
    if (digit(b, j)) return -1;
    if (first !== 0) return first;
  }
  return 0;
}

function digit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function weight(text: string, at: number): number {
  if (at >= text.length || digit(text, at)) return 0;
  const code = text.charCodeAt(at);
  if (code === 126) return -1;
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) ? code : code + 65_536;
}
