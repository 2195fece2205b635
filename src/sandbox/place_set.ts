/**
 * A set of places, for the many paths that are asked about: a look-up per
 * folder of the path instead of a walk through all patterns. Places are
 * absolute, or stand anywhere (a pattern that begins with two stars). Case is
 * no way around them: everything is compared in lower case.
 */
import { matchWord } from "./glob.ts";
import { foldCase } from "./names.ts";

/** Many places, asked about in one look at a path. */
export interface PlaceSet {
  /** Whether a path (in lower case) is one of the places or stands in one. */
  holds(path: string): boolean;
  /** Whether a place could stand below the folder at `path`, by its name alone. */
  leadsTo(path: string): boolean;
}

/** A folder is in a place, or has a word of one in its path, or has one below it, or none of that. */
type Known = "holds" | "may hold" | "leads to some" | "holds nothing";

/** `places`: absolute paths, or names behind a double star, which stand anywhere. */
export function placeSet(places: readonly string[]): PlaceSet {
  const absolute = new Set<string>();
  const folders = new Set<string>();
  /** Places that stand anywhere, by their first word. */
  const anywhere = new Map<string, string[][]>();
  for (const place of places) {
    const lower = foldCase(place);
    if (lower.startsWith("**/")) {
      const words = lower.slice(3).split("/");
      anywhere.set(words[0], [...(anywhere.get(words[0]) ?? []), words]);
    } else {
      absolute.add(lower);
      for (let cut = lower.lastIndexOf("/"); cut > 0; cut = lower.lastIndexOf("/", cut - 1)) {
        folders.add(lower.slice(0, cut));
      }
    }
  }

  /** What is known of folders, so that their files cost little; and the folder asked about last. */
  const known = new Map<string, Known>();
  let lastFolder: string | undefined;
  let lastKnown: Known = "holds nothing";

  function knownOf(path: string, cut: number): Known {
    if (lastFolder?.length === cut && path.startsWith(lastFolder)) return lastKnown;
    const folder = path.slice(0, cut);
    let answer = known.get(folder);
    if (answer === undefined) {
      if (known.size > 4096) known.clear();
      if (inAny(folder)) answer = "holds";
      else if (folder.split("/").some((word) => anywhere.has(word))) answer = "may hold";
      else answer = folders.has(folder) || cut <= 0 ? "leads to some" : "holds nothing";
      known.set(folder, answer);
    }
    lastFolder = folder;
    lastKnown = answer;
    return answer;
  }

  function inAny(path: string): boolean {
    for (let from = 0; from < path.length;) {
      const cut = path.indexOf("/", from + 1);
      const end = cut < 0 ? path.length : cut;
      const words = anywhere.get(path.slice(path[from] === "/" ? from + 1 : from, end));
      if (words && words.some((place) => standsAt(place, path, from + 1))) return true;
      if (absolute.has(path.slice(0, end))) return true;
      from = end;
    }
    return false;
  }

  return {
    holds(path) {
      const cut = path.lastIndexOf("/");
      switch (knownOf(path, cut)) {
        case "holds":
          return true;
        case "may hold":
          return inAny(path);
        case "leads to some":
          return absolute.has(path) || (anywhere.has(path.slice(cut + 1)) && inAny(path));
        case "holds nothing":
          return anywhere.has(path.slice(cut + 1)) && inAny(path);
      }
    },
    leadsTo(path) {
      if (folders.has(path)) return true;
      for (const places of anywhere.values()) {
        for (const words of places) {
          for (let length = 1; length < words.length; length++) {
            if (path.endsWith(`/${words.slice(0, length).join("/")}`)) return true;
          }
        }
      }
      return false;
    },
  };
}

/** Whether the words are what stands in the path from there on. */
function standsAt(words: readonly string[], path: string, from: number): boolean {
  const have = path.slice(from).split("/");
  return words.length <= have.length && words.every((word, i) => matchWord(word, have[i]));
}
