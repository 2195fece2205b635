/** Names of commits as models write them. */

/** Why a text cannot be the name of a commit or a range; undefined where it can. */
export function revision(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  // An option in the place of a name could make git write files.
  if (text.startsWith("-") || /[\s\0:]/.test(text)) {
    return `${JSON.stringify(text.slice(0, 80))} is not the name of a commit, such as HEAD~2, main or a hash`;
  }
  return undefined;
}
