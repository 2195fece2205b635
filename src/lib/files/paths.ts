/**
 * Paths as models and users write them, turned into the absolute,
 * `/`-separated ones that hosts take, and back into short ones to show.
 * Pure text: nothing here looks at a disk or resolves a link.
 */

/** `path` as an absolute path without `.` and `..`: relative to `cwd`, `~` being `home`. */
export function resolvePath(path: string, cwd: string, home: string): string {
  let text = path.startsWith("file://") ? decodeURIComponent(path.slice("file://".length)) : path;
  if (/^[A-Za-z]:[\\/]/.test(text) || text.startsWith("\\\\")) text = text.replaceAll("\\", "/");
  if (text === "~" || text.startsWith("~/")) text = home + text.slice(1);
  return normalize(isAbsolute(text) ? text : `${cwd}/${text}`);
}

/** From a root, or from a Windows drive with `/` behind it. */
export function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:\//.test(path);
}

/** Without `.`, `..`, doubled and trailing slashes. */
function normalize(path: string): string {
  const root = /^(?:[A-Za-z]:)?\/{0,2}/.exec(path)![0].replace(/\/+$/, path.startsWith("//") ? "//" : "/");
  const out: string[] = [];
  for (const part of path.slice(root.length).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") out.pop();
    else out.push(part);
  }
  return root + out.join("/");
}

/** The folder that holds `path`. */
export function parentOf(path: string): string {
  const at = path.lastIndexOf("/");
  if (at <= 0) return "/";
  return /^[A-Za-z]:$/.test(path.slice(0, at)) ? path.slice(0, at + 1) : path.slice(0, at);
}

/** The last part of `path`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `name` in `folder`. */
export function joinPath(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** Whether `path` is `folder` or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : folder + "/");
}

/** `path` as one reads it from `cwd`: relative where it is below, else as it is. */
export function shortPath(path: string, cwd: string): string {
  if (path === cwd) return ".";
  return isWithin(path, cwd) ? path.slice(cwd.endsWith("/") ? cwd.length : cwd.length + 1) : path;
}
