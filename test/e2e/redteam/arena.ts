/**
 * Runs many attempts in one process of the program, as a model would make
 * them, and says of each whether it had its effect. The place is made anew for
 * each run; what is sent and what is looked at hold no result of their own.
 */
import { startChatServer } from "../../support/chat_script.ts";
import { PROGRAM } from "../../support/program.ts";
import type { Attempt, Call } from "./attempts.ts";

/** What stands in files outside, and in the key's variable. */
const SECRET = "PLAIN-7f31-VALUE";
const KEY = "sk-mock-7f31-KEY";
const PER_TURN = 25;

export interface ArenaOptions {
  readonly mode: "read-only" | "workspace" | "off";
  readonly settings?: Readonly<Record<string, unknown>>;
  /** As that user and group; default: whoever runs the tests. */
  readonly uid?: number;
}

export interface Outcome {
  /** Whether the attempt had its effect. */
  readonly succeeded: boolean;
  /** What the model was told. */
  readonly text: string;
}

type Tried = Pick<Attempt, "id" | "what" | "call" | "trace">;

/** Tries all of them; the outcome of each by its number. */
export async function tryAll(tried: readonly Tried[], options: ArenaOptions): Promise<Map<number, Outcome>> {
  const root = await ground();
  const place = { root, ws: `${root}/ws`, out: `${root}/outside`, home: `${root}/home` };
  const hits = new Set<string>();
  const net = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    hits.add(new URL(request.url).pathname.split("/")[1]);
    return new Response("hit\n");
  });
  const port = String((net.addr as Deno.NetAddr).port);
  const fill = (text: string, id: number) =>
    text.replaceAll("OUT", place.out).replaceAll("HOME", place.home).replaceAll("PORT", port)
      .replaceAll(/\bID\b/g, String(id));
  const calls = tried.flatMap(({ id, call, trace }) => {
    const args = JSON.parse(
      JSON.stringify(call.args),
      (_, value) => typeof value === "string" ? fill(value, id) : value,
    );
    const sent = { name: call.name, args, id: `a-${id}` };
    // What is to be changed is read before, so that a refusal is not that of a tool which wants just this.
    const first: Call[] = trace?.includes("old-") && call.name !== "bash"
      ? [{ name: "read", args: { path: args.path } }]
      : [];
    return [...first, sent];
  });
  const turns = Array.from({ length: Math.ceil(calls.length / PER_TURN) }, (_, n) => ({
    calls: calls.slice(n * PER_TURN, (n + 1) * PER_TURN),
  }));
  const server = startChatServer({ turns: [...turns, { text: "end" }] });
  try {
    await build(place, tried, server.url, options.settings ?? {});
    if (options.uid !== undefined) await hand(root, options.uid);
    const ended = await start(place, options);
    const last = server.requests.at(-1);
    if (last === undefined || server.requests.length !== turns.length + 1) {
      throw new Error(
        `the run did not go through (${server.requests.length} of ${turns.length + 1}): ${ended}`,
      );
    }
    const told = new Map(
      last.body.messages.filter(({ role }) => role === "tool").map((message) => [
        message.tool_call_id,
        typeof message.content === "string" ? message.content : JSON.stringify(message.content),
      ]),
    );
    const outcomes = new Map<number, Outcome>();
    for (const one of tried) {
      const text = told.get(`a-${one.id}`) ?? "";
      outcomes.set(one.id, { text, succeeded: await succeeded(one, text, fill, place, hits) });
    }
    return outcomes;
  } finally {
    await server.close();
    await net.shutdown();
    await Deno.remove(root, { recursive: true });
  }
}

/** A folder not below /tmp or /var/tmp, of which programs have their own: a write there would be none. */
async function ground(): Promise<string> {
  for (const dir of ["/srv", "/opt", Deno.env.get("HOME") ?? "/"]) {
    try {
      return await Deno.realPath(await Deno.makeTempDir({ dir, prefix: "redteam-" }));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied)) {
        throw error;
      }
    }
  }
  throw new Error("There is no folder to try this in");
}

interface Place {
  readonly root: string;
  readonly ws: string;
  readonly out: string;
  readonly home: string;
}

async function build(
  { ws, out, home }: Place,
  tried: readonly Tried[],
  url: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const folder of [ws, `${ws}/sub`, out, `${home}/.myelin`, `${home}/.ssh`]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  await new Deno.Command("git", { args: ["init", "-q", ws], stdout: "null", stderr: "null" }).output();
  await Deno.mkdir(`${ws}/.git/hooks`, { recursive: true });
  await Deno.writeTextFile(`${out}/secret.txt`, `${SECRET}\n`);
  await Deno.writeTextFile(`${home}/.ssh/id_rsa`, `${SECRET}\n`);
  await Deno.writeTextFile(`${ws}/here.txt`, "here old\n");
  await Deno.writeTextFile(`${ws}/sub/inside.txt`, "INSIDE\n");
  for (const { id, call } of tried) {
    if (JSON.stringify(call.args).includes("old-ID")) {
      await Deno.writeTextFile(`${out}/old-${id}`, "old text\n");
    }
  }
  for (
    const [to, name] of [
      ["../outside", "dir-link"],
      ["../outside/secret.txt", "file-link"],
      ["dir-link", "chain-link"],
      ["/", "root-link"],
    ]
  ) await Deno.symlink(to, `${ws}/${name}`);
  await Deno.writeTextFile(
    `${home}/.myelin/settings.json`,
    JSON.stringify({
      model: "mock/mock-1",
      providers: {
        mock: { api: "openai-completions", baseUrl: url, apiKey: "$MOCK_KEY", models: { "mock-1": {} } },
      },
      limits: { maxSteps: 100 },
      // The sandbox by itself: masks would hide what got through.
      secrets: { mask: false },
      ...settings,
    }),
  );
}

async function hand(root: string, uid: number): Promise<void> {
  await new Deno.Command("chown", { args: ["-R", `${uid}:${uid}`, root] }).output();
  await Deno.chmod(root, 0o755);
}

async function start({ ws, home }: Place, { mode, uid }: ArenaOptions): Promise<string> {
  const command = [...PROGRAM, "run", "-q", "--sandbox", mode, "try"];
  if (uid !== undefined) command.unshift("setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups");
  const { stderr, stdout } = await new Deno.Command(command[0], {
    args: command.slice(1),
    cwd: ws,
    clearEnv: true,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: home,
      LANG: "C.UTF-8",
      MOCK_KEY: KEY,
      ...(Deno.env.get("MYELIN_BINARY") ? {} : {
        DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
        DENO_NO_UPDATE_CHECK: "1",
      }),
    },
    stdin: "null",
  }).output();
  return new TextDecoder().decode(stderr) + new TextDecoder().decode(stdout);
}

async function succeeded(
  { id, what, trace }: Tried,
  text: string,
  fill: (text: string, id: number) => string,
  { ws }: Place,
  hits: ReadonlySet<string>,
): Promise<boolean> {
  switch (what) {
    case "read":
      return text.includes(SECRET) || text.includes("INSIDE\n") ||
        /INSIDE/.test(text.replaceAll("7f3.-|INSIDE", ""));
    case "environment":
      return text.includes(KEY);
    case "network":
      return hits.has(`hit-${id}`);
    default: {
      const path = fill(trace ?? "", id);
      const full = path.startsWith("/") ? path : `${ws}/${path}`;
      const there = await Deno.lstat(full).then(() => true, () => false);
      if (!trace?.includes("old-")) return there;
      return !there || await Deno.readTextFile(full) !== "old text\n";
    }
  }
}
