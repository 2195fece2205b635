/** Paths as scripts write them on Windows, in the one form that a host takes. Text alone; no disk is touched. */

/** With slashes; `/c/dir` and `c:` are drives. `//server/share` stays what it is. */
export function windowsPath(given: string): string {
  const path = given.replaceAll("\\", "/");
  const m = /^\/([A-Za-z])(\/.*)?$/.exec(path) ?? /^([A-Za-z]):(\/.*)?$/.exec(path);
  return m === null ? path : `${m[1].toUpperCase()}:${m[2] ?? "/"}`;
}
