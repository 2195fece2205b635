/**
 * Names that mean something else than they look: what a case-insensitive or
 * Unicode-minded file system takes for the same, and what Windows takes for a
 * device, a stream, or another name.
 */

/** Characters that some file systems pass over when they compare names. */
const IGNORED = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** A path in the form in which two that may be the same are equal. */
export function foldCase(path: string): string {
  if (/^[\x00-\x7f]*$/.test(path)) return path.toLowerCase();
  // By way of capitals: there are letters that only they make equal.
  return path.normalize("NFC").replace(IGNORED, "").toUpperCase().toLowerCase().normalize("NFC");
}

const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.[^/]*)?[. ]*$/i;

/** Why Windows would open something else under that path; undefined where it would not. */
export function windowsNameProblem(path: string): string | undefined {
  if (/^[\\/]{2}[?.][\\/]/.test(path)) return "it names a device or passes over how names are read";
  const rest = path.replace(/^[A-Za-z]:/, "");
  if (rest.includes(":")) return "it names an alternate stream";
  for (const name of rest.split(/[\\/]/)) {
    if (name === "" || name === "." || name === "..") continue;
    if (DEVICE.test(name)) return "it is a device's name on Windows";
    // Windows leaves them out: `.git.` is `.git`.
    if (/[. ]$/.test(name)) return "it ends in a dot or a space, which Windows leaves out";
    if (/^[^.~]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?$/.test(name)) {
      return "it has the form of another file's short name";
    }
  }
  return undefined;
}
