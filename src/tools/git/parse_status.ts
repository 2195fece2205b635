/** Reads `git status --porcelain=v2 --branch -z`: the form that git promises to keep. */

/** A file in one of its states: one that is staged and was changed again has two. */
interface StatusFile {
  readonly place: "conflict" | "staged" | "changed" | "untracked";
  /** Such as "modified"; absent for files that are not tracked. */
  readonly what?: string;
  readonly path: string;
  /** Where a renamed file was. */
  readonly from?: string;
}

/** The whole answer. `ahead` and `behind` count commits against `upstream` and are 0 without one. */
export interface Status {
  /** Undefined where no branch is checked out. */
  readonly branch: string | undefined;
  /** Undefined before the first commit. */
  readonly commit: string | undefined;
  readonly upstream: string | undefined;
  readonly ahead: number;
  readonly behind: number;
  readonly stashes: number;
  readonly files: readonly StatusFile[];
}

const WHAT: Readonly<Record<string, string>> = {
  M: "modified",
  T: "type changed",
  A: "new",
  D: "deleted",
  R: "renamed",
  C: "copied",
};

/** The form is git-status(1), "Porcelain Format Version 2"; records of kinds that it does not name are passed over. */
export function parseStatus(text: string): Status {
  const head: Record<string, string> = {};
  const files: StatusFile[] = [];
  const records = text.split("\0");
  for (let i = 0; i < records.length; i++) {
    const record = records[i];
    switch (record[0]) {
      case "#": {
        const space = record.indexOf(" ", 2);
        head[record.slice(2, space)] = record.slice(space + 1);
        break;
      }
      case "1":
        files.push(...both(record.slice(2, 4), field(record, 8)));
        break;
      case "2":
        files.push(...both(record.slice(2, 4), field(record, 9), records[++i]));
        break;
      case "u":
        files.push({ place: "conflict", what: conflict(record.slice(2, 4)), path: field(record, 10) });
        break;
      case "?":
        files.push({ place: "untracked", path: record.slice(2) });
    }
  }
  const apart = /^\+(\d+) -(\d+)$/.exec(head["branch.ab"] ?? "");
  return {
    branch: head["branch.head"] === "(detached)" ? undefined : head["branch.head"],
    commit: head["branch.oid"] === "(initial)" ? undefined : head["branch.oid"],
    upstream: head["branch.upstream"],
    ahead: Number(apart?.[1] ?? 0),
    behind: Number(apart?.[2] ?? 0),
    stashes: Number(head["stash"] ?? 0),
    files,
  };
}

/** What a record says of the index and of the working tree: a file may stand in both lists. */
function both(codes: string, path: string, from?: string): StatusFile[] {
  const out: StatusFile[] = [];
  const renamed = from === undefined ? {} : { from };
  if (codes[0] !== ".") out.push({ place: "staged", what: WHAT[codes[0]] ?? codes[0], path, ...renamed });
  if (codes[1] !== ".") {
    const there = codes[1] === "R" || codes[1] === "C" ? renamed : {};
    out.push({ place: "changed", what: WHAT[codes[1]] ?? codes[1], path, ...there });
  }
  return out;
}

function conflict(codes: string): string {
  const side = (code: string) => code === "A" ? "added" : code === "D" ? "deleted" : "changed";
  return codes[0] === codes[1] ? `both ${side(codes[0])}` : `${side(codes[0])} here, ${side(codes[1])} there`;
}

/** What follows the `n`-th space: the path, which may hold spaces itself. */
function field(record: string, n: number): string {
  let at = -1;
  for (let i = 0; i < n; i++) at = record.indexOf(" ", at + 1);
  return record.slice(at + 1);
}
