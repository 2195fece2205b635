/**
 * Finding sessions without opening them: the list of a folder or of all, the
 * newest, the one of an id. Reads the beginning of each file and the end of
 * large ones, never all of it unless that is cheap; a file that cannot be
 * read is listed as such and hides no other.
 */
import { describeBriefly } from "../lib/errors.ts";
import { textOf } from "../llm/message.ts";
import { asEntry, asHeader, isKnown } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { lockSession } from "./lock.ts";
import { find, type Found, moveInto, names, peek, realPath } from "./log/files.ts";
import { BAD_SUFFIX, LF, LINE_START } from "./log/format.ts";
import { type LogSink, readBytes } from "./log/reader.ts";
import { artifactsPath, folderName, idOf, shortId } from "./paths.ts";

export interface SessionSummary {
  readonly id: string;
  readonly file: string;
  /** Empty where the file no longer says it. */
  readonly cwd: string;
  /** ISO 8601; of the header, else of the file. */
  readonly createdAt: string;
  readonly changedAt: string;
  readonly bytes: number;
  /** The session's title, else the first words of the user, else "". */
  readonly title: string;
  /** What the user and the model said; undefined where counting would mean reading a large file. */
  readonly messages: number | undefined;
  /** "provider/id" of the last run that was seen. */
  readonly model: string | undefined;
  /** Why nothing more is known of it. */
  readonly problem: string | undefined;
}

export interface ListOptions {
  /** The folder of all sessions. */
  readonly root: string;
  /** Only those of this workspace. */
  readonly cwd?: string;
  /** Only so many, the newest. */
  readonly limit?: number;
}

/** What is read of the beginning of a file, and of the end of a larger one. */
const HEAD = 64 * 1024;
const TAIL = 16 * 1024;
/** How many bytes of large files one listing reads whole, newest first, to count their messages. */
const COUNT_BUDGET = 64 * 1024 * 1024;
const TITLE_LENGTH = 80;

/** The sessions, newest first. */
export function listSessions(options: ListOptions): SessionSummary[] {
  const found = filesOf(options.root, options.cwd).sort(newestFirst);
  let budget = COUNT_BUDGET;
  return found.slice(0, options.limit ?? found.length).map((file) => {
    const whole = file.size <= Math.max(HEAD, budget);
    if (whole && file.size > HEAD) budget -= file.size;
    return summarize(file, whole);
  });
}

/** The file of the newest session of a workspace that holds anything, else of the newest; undefined where there is none. */
export function newestSession(root: string, cwd: string): string | undefined {
  const files = filesOf(root, cwd).sort(newestFirst);
  return (files.find(holdsAnything) ?? files[0])?.path;
}

function newestFirst(a: Found, b: Found): number {
  return b.changedAt - a.changedAt || (a.path < b.path ? 1 : -1);
}

/** Whether a second line has begun: a process that died before the first prompt leaves a header alone. */
function holdsAnything(file: Found): boolean {
  try {
    const head = peek(file.path, 0, HEAD);
    const first = head.indexOf(LF);
    return first >= 0 && first < head.length - 1;
  } catch {
    // It cannot be read: whoever opens it is told why.
    return true;
  }
}

/**
 * The file of the session that `wanted` means: a path, a whole id, or the
 * beginning or end of one, looked for in the workspace first. Throws a
 * `SessionError` "not_found" where it means none, or more than one.
 */
export function findSession(root: string, wanted: string, cwd?: string): string {
  if (/[/\\]|\.jsonl$/.test(wanted)) {
    if (find(wanted)) return realPath(wanted);
    throw new SessionError("not_found", `Cannot find session file "${wanted}"`);
  }
  const id = wanted.toLowerCase();
  for (const scope of cwd === undefined ? [undefined] : [cwd, undefined]) {
    const hits = id === "" ? [] : filesOf(root, scope).filter(({ path }) => {
      const own = idOf(path);
      return own !== undefined &&
        (own.startsWith(id) || own.endsWith(id) || (id.length >= 3 && own.includes(id)));
    });
    if (hits.length === 1) return hits[0].path;
    if (hits.length > 1) {
      const ids = hits.slice(0, 5).map(({ path }) => shortId(idOf(path) ?? "")).join(", ");
      throw new SessionError("not_found", `Cannot tell which session "${wanted}" is: ${hits.length} match`, {
        hint: `Give more of the id, such as one of ${ids}`,
      });
    }
  }
  throw new SessionError("not_found", `Cannot find session "${wanted}"`, {
    hint: "List them with `myelin sessions list --all`",
  });
}

/** Moves a session, its artifacts and its damage report to the trash folder; answers with the new path. Rejects with "busy" while it is in use. */
export async function removeSession(root: string, file: string): Promise<string> {
  const lock = await lockSession(file);
  try {
    const trash = `${root}/.trash`;
    const moved = await moveInto(file, trash);
    if (moved === undefined) throw new SessionError("not_found", `Cannot find session file "${file}"`);
    await moveInto(file + BAD_SUFFIX, trash);
    await moveInto(artifactsPath(file), trash);
    return moved;
  } finally {
    lock.release();
  }
}

function filesOf(root: string, cwd: string | undefined): Found[] {
  const folders = cwd !== undefined
    ? [`${root}/${folderName(cwd)}`]
    : names(root).filter((entry) => entry.isFolder && !entry.name.startsWith(".")).map((entry) =>
      `${root}/${entry.name}`
    );
  return folders.flatMap((folder) =>
    names(folder)
      .filter((entry) => !entry.isFolder && entry.name.endsWith(".jsonl"))
      .map((entry) => find(`${folder}/${entry.name}`))
      .filter((file) => file !== undefined)
  );
}

function summarize(file: Found, whole: boolean): SessionSummary {
  const summary = {
    id: idOf(file.path) ?? "",
    file: file.path,
    cwd: "",
    createdAt: "",
    changedAt: new Date(file.changedAt).toISOString(),
    bytes: file.size,
    title: "",
    messages: undefined as number | undefined,
    model: undefined as string | undefined,
    problem: undefined as string | undefined,
  };
  try {
    const head = peek(file.path, 0, whole ? file.size : HEAD);
    let messages = scan(wholeLines(head, head.length === file.size), summary);
    if (!whole) {
      const tail = peek(file.path, file.size - TAIL, TAIL);
      messages = scan(tail.subarray(tail.indexOf(LF) + 1), summary);
    }
    if (whole) summary.messages = messages;
    if (file.size === 0) summary.problem = "empty";
  } catch (error) {
    // The row names the session: the words alone, without the path.
    const own = error instanceof SessionError && error.cause !== undefined ? error.cause : error;
    summary.problem = describeBriefly(own);
  }
  if (summary.createdAt === "") summary.createdAt = summary.changedAt;
  return summary;
}

/** Without the line that was cut by reading only so much. */
function wholeLines(head: Uint8Array, all: boolean): Uint8Array {
  return all ? head : head.subarray(0, head.lastIndexOf(LF) + 1);
}

/** Takes from lines what a summary tells, and counts messages. */
function scan(
  bytes: Uint8Array,
  into: { id: string; cwd: string; createdAt: string; title: string; model: string | undefined },
): number {
  let messages = 0;
  let titled = false;
  const sink: LogSink = {
    take(value) {
      const header = asHeader(value);
      if (header) {
        into.id = header.id;
        into.cwd = header.cwd;
        into.createdAt = header.at;
        return true;
      }
      const entry = asEntry(value);
      if (!entry || !isKnown(entry)) return entry !== undefined;
      if (entry.kind === "title") {
        into.title = entry.title;
        titled = true;
      } else if (entry.kind === "run_start") into.model = entry.model;
      else if (entry.kind === "assistant") messages++;
      else if (entry.kind === "submission") {
        messages++;
        if (!titled && into.title === "") into.title = firstWords(textOf(entry.message));
      }
      return true;
    },
    damage: () => {},
  };
  // Of the runs only the last one is told.
  let run: [from: number, to: number] | undefined;
  for (let at = 0; at < bytes.length;) {
    const lf = bytes.indexOf(LF, at);
    const end = lf < 0 ? bytes.length : lf;
    const kind = kindOf(bytes, at, end);
    // Most lines only count, or tell nothing that is listed: they need not be parsed.
    if (kind === "assistant" || (kind === "submission" && (titled || into.title !== ""))) messages++;
    else if (kind === "run_start") run = [at, end];
    else if (kind === undefined || LISTED.has(kind)) readBytes(bytes.subarray(at, end), sink);
    at = end + 1;
  }
  if (run !== undefined) readBytes(bytes.subarray(...run), sink);
  return messages;
}

/** Kinds that tell something that is listed. */
const LISTED: ReadonlySet<string> = new Set(["session", "submission", "title"]);
const START = new TextEncoder().encode(LINE_START);
const QUOTE = 0x22;
const CLOSE = 0x7d;

/** The kind of a line that begins and ends as the lines of this program do. */
function kindOf(bytes: Uint8Array, at: number, end: number): string | undefined {
  if (bytes[end - 1] !== CLOSE || end - at <= START.length) return undefined;
  for (let i = 0; i < START.length; i++) if (bytes[at + i] !== START[i]) return undefined;
  let kind = "";
  for (let i = at + START.length; i < end && kind.length < 24; i++) {
    if (bytes[i] === QUOTE) return kind;
    kind += String.fromCharCode(bytes[i]);
  }
  return undefined;
}

/** The beginning of a text on one line. */
export function firstWords(text: string): string {
  const line = text.slice(0, 4 * TITLE_LENGTH).replace(/\s+/g, " ").trim();
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH - 1).toWellFormed();
  return cut.slice(0, Math.max(cut.lastIndexOf(" "), TITLE_LENGTH / 2)) + "…";
}
