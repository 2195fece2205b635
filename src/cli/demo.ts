/**
 * The sample project of `demo/tour`, laid out in a folder of its own, so that
 * the scripted model touches nothing of the user's. It is one folder for each
 * home, laid out anew by each tour, so that `--continue` and undo find the
 * last one and none pile up. A second tour at the same time has a folder that
 * goes when it ends.
 */
import { homePaths } from "../config/mod.ts";
import { loadSample } from "../llm/mod.ts";

export interface Demo {
  /** The folder of the project. */
  readonly cwd: string;
  readonly prompt: string;
}

/** Lays the project out anew. */
export async function prepareDemo(): Promise<Demo> {
  const { files, prompt } = await loadSample();
  const cwd = await ownFolder() ?? passingFolder();
  for (const { path, content, mode } of files) {
    const full = `${cwd}/${path}`;
    Deno.mkdirSync(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(full, content, { mode });
  }
  return { cwd, prompt };
}

/** The project as the last tour has left it; undefined: there was none, or it is gone. */
export async function lastDemo(): Promise<string | undefined> {
  const cwd = `${await place()}/cart`;
  try {
    return Deno.statSync(cwd).isDirectory ? Deno.realPathSync(cwd) : undefined;
  } catch {
    return undefined;
  }
}

/** Named after the home, so that those of two people, or of two homes, are two. */
async function place(): Promise<string> {
  const home = new TextEncoder().encode(homePaths().root);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", home)).toHex().slice(0, 12);
  return `${temporary()}/myelin-tour-${hash}`;
}

function temporary(): string {
  const names = Deno.build.os === "windows" ? ["TEMP", "TMP"] : ["TMPDIR"];
  const folder = names.map((name) => Deno.env.get(name)).find((value) => value) ?? "/tmp";
  return folder.replaceAll("\\", "/").replace(/\/+$/, "");
}

/** The folder that is reset; undefined where another tour works in it, or somebody else has made it. */
async function ownFolder(): Promise<string | undefined> {
  const folder = await place();
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { isDirectory, isSymlink, uid } = Deno.lstatSync(folder);
    if (!isDirectory || isSymlink || uid !== Deno.uid()) return undefined;
    // Held until this process ends.
    const lock = Deno.openSync(`${folder}/lock`, { create: true, write: true });
    if (!await lock.tryLock(true)) {
      lock.close();
      return undefined;
    }
    const cwd = `${folder}/cart`;
    await Deno.remove(cwd, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
    Deno.mkdirSync(cwd, { mode: 0o700 });
    return Deno.realPathSync(cwd);
  } catch {
    return undefined; // something of it is another's: the tour does without
  }
}

function passingFolder(): string {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "myelin-tour-" }));
  globalThis.addEventListener("unload", () => {
    try {
      Deno.removeSync(folder, { recursive: true });
    } catch {
      // It is gone already.
    }
  });
  return folder;
}
