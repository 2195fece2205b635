/** What a site's robots.txt says to this program: the group that names it, else the one for all. */

/** Whether the rules forbid a path (with its query). The longest rule that fits wins; of two alike, the one that allows. */
export function forbids(robots: string, agent: string, target: string): boolean {
  const groups = parse(robots);
  const own = groups.filter((group) => group.agents.includes(agent.toLowerCase()));
  const heeded = own.length > 0 ? own : groups.filter((group) => group.agents.includes("*"));
  let best = { length: -1, allow: true };
  for (const { allow, path } of heeded.flatMap((group) => group.rules)) {
    if (path.length < best.length || (path.length === best.length && !allow)) continue;
    if (fits(path, target)) best = { length: path.length, allow };
  }
  return !best.allow;
}

interface Group {
  readonly agents: string[];
  readonly rules: { readonly allow: boolean; readonly path: string }[];
}

function parse(robots: string): Group[] {
  const groups: Group[] = [];
  for (const line of robots.split(/\r\n|\n|\r/).slice(0, 5000)) {
    const match = /^\s*(user-agent|allow|disallow)\s*:\s*([^#]*?)\s*(#|$)/i.exec(line);
    if (match === null) continue;
    const [, key, value] = match;
    const last = groups.at(-1);
    if (key.toLowerCase() === "user-agent") {
      // Names in a row share the rules that follow.
      if (last !== undefined && last.rules.length === 0) last.agents.push(value.toLowerCase());
      else groups.push({ agents: [value.toLowerCase()], rules: [] });
    } else if (last !== undefined) {
      const allow = key.toLowerCase() === "allow";
      // An empty "Disallow" forbids nothing; it is kept so that the group ends here.
      last.rules.push(value === "" ? { allow: true, path: "" } : { allow, path: value });
    }
  }
  return groups;
}

/** `*` stands for any characters, `$` at the end for the end. No pattern here can take long. */
function fits(path: string, target: string): boolean {
  const anchored = path.endsWith("$");
  const parts = (anchored ? path.slice(0, -1) : path).split("*");
  if (!target.startsWith(parts[0])) return false;
  let at = parts[0].length;
  for (const [i, part] of parts.slice(1).entries()) {
    const last = i === parts.length - 2;
    const found = last && anchored ? target.length - part.length : target.indexOf(part, at);
    if (found < at || !target.startsWith(part, found)) return false;
    at = found + part.length;
  }
  return !anchored || at === target.length;
}
