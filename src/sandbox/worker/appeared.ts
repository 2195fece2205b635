/**
 * Places of the workspace that a program has made where none was, and that run
 * code outside of the sandbox later. A wrapper cannot cover what is not there;
 * so they are looked for as long as programs run, as soon as one has ended,
 * and when a call starts. What editors and shells run is told, once for each. What git would run in a repository that
 * was there before is moved aside: no program that git itself starts makes it,
 * and the next `git status` of the user would heed it.
 */
import { editorPlaces, gitPlaces } from "../default_paths.ts";
import type { Policy } from "../policy.ts";
import { HostError, type HostFs } from "../../shell/host.ts";
import { watchGitlinks } from "./gitlinks.ts";

/** A place that a program has made; without `moved` it stands where it was made. */
export interface Appeared {
  readonly path: string;
  /** The name that it has now. */
  readonly moved?: string;
}

export interface AppearedPlaces {
  /** Those that came into being since it was made, and were not told yet. Of the git ones: each time; `again`: but for those that come again and again. */
  news(again?: boolean): Promise<Appeared[]>;
}

/** Milliseconds between two looks while programs run. */
const LOOK_EVERY = 100;
/** So often a place is moved aside while a program that makes it runs: then only when one ends. */
const AT_MOST = 8;

/** Looks for what programs make. */
export interface Lookout {
  /** Before a program starts: what is there by now is not its doing. */
  before(): Promise<void>;
  /** One has started: from now on, until none runs. */
  during(): void;
  /** Now; nothing before the first program. */
  look(): Promise<void>;
  close(): void;
}

/** `running`: whether programs run. `tell` is told what they have made. */
export function createLookout(
  policy: Policy,
  fs: Pick<HostFs, "lstat" | "rename" | "readStart">,
  running: () => boolean,
  tell: (places: readonly Appeared[]) => void = () => {},
): Lookout {
  let places: AppearedPlaces | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  // One look after the other: two at once would both move the same thing.
  let looking = Promise.resolve();

  function look(again = false): Promise<void> {
    if (places === undefined) return Promise.resolve();
    return looking = looking.then(async () => {
      const news = await places!.news(again);
      if (news.length > 0) tell(news);
    });
  }

  function close(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    async before() {
      await look();
      places ??= watchPlaces(policy, fs);
    },
    during() {
      if (policy.mode !== "workspace" || timer !== undefined) return;
      timer = setInterval(() => running() ? void look(true) : close(), LOOK_EVERY);
      Deno.unrefTimer(timer);
    },
    look: () => look(),
    close,
  };
}

/** Looks now, and at each `news` again. A `.git` that is there is mounted in each program's view, so none can swap it. */
export function watchPlaces(
  policy: Policy,
  fs: Pick<HostFs, "lstat" | "rename" | "readStart">,
): AppearedPlaces {
  const tops = (policy.mode === "workspace" ? [policy.workspace, ...policy.writeRoots] : [])
    .filter((top) => top !== "/");
  const isMissing = (path: string) => !isThere(fs, path);
  const missing = new Set(tops.flatMap(editorPlaces).filter(isMissing));
  const unwanted = tops.filter((top) => isFolder(fs, `${top}/.git`)).flatMap(gitPlaces).filter(isMissing);
  const repositories = tops.filter((top) => isFolder(fs, `${top}/.git`)).map((top) => watchGitlinks(top, fs));
  const asides = new Map<string, number>();
  return {
    async news(again = false) {
      const told: Appeared[] = [...missing].filter((path) => isThere(fs, path)).map((path) => ({ path }));
      for (const { path } of told) missing.delete(path);
      // The index of a large repository is read when a program has ended, not ten times a second.
      if (!again) told.push(...repositories.flatMap((one) => one.news()).map((path) => ({ path })));
      for (const path of unwanted) {
        if (!isThere(fs, path) || (again && (asides.get(path) ?? 0) >= AT_MOST)) continue;
        asides.set(path, (asides.get(path) ?? 0) + 1);
        const moved = await setAside(path, fs);
        told.push(moved === undefined ? { path } : { path, moved });
      }
      return told;
    },
  };
}

/** The new name; undefined where it could not be moved. */
async function setAside(path: string, fs: Pick<HostFs, "lstat" | "rename">): Promise<string | undefined> {
  const moved = `${path}.set-aside-${crypto.randomUUID().slice(0, 8)}`;
  try {
    await fs.rename(path, moved);
    return moved;
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** What the user is told. */
export function appearedText(places: readonly Appeared[]): string {
  const stays = places.filter(({ moved }) => moved === undefined).map(({ path }) => path);
  const moved = places.filter((place) => place.moved !== undefined);
  return [
    ...(stays.length === 0 ? [] : [
      `A program has made ${stays.join(", ")}: what stands there can run code outside of the sandbox. ` +
      "Look at it before an editor, a shell or git comes upon it",
    ]),
    ...moved.map((place) =>
      `A program has made ${place.path}, from which git would run code outside of the sandbox. ` +
      `It was moved to ${place.moved}`
    ),
  ].join(". ");
}

function isThere(fs: Pick<HostFs, "lstat">, path: string): boolean {
  return kindOf(fs, path) !== undefined;
}

function isFolder(fs: Pick<HostFs, "lstat">, path: string): boolean {
  return kindOf(fs, path) === "dir";
}

function kindOf(fs: Pick<HostFs, "lstat">, path: string): string | undefined {
  try {
    return fs.lstat(path).kind;
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}
