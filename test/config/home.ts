/** A home and a project in a temporary folder, for the tests of the settings. */
import { type Config, loadConfig } from "../../src/config/load.ts";
import type { Issue } from "../../src/config/errors.ts";
import { checkConfig } from "../../src/config/load.ts";

export interface Place {
  readonly home: string;
  readonly project: string;
  readonly env: Record<string, string>;
  /** Writes a file below the folder that holds both. */
  write(path: string, text: string | Uint8Array): Promise<void>;
  load(overrides?: Record<string, unknown>): Promise<Config>;
  check(): Promise<Issue[]>;
}

/** Runs `body` with `files` in place: paths such as "home/settings.jsonc", "project/.myelin/settings.jsonc". */
export async function withHome(
  files: Readonly<Record<string, string>>,
  body: (place: Place) => Promise<void>,
): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "config_test_" }));
  const env: Record<string, string> = { HOME: `${root}/user`, MYELIN_HOME: `${root}/home` };
  const options = { cwd: `${root}/project`, env: (name: string) => env[name] || undefined };
  const place: Place = {
    home: env.MYELIN_HOME,
    project: options.cwd,
    env,
    async write(path, text) {
      const full = `${root}/${path}`;
      await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
      await (typeof text === "string" ? Deno.writeTextFile(full, text) : Deno.writeFile(full, text));
    },
    load: (overrides) => loadConfig({ ...options, overrides }),
    check: () => checkConfig(options),
  };
  try {
    await Deno.mkdir(`${root}/project/.git`, { recursive: true });
    for (const [path, text] of Object.entries(files)) await place.write(path, text);
    await body(place);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
