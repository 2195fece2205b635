/** Who is measured: the program itself, an agent of a few lines, and with --peers two others that install from npm and take a mock for a model. */
import type { Launch } from "./process.ts";

export interface Contestant {
  readonly name: string;
  /** A one-shot run with a prompt in `cwd`. */
  run(prompt: string, cwd: string): Launch;
  version(): Launch;
  /** Seen as failing where it exits otherwise. */
  readonly okCodes: readonly number[];
}

const base = (home: string) => ({
  PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
  HOME: home,
  LANG: "C.UTF-8",
  TERM: "dumb",
  NO_COLOR: "1",
});

async function put(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}

/** The compiled program, with its sandbox on. */
export async function myelin(binary: string, root: string, url: string): Promise<Contestant> {
  const home = `${root}/home-myelin`;
  await put(
    `${home}/.myelin/settings.json`,
    JSON.stringify({
      model: "mock/mock-model",
      providers: {
        mock: {
          api: "openai-completions",
          baseUrl: url,
          apiKey: "x",
          models: { "mock-model": { contextWindow: 200000 } },
        },
      },
    }),
  );
  const env = base(home);
  return {
    name: "myelin",
    okCodes: [0],
    run: (prompt, cwd) => ({ command: [binary, "run", prompt], cwd, env }),
    version: () => ({ command: [binary, "--version"], cwd: root, env }),
  };
}

/** An agent of a few lines (plain_agent.ts) under `deno run`. */
export function plain(root: string, url: string): Contestant {
  const deno = [Deno.execPath(), "run", "--no-config", "--no-lock", "-A"];
  const script = new URL("plain_agent.ts", import.meta.url).pathname;
  const env = { ...base(root), DENO_DIR: `${root}/deno` };
  return {
    name: "a plain agent",
    okCodes: [0],
    run: (prompt, cwd) => ({ command: [...deno, script, url, prompt], cwd, env }),
    version: () => ({ command: [Deno.execPath(), "--version"], cwd: root, env }),
  };
}

/** pi, run by the Node.js that the npm package node brings. */
export async function pi(root: string, url: string): Promise<Contestant> {
  const dir = `${root}/pi`;
  await install(dir, ["@earendil-works/pi-coding-agent", "node@24"]);
  const home = `${root}/home-pi`;
  await put(
    `${home}/.pi/agent/models.json`,
    JSON.stringify({
      providers: {
        mock: {
          baseUrl: `${url}/v1`,
          api: "openai-completions",
          apiKey: "x",
          models: [{ id: "mock-model", contextWindow: 200000, maxTokens: 16000 }],
        },
      },
    }),
  );
  const bin =
    JSON.parse(await Deno.readTextFile(`${dir}/node_modules/@earendil-works/pi-coding-agent/package.json`))
      .bin;
  const script = `${dir}/node_modules/@earendil-works/pi-coding-agent/${
    typeof bin === "string" ? bin : Object.values(bin)[0]
  }`;
  const command = [`${dir}/node_modules/node/bin/node`, script];
  const env = { ...base(home), PI_OFFLINE: "1" };
  return {
    name: "pi",
    okCodes: [0],
    run: (prompt, cwd) => ({ command: [...command, "-p", "--model", "mock/mock-model", prompt], cwd, env }),
    version: () => ({ command: [...command, "--version"], cwd: root, env }),
  };
}

/** codex, its sandbox off as in its own benchmarks of a container. */
export async function codex(root: string, url: string): Promise<Contestant> {
  const dir = `${root}/codex`;
  await install(dir, ["@openai/codex"]);
  const home = `${root}/home-codex`;
  await put(
    `${home}/.codex/config.toml`,
    [
      'model = "gpt-5.5"',
      'model_provider = "mock"',
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access"',
      "check_for_update_on_startup = false",
      "[analytics]",
      "enabled = false",
      "[model_providers.mock]",
      'name = "mock"',
      `base_url = "${url}/v1"`,
      'wire_api = "responses"',
      'env_key = "MOCK_KEY"',
      "",
    ].join("\n"),
  );
  const command = [`${dir}/node_modules/.bin/codex`];
  const env = { ...base(home), MOCK_KEY: "x" };
  return {
    name: "codex",
    okCodes: [0],
    run: (prompt, cwd) => ({ command: [...command, "exec", "--skip-git-repo-check", prompt], cwd, env }),
    version: () => ({ command: [...command, "--version"], cwd: root, env }),
  };
}

async function install(dir: string, packages: readonly string[]): Promise<void> {
  await Deno.mkdir(dir, { recursive: true });
  const { success, stderr } = await new Deno.Command("npm", {
    args: ["install", "--silent", "--no-audit", "--no-fund", ...packages],
    cwd: dir,
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) {
    throw new Error(`npm install ${packages.join(" ")}: ${new TextDecoder().decode(stderr).trim()}`);
  }
}
