/**
 * A file system behind the policy: every path is resolved by the path guard,
 * the result is judged by `decide`, and the result (not the path as given) is
 * handed on. Between the look and the deed a program could swap a folder for a
 * link. Where the files behind the guard hold what they reach (`pins`), they
 * refuse a path that has a link in it by then. Elsewhere, while external
 * programs run, what was opened is compared with what stands at the resolved
 * path, and with where the path leads by now; that narrows the gap for files
 * and leaves it for operations on names.
 *
 * A verdict "ask" waits for an answer: operations that may be slow await it,
 * the synchronous ones stand still (`permitStill`).
 * Named pipes and devices are never opened: opening one can wait for ever.
 */
import {
  type DirEntry,
  type FileStat,
  HostError,
  type HostFile,
  type HostFs,
  type Later,
  type OpenOptions,
} from "../shell/host.ts";
import { decide } from "./decide.ts";
import { isDevice, openDevice, statDevice } from "./devices.ts";
import { windowsNameProblem } from "./names.ts";
import { isWithin } from "./glob.ts";
import { createPathGuard, knownPlaces, type Place } from "./guard_paths.ts";
import type { Action, Policy, Verdict } from "./policy.ts";

/** What an open file of the guarded file system is, for handing it to a program. */
export interface OpenedFile {
  /** Absolute and free of links; a device's name for a device. */
  readonly path: string;
  readonly options: OpenOptions;
  /** Its number where the main isolate holds it for the worker. */
  readonly held?: number;
}

/** What is behind the guard, and whom it asks. */
export interface GuardedFsOptions {
  /** The file system behind the guard. */
  readonly fs: HostFs;
  /** Whether `fs` now reaches only what stands at a path without links: then nothing has to be compared. */
  pins?(): boolean;
  /** The files among which programs are looked up; default: `fs`. */
  readonly programs?: Pick<HostFs, "stat" | "lstat" | "access" | "realPath">;
  /** Opening asks as everything else does, standing still. */
  readonly opensStill?: boolean;
  /**
   * An opening that has waited for its answer goes on: at once by `go`, or in
   * another way, for which `granted` is what was allowed. Default: by `go`.
   */
  resume?(
    go: () => Later<HostFile>,
    given: string,
    wanted: OpenOptions,
    granted: readonly Action[],
  ): Later<HostFile>;
  /**
   * Opens a file outside of the roots that somebody has said yes to, and only
   * where no link stands in its path. Absent: nobody is asked for such a file.
   */
  openOutside?(path: string, wanted: OpenOptions, granted: readonly Action[]): Later<HostFile>;
  /** Opens what is known to be a file or not there, without another look. */
  readonly openPlain?: HostFs["open"];
  readonly policy: Policy;
  readonly windows: boolean;
  /** Folders in which programs are looked up: their entries may be looked at, not read. */
  readonly programFolders: readonly string[];
  /** Whether external programs run now. */
  programsRun(): boolean;
  /** A number that changes with every program that starts (after `programsRun`) and ends (before it). */
  generation(): number;
  /** Answers a verdict "ask": undefined where it is allowed, else the reason. */
  permit(action: Action, reason: string): Promise<string | undefined>;
  /** The same, while everything stands still. */
  permitStill(action: Action, reason: string): string | undefined;
  /** Makes a link; `path` is resolved and judged. */
  symlink(target: string, path: string): Promise<void>;
}

type PathAction = Extract<Action, { kind: "read" | "write" }>;

interface Question {
  readonly action: PathAction;
  readonly reason: string;
  readonly outside: boolean;
}

/** Refusals are HostError EDENIED with the reason. */
export interface GuardedFs extends HostFs {
  /** Forgets what was resolved: at the start of every call. */
  forget(): void;
  /** What a file of this file system is; undefined for others. */
  opened(file: HostFile): OpenedFile | undefined;
}

const SET_ID_BITS = 0o6000;

/** What was resolved is remembered as long as `generation` stays and no program runs. */
export function createGuardedFs(options: GuardedFsOptions): GuardedFs {
  const { fs, policy } = options;
  let generation = -1;
  const guard = createPathGuard({
    fs,
    policy,
    mayRemember() {
      const now = options.generation();
      if (now === generation) return !options.programsRun();
      generation = now;
      return false;
    },
  });
  const files = new WeakMap<HostFile, OpenedFile>();
  const free = policy.mode === "off";
  const pins = options.pins ?? (() => false);
  const programs = options.programs ?? fs;
  const places = knownPlaces(policy);

  function judge(kind: "read" | "write", path: string, tree = false): Verdict {
    return decide(policy, tree ? { kind, path, tree } : { kind, path });
  }

  /** Throws unless it is allowed; stands still for an answer. */
  function check(kind: "read" | "write", given: string, path: string, tree = false): void {
    const verdict = judge(kind, path, tree);
    if (verdict.decision === "allow") return;
    const refusal = verdict.decision === "deny"
      ? verdict.reason
      : options.permitStill({ kind, path, tree }, verdict.reason);
    if (refusal !== undefined) throw denied(given, refusal);
  }

  /** Whoever may write outside of the roots, by a rule, may see that something is there; what it holds stays unread. */
  function checkLook(given: string, path: string): void {
    const { decision, rule } = judge("read", path);
    if (decision === "allow") return;
    if (rule !== "roots" || judge("write", path).decision !== "allow") check("read", given, path);
  }

  function resolve(
    kind: "read" | "write",
    given: string,
    follow: boolean,
    { tree = false, make = false } = {},
  ): string {
    nameCheck(given);
    const path = guard.resolve(given, follow, make);
    check(kind, given, path, tree);
    return path;
  }

  function nameCheck(path: string): void {
    if (path.includes("\0")) throw new HostError("EINVAL", path);
    if (!options.windows) return;
    const problem = windowsNameProblem(path);
    if (problem !== undefined) throw denied(path, problem);
  }

  /** A program's entry may be looked at where programs are searched. */
  function isProgram(path: string): boolean {
    const cut = path.lastIndexOf("/");
    return cut > 0 && options.programFolders.includes(path.slice(0, cut)) && !path.endsWith("/..");
  }

  function look<T>(
    path: string,
    follow: boolean,
    device: (at: string) => T,
    above: (at: string) => T,
    real: (at: string, from: NonNullable<GuardedFsOptions["programs"]>) => T,
  ): T {
    if (isDevice(path)) return device(path);
    if (!free && (isProgram(path) || options.programFolders.includes(path))) return real(path, programs);
    const at = guard.resolve(path, follow);
    if (isDevice(at)) return device(at);
    nameCheck(path);
    if (isAbove(at)) return above(at);
    checkLook(path, at);
    return real(at, fs);
  }

  /** Folders around the roots and what rules name: that they are there is known, so `ls -a` and `cd ..` need no error; what is in them stays unseen. */
  function isAbove(path: string): boolean {
    return !free && places.some((place) => path !== place && isWithin(path, place)) &&
      !places.some((place) => isWithin(place, path));
  }

  function statAbove(path: string): FileStat {
    return { ...fs.stat(policy.workspace), mode: 0o755, ino: path.length, nlink: 2 };
  }

  function open(given: string, wanted: OpenOptions): Later<HostFile> {
    if (isDevice(given)) return device(given, wanted);
    nameCheck(given);
    // "exclusive" fails on a link whatever it leads to, so the link itself is what counts.
    const follow = !(wanted.create && wanted.exclusive);
    const { path, kind } = guard.lookUp(given, follow, wanted.create === true);
    if (isDevice(path)) return device(path, wanted);
    const writes = wanted.write || wanted.append || wanted.truncate || wanted.create;
    const reads = wanted.read || !writes;
    const questions: Question[] = [];
    for (const way of ["read", "write"] as const) {
      if (way === "read" ? !reads : !writes) continue;
      // A file where a folder is looked for (`.git`) can lead elsewhere.
      const action: PathAction = way === "read"
        ? { kind: way, path }
        : { kind: way, path, tree: true, ...(options.openOutside ? { opens: true } : {}) };
      const verdict = decide(policy, action);
      if (verdict.decision === "deny") throw denied(given, verdict.reason);
      if (verdict.decision === "ask") {
        questions.push({ action, reason: verdict.reason, outside: verdict.rule === "roots" });
      }
    }
    if (questions.length === 0) return openChecked(given, path, follow, wanted, kind);
    if (options.opensStill) {
      for (const { action, reason } of questions) {
        const refusal = options.permitStill(action, reason);
        if (refusal !== undefined) throw denied(given, refusal);
      }
      return openOutside(given, path, follow, wanted, questions) ??
        openChecked(given, path, follow, wanted, kind);
    }
    return askAll(given, path, follow, wanted, questions);
  }

  /** Undefined where the roots reach it. */
  function openOutside(
    given: string,
    path: string,
    follow: boolean,
    wanted: OpenOptions,
    questions: readonly Question[],
  ): Later<HostFile> | undefined {
    if (!questions.some(({ outside }) => outside) || !options.openOutside) return undefined;
    guard.forget();
    if (guard.resolve(given, follow) !== path) {
      throw denied(given, "it was changed while the question was open");
    }
    return options.openOutside(path, wanted, questions.map(({ action }) => action));
  }

  async function askAll(
    given: string,
    path: string,
    follow: boolean,
    wanted: OpenOptions,
    questions: readonly Question[],
  ): Promise<HostFile> {
    for (const { action, reason } of questions) {
      const refusal = await options.permit(action, reason);
      if (refusal !== undefined) throw denied(given, refusal);
    }
    const outside = openOutside(given, path, follow, wanted, questions);
    if (outside !== undefined) return await outside;
    // The question may have taken long: whatever the path leads to now must be what was asked for.
    const go = () => {
      guard.forget();
      if (guard.resolve(given, follow) !== path) {
        throw denied(given, "it was changed while the question was open");
      }
      return openChecked(given, path, follow, wanted, "unknown");
    };
    if (!options.resume) return await go();
    return await options.resume(go, given, wanted, questions.map(({ action }) => action));
  }

  function openChecked(
    given: string,
    path: string,
    follow: boolean,
    wanted: OpenOptions,
    seen: Place["kind"],
  ): Later<HostFile> {
    const kind = seen === "unknown" ? kindOf(path) : seen;
    if (!free) {
      if (kind === "fifo" || kind === "socket") {
        throw new HostError(
          "ENXIO",
          given,
          `It is a ${kind === "fifo" ? "named pipe" : "socket"}, which tools do not open`,
        );
      }
      if (kind === "char" || kind === "block") throw denied(given, "it is a device");
      if (given.endsWith("/") && kind === undefined) throw new HostError("EISDIR", given);
    }
    // What is a file, or nothing yet, opens at once.
    const plain = kind === "file" || kind === undefined || !free;
    const pinned = pins();
    const way = plain && !pinned ? options.openPlain ?? fs.open : fs.open;
    if (!free && !pinned && options.programsRun()) return openRaced(given, path, follow, wanted, kind, way);
    const file = way(path, wanted);
    if (file instanceof Promise) return file.then((opened) => finish(given, path, follow, wanted, opened));
    return finish(given, path, follow, wanted, file);
  }

  /**
   * While programs run: nothing is emptied before it is known that the right
   * file was opened, and nothing is made through a folder that is another one
   * afterwards. What was made there by then is an empty file, and stays.
   */
  function openRaced(
    given: string,
    path: string,
    follow: boolean,
    wanted: OpenOptions,
    kind: Place["kind"],
    way: HostFs["open"],
  ): Later<HostFile> {
    const makes = wanted.create === true && (kind === undefined || wanted.exclusive === true);
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    const before = makes ? realOf(parent) : undefined;
    if (makes && guard.resolve(given, follow, true) !== path) throw swapped(given);
    const finished = (file: HostFile): HostFile => {
      finish(given, path, follow, wanted, file);
      if (makes && realOf(parent) !== before) {
        file.close();
        throw swapped(given);
      }
      if (!wanted.truncate || makes) return file;
      try {
        file.truncate(0);
      } catch (error) {
        file.close();
        throw error;
      }
      return file;
    };
    let file: Later<HostFile>;
    try {
      // "exclusive" fails on whatever stands there by now, a link too.
      file = way(path, { ...wanted, truncate: false, create: makes, exclusive: makes });
    } catch (error) {
      // Made by a program since the look: then it is opened as what it is.
      const made = makes && !wanted.exclusive && error instanceof HostError && error.code === "EEXIST" &&
        kindOf(path) === "file";
      if (!made) throw error;
      return openRaced(given, path, follow, wanted, "file", way);
    }
    return file instanceof Promise ? file.then(finished) : finished(file);
  }

  function realOf(path: string): string | undefined {
    try {
      return fs.realPath(path);
    } catch {
      // Where nothing may be looked at, only what was opened can be compared.
      return undefined;
    }
  }

  function finish(
    given: string,
    path: string,
    follow: boolean,
    wanted: OpenOptions,
    file: HostFile,
  ): HostFile {
    if (!free && !pins() && options.programsRun() && !isSame(given, path, follow, file)) {
      file.close();
      throw swapped(given);
    }
    files.set(file, { path, options: wanted });
    return file;
  }

  function isSame(given: string, path: string, follow: boolean, file: HostFile): boolean {
    try {
      const got = file.stat();
      const there = fs.lstat(path);
      return got.dev === there.dev && got.ino === there.ino && guard.resolve(given, follow) === path;
    } catch {
      // Gone by now: then it cannot be shown to be the same.
      return false;
    }
  }

  function kindOf(path: string): FileStat["kind"] | undefined {
    try {
      return fs.lstat(path).kind;
    } catch {
      return undefined;
    }
  }

  function device(path: string, wanted: OpenOptions): HostFile {
    const file = openDevice(path);
    files.set(file, { path, options: wanted });
    return file;
  }

  const changed = <T>(result: T): T => {
    forget();
    return result;
  };

  /** The folder that was listed last and its plain files: what a search reads next, without looking at each again. */
  let listed: { folder: string; files: ReadonlySet<string>; generation: number } | undefined;

  function list(path: string): DirEntry[] {
    const before = stillness();
    const folder = resolve("read", path, true);
    const entries = fs.readDir(folder);
    listed = undefined;
    if (before !== undefined && stillness() === before) {
      const files = new Set<string>();
      for (const entry of entries) if (entry.kind === "file") files.add(entry.name);
      listed = { folder, files, generation: before };
    }
    return entries;
  }

  /** While no program runs, a number that stays the same until one does; undefined while one runs. */
  function stillness(): number | undefined {
    return options.programsRun() ? undefined : options.generation();
  }

  /** Whether the folder that was listed last is resolved and has a plain file there: no program ran during the listing or since. */
  function isListed(path: string, still: number): boolean {
    if (listed === undefined || listed.generation !== still || !path.startsWith(listed.folder)) return false;
    const cut = listed.folder.length;
    return path[cut] === "/" && listed.files.has(path.slice(cut + 1));
  }

  /** The resolved path of a plain file; undefined for a link and everything else. */
  function plainFile(given: string, still: number): string | undefined {
    nameCheck(given);
    // What the folder's own listing names needs no second look: neither the folder nor the file is a link.
    if (isListed(given, still)) return given;
    const path = guard.resolve(given, false);
    return isListed(path, still) || kindOf(path) === "file" ? path : undefined;
  }

  function forget(): void {
    listed = undefined;
    guard.forget();
  }

  return {
    forget,
    opened: (file) => files.get(file),
    stat: (path) => look(path, true, statDevice, statAbove, (at, from) => from.stat(at)),
    lstat: (path) => look(path, false, statDevice, statAbove, (at, from) => from.lstat(at)),
    access: (path, mode) =>
      look(path, true, () => mode !== "x", () => mode === "x", (at, from) => {
        if (mode === "w" && judge("write", at).decision === "deny") return false;
        return from.access(at, mode);
      }),
    asks: (path) => judge("write", guard.resolve(path, false, true), true).decision === "ask",
    realPath: (path) => look(path, true, (at) => at, (at) => at, (at, from) => from.realPath(at)),
    readLink: (path) => fs.readLink(resolve("read", path, false)),
    readDir: list,
    readStart(given, into) {
      // Only what is plainly allowed goes this way; links and everything else are for `open` to follow, refuse or ask about.
      const still = stillness();
      if (isDevice(given) || still === undefined) return undefined;
      const path = plainFile(given, still);
      if (path === undefined || judge("read", path).decision !== "allow") return undefined;
      const length = fs.readStart?.(path, into);
      if (stillness() === still) return length;
      // A program was started meanwhile: what was read may be something else by now, so it is not given away.
      into.fill(0);
      return undefined;
    },
    open,
    mkdir: (path, mode) => fs.mkdir(resolve("write", trim(path), false, { make: true }), mode),
    unlink: (path) => changed(fs.unlink(resolve("write", path, false, { tree: true }))),
    rmdir(path) {
      const at = resolve("write", trim(path), false);
      fs.rmdir(at);
      listed = undefined;
      guard.forget(at);
    },
    rename(from, to) {
      const source = resolve("write", trim(from), false, { tree: true });
      const target = resolve("write", trim(to), false, { tree: true, make: true });
      return changed(fs.rename(source, target));
    },
    link(existing, path) {
      const source = resolve("read", existing, false);
      // A second name for a file is a way to write it: so it must be writable by its first.
      check("write", existing, source);
      return changed(fs.link(source, resolve("write", path, false, { tree: true, make: true })));
    },
    async symlink(target, path) {
      const at = resolve("write", path, false, { tree: true, make: true });
      const leads = guard.resolve(
        target.startsWith("/") ? target : `${at.slice(0, at.lastIndexOf("/"))}/${target}`,
        true,
      );
      if (!isDevice(leads)) {
        const verdict = judge("read", leads);
        if (verdict.decision === "deny") throw denied(path, `the link would lead out: ${verdict.reason}`);
      }
      await options.symlink(target, at);
      guard.forget();
    },
    chmod: (path, mode) => {
      if (isDevice(path)) throw new HostError("EPERM", path);
      const at = resolve("write", path, true);
      // Such a file would be there for everyone on the machine. To a folder the bits mean less, and what is there may stay.
      if (!free && (mode & SET_ID_BITS) !== 0) {
        const { kind, mode: before } = fs.stat(at);
        if (kind !== "dir" && (mode & SET_ID_BITS & ~before) !== 0) {
          throw new HostError("EPERM", path, "set-user-ID and set-group-ID bits are not set in the sandbox");
        }
      }
      fs.chmod(at, mode);
    },
    chown: (path, uid, gid) => fs.chown(resolve("write", path, true), uid, gid),
    utime: (path, atimeMs, mtimeMs) => {
      if (!isDevice(path)) fs.utime(resolve("write", path, true), atimeMs, mtimeMs);
    },
    truncate: (path, length) => {
      if (isDevice(path)) return;
      const at = resolve("write", path, true, { tree: true });
      if (free || pins() || !options.programsRun()) return fs.truncate(at, length);
      const file = openChecked(path, at, true, { write: true }, "unknown");
      // Only named pipes open later, and those were refused.
      if (file instanceof Promise) throw new HostError("EINVAL", path);
      try {
        file.truncate(length);
      } finally {
        file.close();
      }
    },
  };
}

/** Without slashes at the end, which `mkdir d/` may have. */
function trim(path: string): string {
  return path.replace(/(?<=.)\/+$/, "");
}

function swapped(path: string): HostError {
  return denied(path, "it was swapped for something else while it was opened");
}

function denied(path: string, reason: string): HostError {
  return new HostError("EDENIED", path, `Not allowed: ${reason}`);
}
