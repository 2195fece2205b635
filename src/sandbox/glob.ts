/**
 * The two kinds of patterns in rules: one word with `*` and `?`, and a path of
 * words with `**`. Matched by walking, never by a regular expression, so that
 * no pattern and no path can make it slow.
 */

/** Whether `text` fits `pattern`: `*` is any run of characters, `?` is one. */
export function matchWord(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    const c = pattern[p];
    if (c === "*") {
      star = p++;
      mark = t;
    } else if (p < pattern.length && (c === "?" || c === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}

/** Whether an absolute path fits an absolute pattern (both `/`-separated). `**` is any number of folders; `dir/**` fits `dir` too. */
export function matchPath(pattern: string, path: string): boolean {
  const want = pattern.split("/");
  const have = path.split("/");
  let w = 0;
  let h = 0;
  let star = -1;
  let mark = 0;
  while (h < have.length) {
    if (want[w] === "**") {
      star = w++;
      mark = h;
    } else if (w < want.length && matchWord(want[w], have[h])) {
      w++;
      h++;
    } else if (star >= 0) {
      w = star + 1;
      h = ++mark;
    } else {
      return false;
    }
  }
  while (want[w] === "**") w++;
  return w === want.length;
}

/** Whether `path` is `root` or stands below it. */
export function isWithin(root: string, path: string): boolean {
  if (path.length === root.length) return path === root;
  if (path.length < root.length || !path.startsWith(root)) return false;
  return root.endsWith("/") || path[root.length] === "/";
}
