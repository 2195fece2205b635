/** A workspace beside an outside that must stay untouched, and a sheath over it with the real worker. */
import { errorResult, type ToolResult } from "../../src/agent/tool.ts";
import { openSheath, type PolicySettings, preparePolicy, type SheathOptions } from "../../src/sandbox/mod.ts";

const WORKER = new URL("../../src/sheath/main.ts", import.meta.url);

export interface Fixture {
  readonly root: string;
  readonly workspace: string;
  readonly outside: string;
  readonly home: string;
  readonly notices: string[];
  /** Runs a tool; the text of its result. */
  run(
    name: string,
    args: unknown,
    options?: RunOptions,
  ): Promise<{ text: string; isError: boolean; result: ToolResult }>;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly output?: (text: string) => void;
  readonly begin?: Promise<void>;
}

export interface FixtureOptions {
  readonly policy?: Partial<PolicySettings>;
  readonly sheath?: Partial<SheathOptions<ToolResult>>;
}

/** Runs `work` with a fixture and takes everything away afterwards. */
export async function withSheath(
  options: FixtureOptions,
  work: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sheath-test-" }));
  const [workspace, outside, home] = ["ws", "outside", "home"].map((name) => `${root}/${name}`);
  for (const folder of [workspace, outside, home, `${home}/.ssh`]) Deno.mkdirSync(folder);
  Deno.writeTextFileSync(`${home}/.ssh/id_rsa`, "CANARY-KEY\n");
  Deno.writeTextFileSync(`${outside}/secret.txt`, "CANARY-OUT\n");
  Deno.writeTextFileSync(`${workspace}/plain.txt`, "plain\n");
  const notices: string[] = [];
  const policy = await preparePolicy({
    mode: "workspace",
    workspace,
    approve: "never",
    home,
    ownFolder: `${home}/.myelin`,
    ...options.policy,
  });
  const sheath = openSheath<ToolResult>({
    workerUrl: WORKER,
    policy,
    env: ["PATH", "HOME", "LANG"],
    environment: { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", HOME: home, CANARY_TOKEN: "CANARY-ENV" },
    failure: (text) => errorResult(text),
    notice: (_level, text) => notices.push(text),
    ...options.sheath,
  });
  let calls = 0;
  try {
    await work({
      root,
      workspace,
      outside,
      home,
      notices,
      async run(name, args, run = {}) {
        const result = await sheath.run(name, args, {
          callId: `call-${++calls}`,
          signal: run.signal ?? new AbortController().signal,
          output: run.output ?? (() => {}),
          ...(run.begin === undefined ? {} : { begin: run.begin }),
        });
        const text = result.parts.map((part) => part.type === "text" ? part.text : "").join("");
        return { text, isError: result.isError, result };
      },
    });
  } finally {
    await sheath.close();
    Deno.removeSync(root, { recursive: true });
  }
}
