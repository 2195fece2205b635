/** Where things are: the layout of the home folder, and the folder of a project. */

/** Looks up an environment variable; undefined where it is unset or empty. */
export type Env = (name: string) => string | undefined;

export const processEnv: Env = (name) => Deno.env.get(name) || undefined;

/** The layout of $MYELIN_HOME. Nothing of it needs to exist. */
export interface HomePaths {
  readonly root: string;
  /** The user's own folder, for "~". */
  readonly user: string;
  readonly sessions: string;
  readonly attachments: string;
  readonly memory: string;
  readonly logs: string;
  readonly cache: string;
  readonly skills: string;
  readonly prompts: string;
  readonly commands: string;
  readonly models: string;
  readonly auth: string;
  readonly dotEnv: string;
}

/** $MYELIN_HOME, else ~/.myelin. */
export function homePaths(env: Env = processEnv): HomePaths {
  const user = userFolder(env);
  const root = absolute(expandHome(slashes(env("MYELIN_HOME") ?? `${user}/.myelin`), user));
  return {
    root,
    user,
    sessions: `${root}/sessions`,
    attachments: `${root}/attachments`,
    memory: `${root}/memory`,
    logs: `${root}/logs`,
    cache: `${root}/cache`,
    skills: `${root}/skills`,
    prompts: `${root}/prompts`,
    commands: `${root}/commands`,
    models: `${root}/models.jsonc`,
    auth: `${root}/auth.json`,
    dotEnv: `${root}/.env`,
  };
}

/**
 * The user's folder, by the environment, else by the system's own list of users.
 * Never one that depends on where the program is started: a project's files
 * would be taken for the user's.
 */
function userFolder(env: Env): string {
  const named = slashes(env("HOME") ?? env("USERPROFILE") ?? "");
  if (isAbsolute(named)) return named;
  try {
    // Hardly ever needed: so it is not loaded at every start.
    const { process } = globalThis as unknown as { process: { getBuiltinModule(name: string): Os } };
    const listed = slashes(process.getBuiltinModule("node:os").userInfo().homedir ?? "");
    if (isAbsolute(listed)) return listed;
  } catch {
    // A user that the system does not list.
  }
  return "/";
}

interface Os {
  userInfo(): { readonly homedir: string | null };
}

/** A path with "/" between its parts and none at its end. */
export function slashes(path: string): string {
  const plain = Deno.build.os === "windows" ? path.replaceAll("\\", "/") : path;
  return plain.length > 1 ? plain.replace(/\/+$/, "") || "/" : plain;
}

function isAbsolute(path: string): boolean {
  return /^(\/|[A-Za-z]:\/)/.test(path);
}

/** Seen from the folder that the program was started in. */
function absolute(path: string): string {
  if (isAbsolute(path)) return path;
  const start = slashes(Deno.cwd());
  return path === "." ? start : `${start}/${path.replace(/^\.\//, "")}`;
}

/** "~" and "~/…" as absolute paths. */
export function expandHome(path: string, user: string): string {
  if (path === "~") return user;
  return path.startsWith("~/") ? user + path.slice(1) : path;
}

/**
 * The project that `cwd` belongs to: the nearest folder upward that holds
 * `.myelin` or `.git`; else `cwd` itself. The home folder's own `.myelin` is
 * the user's, not a project's.
 */
export function projectRoot(cwd: string, home: HomePaths): string {
  const start = slashes(cwd);
  for (let folder = start;;) {
    const own = `${folder}/.myelin`;
    if ((own !== home.root && exists(own)) || exists(`${folder}/.git`)) return folder;
    const up = folder.slice(0, folder.lastIndexOf("/"));
    if (up === "" || up === folder || !up.includes("/")) return start;
    folder = up;
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    // Absent or not to be looked at: either way nothing can be read there.
    return false;
  }
}
