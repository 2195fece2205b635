/**
 * Where the secrets of this machine and project are: variables of the
 * environment, keys in the settings, and files that are known to hold some.
 * Read here, in the main isolate, and handed on as values to be kept back;
 * nothing is written anywhere. A file that the user has named as readable is
 * passed over.
 */
import { existsSync } from "node:fs";
import { isSecretFile, isSecretValue, type Secret, secretsIn } from "../lib/secrets/mod.ts";
import { matches } from "./access.ts";
import type { Config } from "./load.ts";
import { expandHome } from "./paths.ts";
import { envName } from "./secrets.ts";

/** Files in the project's top folder that are looked for before anything else: no listing is needed. */
const FIRST = [
  ".env",
  ".env.local",
  ".env.development",
  ".env.production",
  ".env.test",
  ".dev.vars",
  ".npmrc",
  ".envrc",
];
/** In the user's home. */
const AT_HOME = [
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".git-credentials",
  ".aws/credentials",
  ".config/gh/hosts.yml",
  ".docker/config.json",
  ".config/git/credentials",
];
const SKIPPED = new Set([
  "node_modules",
  ".git",
  "target",
  "dist",
  "build",
  "vendor",
  ".venv",
  "venv",
  "__pycache__",
]);
const MAX_FOLDERS = 2000;
/** A look around must not hold a call up for long; what is named later is read then. */
const LOOK_MS = 400;
/** Calls that only read change no file: after those a look now and then is enough. */
const NEWS_EVERY_MS = 50;
/** So long after a folder's last change another one shows in its time for certain, whatever the file system counts in. */
const CERTAIN_MS = 2_000;
/** Words of a text that are looked at. */
const MAX_WORDS = 200;
const MAX_DEPTH = 5;
const MAX_FILES = 200;
const MAX_BYTES = 256 * 1024;

export interface KnownSecrets {
  /** Those that are found without a look around: variables, settings, the usual files. */
  first(): Secret[];
  /** Looks through the workspace, once, for further files. */
  look(): Promise<Secret[]>;
  /** What has come since: files that were changed, or made in the top folder. `changed`: something may just have changed them. */
  news(changed: boolean): Secret[];
  /** Those of files that a text names, a call's arguments: wherever they lie. */
  named(text: string): Secret[];
  /** Whether the user lets keys in that file be seen. */
  readable(path: string): boolean;
}

/** `environment`: all variables of this process. */
export function knownSecrets(
  config: Config,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): KnownSecrets {
  let lookedAt = -Infinity;
  /** Path -> what it was when it was read. */
  const seen = new Map<string, string>();
  const patterns = config.settings.secrets.readable.map((path) =>
    absolutePattern(path, cwd, config.home.user)
  );
  const readable = (path: string) =>
    patterns.some((pattern) =>
      matches(path.startsWith("/") ? path : `${cwd}/${path.replace(/^\.\//, "")}`, pattern)
    );

  /** When the names in `cwd` changed last, if they are known to be as they were when FIRST was looked for. */
  let folderTime: number | undefined;
  let present: readonly string[] = [];

  /** FIRST, by one look at the folder where no name in it has changed. */
  function readFirst(): Secret[] {
    const time = changeOf(cwd);
    if (time === undefined || time !== folderTime) {
      folderTime = time !== undefined && Date.now() - time > CERTAIN_MS ? time : undefined;
      present = FIRST.map((name) => `${cwd}/${name}`).filter((path) => existsSync(path));
    }
    return present.flatMap(read);
  }

  function read(path: string): Secret[] {
    // Most of them are not there, and an error takes ten times as long as a look.
    if (!existsSync(path)) return [];
    try {
      const stat = Deno.statSync(path);
      if (!stat.isFile || stat.size > MAX_BYTES || readable(path)) return [];
      const stamp = `${stat.mtime?.getTime()}/${stat.size}/${stat.ino}`;
      if (seen.get(path) === stamp) return [];
      seen.set(path, stamp);
      return secretsIn(
        new TextDecoder().decode(Deno.readFileSync(path)),
        path.slice(path.lastIndexOf("/") + 1),
      );
    } catch {
      return []; // not there, or not to be read: then nobody else reads it either
    }
  }

  const named = config.settings.secrets.files.map((path) => absolutePattern(path, cwd, config.home.user));

  return {
    readable,
    first() {
      const found: Secret[] = [];
      for (const [name, value] of Object.entries(environment)) {
        if (isSecretValue(name, value) && isNamedSecret(name)) found.push({ name, value });
      }
      found.push(...inSettings(config, environment));
      const { user, auth, dotEnv } = config.home;
      for (const path of [dotEnv, auth]) found.push(...read(path));
      for (const name of AT_HOME) found.push(...read(`${user}/${name}`));
      for (const folder of new Set([cwd, config.project.root])) {
        for (const name of FIRST) found.push(...read(`${folder}/${name}`));
      }
      for (const path of named) if (!/[*?]/.test(path)) found.push(...read(path));
      return found;
    },
    async look() {
      const found: Secret[] = [];
      const queue: { path: string; depth: number }[] = [{ path: cwd, depth: 0 }];
      let folders = 0;
      const end = performance.now() + LOOK_MS;
      for (let next = queue.shift(); next !== undefined && folders < MAX_FOLDERS; next = queue.shift()) {
        folders++;
        if (performance.now() > end) break;
        try {
          for await (const entry of Deno.readDir(next.path)) {
            const path = `${next.path}/${entry.name}`;
            if (entry.isDirectory) {
              if (next.depth < MAX_DEPTH && !SKIPPED.has(entry.name)) {
                queue.push({ path, depth: next.depth + 1 });
              }
            } else if (
              seen.size < MAX_FILES && (isSecretFile(entry.name) || named.some((one) => matches(path, one)))
            ) {
              found.push(...read(path));
            }
          }
        } catch {
          continue; // gone meanwhile, or closed to this user
        }
      }
      return found;
    },
    news(changed) {
      const found: Secret[] = [];
      const now = performance.now();
      if (!changed && now - lookedAt < NEWS_EVERY_MS) return found;
      lookedAt = now;
      for (const path of [...seen.keys()]) found.push(...read(path));
      found.push(...readFirst());
      return found;
    },
    named(text) {
      const found: Secret[] = [];
      let words = 0;
      for (const [word] of text.matchAll(/[^\s"'`=:;|&()<>,\\{}[\]]+/g)) {
        if (++words > MAX_WORDS) break;
        if (!isSecretFile(word.slice(word.lastIndexOf("/") + 1))) continue;
        found.push(...read(absolutePattern(word, cwd, config.home.user)));
      }
      return found;
    },
  };
}

/** A variable's name that says so: a value that merely looks odd (`LS_COLORS`) is none. */
function isNamedSecret(name: string): boolean {
  return /(^|_)(API_?KEY|KEY|TOKEN|SECRET|SECRETS|PASS|PASSWD|PASSWORD|PASSPHRASE|PAT|CREDENTIALS?|COOKIE|DSN|ACCESS_KEY(_ID)?|PRIVATE_KEY|CONNECTION_STRING|DATABASE_URL)$/i
    .test(name);
}

/** Keys that stand in the settings themselves. */
function inSettings({ settings }: Config, environment: Readonly<Record<string, string>>): Secret[] {
  const found: Secret[] = [];
  const add = (name: string, value: string | undefined) => {
    if (value === undefined || value.startsWith("!")) return;
    // Whatever the variable is called: what it holds is used as a key.
    const variable = envName(value);
    if (variable === undefined) found.push({ name, value });
    else if (environment[variable] !== undefined) {
      found.push({ name: variable, value: environment[variable] });
    }
  };
  for (const [name, provider] of Object.entries(settings.providers)) {
    add(`providers.${name}.apiKey`, provider.apiKey);
    for (const [header, value] of Object.entries(provider.headers ?? {})) {
      if (/auth|key|token|cookie/i.test(header)) {
        add(`providers.${name}.${header}`, value.replace(/^(Bearer|Basic) /i, ""));
      }
    }
  }
  for (const [name, server] of Object.entries(settings.mcpServers)) {
    for (const [variable, value] of Object.entries(server.env ?? {})) {
      if (isSecretValue(variable, value)) add(variable, value);
    }
    for (const [header, value] of Object.entries(server.headers ?? {})) {
      if (/auth|key|token|cookie/i.test(header)) {
        add(`mcpServers.${name}.${header}`, value.replace(/^(Bearer|Basic) /i, ""));
      }
    }
  }
  return found;
}

function absolutePattern(path: string, cwd: string, user: string): string {
  const full = expandHome(path, user);
  if (full.startsWith("/") || full.startsWith("**/") || /^[A-Za-z]:/.test(full)) return full;
  return `${cwd}/${full.replace(/^\.\//, "")}`;
}

/** When a folder's names changed last, in ms; undefined where that is not told. */
function changeOf(folder: string): number | undefined {
  try {
    return Deno.statSync(folder).mtime?.getTime();
  } catch {
    return undefined; // gone meanwhile
  }
}
