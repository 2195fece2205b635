/**
 * Where a repository stands: branch, what is under way, the last commits. Read
 * from git's own small files, since starting git would hold up the first
 * request; what it would take git to know (changed files) is the tools' to ask.
 */
import { isAbsolute, joinPath, parentOf } from "../lib/files/paths.ts";
import { exists, readPlainText } from "../lib/files/read_plain.ts";
import { readTail } from "../lib/files/read_tail.ts";
import { visible } from "../lib/text/visible.ts";

/** What the prompt says of the repository. */
export interface GitState {
  /** Undefined where no branch is checked out. */
  readonly branch: string | undefined;
  /** Such as "a merge". */
  readonly underWay: string | undefined;
  /** Subjects, newest first. */
  readonly commits: readonly string[];
}

const COMMITS = 3;
const LOG_TAIL = 8 * 1024;

const UNDER_WAY: readonly (readonly [string, string])[] = [
  ["MERGE_HEAD", "a merge"],
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
  ["BISECT_LOG", "a bisection"],
];

/** The state of the repository that holds `cwd`; undefined where there is none. */
export function readGitState(cwd: string): GitState | undefined {
  const folder = findGit(cwd);
  const head = folder === undefined ? undefined : small(joinPath(folder, "HEAD"));
  if (folder === undefined || head === undefined) return undefined;
  const branch = /^ref: refs\/heads\/(\S{1,200})$/.exec(head)?.[1];
  if (branch === undefined && !/^[0-9a-f]{40,64}$/.test(head)) return undefined;
  return {
    branch: branch === undefined ? undefined : visible(branch),
    underWay: UNDER_WAY.find(([name]) => exists(joinPath(folder, name)))?.[1],
    commits: lastCommits(readTail(joinPath(folder, "logs/HEAD"), LOG_TAIL) ?? ""),
  };
}

/** The folder with HEAD: `.git`, or the one that a file of that name leads to (worktrees, submodules). */
function findGit(cwd: string): string | undefined {
  for (let at = cwd;; at = parentOf(at)) {
    const path = joinPath(at, ".git");
    if (exists(joinPath(path, "HEAD"))) return path;
    if (exists(path)) {
      const target = /^gitdir: (.+)$/.exec(small(path) ?? "")?.[1];
      // It says where something else is: only what git itself writes there is followed.
      if (target === undefined || !/\.git\/(worktrees|modules)\//.test(target)) return undefined;
      return isAbsolute(target) ? target : joinPath(at, target);
    }
    if (parentOf(at) === at) return undefined;
  }
}

function small(path: string): string | undefined {
  const read = readPlainText(path, 4096);
  return read.type === "text" ? read.text.trim() : undefined;
}

/** From the log of HEAD: what was committed, not every move of it. */
function lastCommits(log: string): string[] {
  const subjects: string[] = [];
  for (const line of log.split("\n").reverse()) {
    const match = /\t(?:commit(?: \([\w ]+\))?|cherry-pick|rebase[^:]*|merge[^:]*): (.+)$/.exec(line);
    if (match === null || /^(returning to|checkout |fast-forward)/i.test(match[1])) continue;
    const subject = visible(match[1].slice(0, 100).toWellFormed());
    if (!subjects.includes(subject)) subjects.push(subject);
    if (subjects.length === COMMITS) break;
  }
  return subjects;
}
