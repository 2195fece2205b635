/**
 * The first line of a script file: which program it names, and with which
 * options, as the system and `env` read it. Where `env` would have more to do
 * than to look for a program (settings, quotes, variables), it is `env` that
 * is named.
 */

/** The program and its options; undefined where the text has no such line. */
export function firstLine(text: string): readonly string[] | undefined {
  const line = /^#![ \t]*([^ \t\n]+)(?:[ \t]+([^\n]*))?/.exec(text);
  if (line === null) return undefined;
  const [, program, all = ""] = line;
  const rest = all.replace(/[ \t]+$/, "");
  // To the system all that follows is one word.
  if (program.split("/").pop() !== "env") return rest === "" ? [program] : [program, rest];
  const split = /^(?:-S|--split-string[= \t])[ \t]*(.+)$/.exec(rest);
  if (split === null) return [rest.split(/[ \t]/)[0] || program];
  const words = split[1].split(/[ \t]+/);
  return /[\\'"$#]/.test(split[1]) || /^-|=/.test(words[0]) ? [program] : words;
}
