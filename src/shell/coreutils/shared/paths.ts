/**
 * Paths as text: the last part, the folder, joining. Nothing here touches a disk.
 */

/** The last component, without trailing slashes; "/" for the root. */
export function baseName(path: string): string {
  const trimmed = trimSlashes(path);
  if (trimmed === "/") return "/";
  return trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

/** Everything before the last component, as dirname prints it. */
export function dirName(path: string): string {
  const trimmed = trimSlashes(path);
  if (trimmed === "/") return "/";
  const at = trimmed.lastIndexOf("/");
  if (at < 0) return ".";
  return trimSlashes(trimmed.slice(0, at)) || "/";
}

export function trimSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

export function joinPath(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** Names that stand for a descriptor or for nothing: the shell opens them itself, and no file system knows more about them. */
export function isStream(name: string): boolean {
  return /^\/dev\/(?:null|stdin|stdout|stderr|fd\/\d+)$/.test(name);
}
