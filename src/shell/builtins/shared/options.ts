/** Reading single-letter options as bash's builtins do. */

export interface Parsed {
  /** Letters given, in order. */
  readonly flags: ReadonlySet<string>;
  /** Values of letters that take one. */
  readonly values: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
  /** The first letter that is not known (with its dash), or one that lacks its value. */
  readonly bad?: string;
  readonly missing?: string;
}

/** `spec`: letters, each followed by `:` where it takes a value. */
export function parseOptions(args: readonly string[], spec: string): Parsed {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  let i = 0;
  for (; i < args.length; i++) {
    const a = args[i];
    if (a === "--") {
      i++;
      break;
    }
    if (a.length < 2 || a[0] !== "-") break;
    for (let k = 1; k < a.length; k++) {
      const c = a[k];
      const at = spec.indexOf(c);
      if (c === ":" || at === -1) return { flags, values, rest: args.slice(i), bad: `-${c}` };
      flags.add(c);
      if (spec[at + 1] !== ":") continue;
      if (k + 1 < a.length) values.set(c, a.slice(k + 1));
      else if (i + 1 < args.length) values.set(c, args[++i]);
      else return { flags, values, rest: [], missing: `-${c}` };
      break;
    }
  }
  return { flags, values, rest: args.slice(i) };
}
