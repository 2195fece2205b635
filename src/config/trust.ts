/**
 * Trust that is bound to content: which files of a project can make the
 * program run something, and whether they are still what trust was given to.
 * Beside the settings themselves these are the files that they name in
 * commands. Nothing here decides a level; `load.ts` does, from this and from
 * the user's patterns.
 */
import { readSettings } from "./file.ts";
import type { TrustRecord } from "./project_store.ts";

/** Below the project: files, or folders with all that is in them. */
const RUNNABLE = [".myelin/verify.json", ".myelin/hooks", ".myelin/commands", ".mcp.json", ".envrc"];
const SETTINGS = [".myelin/settings", ".myelin/settings.local"];
const ENDINGS = [".jsonc", ".json", ".yaml", ".yml"];

/** A project with more of them is not one that a person has looked through. */
const MAX_FILES = 500;
const MAX_BYTES = 8 * 1024 * 1024;

/** The fingerprints of the files that can run code: path below the project -> SHA-256. */
export async function fingerprint(root: string): Promise<Readonly<Record<string, string>>> {
  const paths = new Set<string>();
  for (const stem of SETTINGS) {
    for (const ending of ENDINGS) if (kindOf(`${root}/${stem}${ending}`) === "file") paths.add(stem + ending);
    for (const word of await commandWords(`${root}/${stem}`, root)) {
      const path = below(root, word);
      if (path !== undefined && kindOf(`${root}/${path}`) === "file") paths.add(path);
    }
  }
  for (const path of RUNNABLE) collect(root, path, paths);
  const out: Record<string, string> = {};
  for (const path of [...paths].sort()) out[path] = await hashOf(`${root}/${path}`);
  return out;
}

/** The files that are new or others since trust was given. What is gone can run nothing. */
export function changedSince(
  record: Pick<TrustRecord, "files">,
  now: Readonly<Record<string, string>>,
): string[] {
  return Object.keys(now).filter((path) =>
    !Object.hasOwn(record.files, path) || record.files[path] !== now[path]
  );
}

function collect(root: string, path: string, into: Set<string>): void {
  if (into.size >= MAX_FILES) return;
  const kind = kindOf(`${root}/${path}`);
  if (kind === "file") into.add(path);
  if (kind !== "dir") return;
  for (const entry of Deno.readDirSync(`${root}/${path}`)) collect(root, `${path}/${entry.name}`, into);
}

/** Links count as what they lead to. */
function kindOf(path: string): "file" | "dir" | undefined {
  try {
    const stat = Deno.statSync(path);
    return stat.isFile ? "file" : stat.isDirectory ? "dir" : undefined;
  } catch {
    return undefined; // absent, or not to be looked at: it cannot be read later either
  }
}

async function hashOf(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    if (Deno.statSync(path).size > MAX_BYTES) return "too big";
    bytes = Deno.readFileSync(path);
  } catch {
    return "unreadable";
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Every word of a text in the settings that may be a command: of hooks, servers, keys. */
async function commandWords(stem: string, root: string): Promise<string[]> {
  try {
    const { file } = await readSettings(stem, root);
    const { hooks, mcpServers, providers } = file?.value ?? {};
    const texts: string[] = [];
    const gather = (value: unknown): void => {
      if (typeof value === "string") texts.push(value);
      else if (typeof value === "object" && value !== null) Object.values(value).forEach(gather);
    };
    gather([hooks, mcpServers, providers]);
    return texts.flatMap((text) => text.replace(/^!/, "").split(/[\s"'`;|&()<>=]+/));
  } catch {
    return []; // what is wrong with the file is told by who loads it
  }
}

/** The path below the project that a word names; undefined where it is none. */
function below(root: string, word: string): string | undefined {
  if (word === "" || word.length > 1024) return undefined;
  const plain = word.startsWith(`${root}/`) ? word.slice(root.length + 1) : word.replace(/^(\.\/)+/, "");
  return /^([/\\~-]|[A-Za-z]:)/.test(plain) || plain.split("/").includes("..") ? undefined : plain;
}
