/**
 * The typical work that a program under construction is put through, so that
 * it tells which of its parts are loaded together and gets code caches for
 * them: a small server plays the model, and a whole run goes through it. With
 * the sandbox on, as in most runs: else the caches would lack what guards it.
 */

/** A piece of work: a name, and what the program is started with. */
export interface Piece {
  readonly name: string;
  readonly args: readonly string[];
  /** The code that it compiles in the worker is what counts, not the program's own. */
  readonly ofWorker?: boolean;
}

/**
 * Also what the shell's code cache is made in. Small: reading a cache takes
 * time by its size, and what a script needs beside is made at its first call.
 */
const SCRIPT = `x=hi; [ "$x" = hi ] && echo "$x"`;

export const WORK: readonly Piece[] = [
  { name: "version", args: ["--version"] },
  { name: "tour", args: ["run", "--model", "demo/tour"] },
  { name: "run", args: ["run", "Work."] },
  { name: "worker", args: ["run", "Work."], ofWorker: true },
  { name: "script", args: ["sh", "-c", SCRIPT] },
];

const CALLS = [
  { name: "read", arguments: JSON.stringify({ path: "note.txt" }) },
  { name: "bash", arguments: JSON.stringify({ command: "echo hi" }) },
  { name: "read", arguments: JSON.stringify({ path: "note.txt" }) },
  { name: "bash", arguments: JSON.stringify({ command: "echo hi" }) },
];

/** Runs the pieces one after the other in a home of their own. `out`: where the program's worker may write. `around`: told of each before it begins and when it has ended. Throws where one fails. */
export async function work(
  program: string,
  out: string,
  pieces: readonly Piece[],
  around: { before?(piece: Piece): Promise<void>; after?(piece: Piece): Promise<void> } = {},
): Promise<void> {
  const windows = Deno.build.os === "windows";
  const home = await Deno.makeTempDir({ prefix: "myelin-build-" });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  try {
    await Deno.mkdir(`${home}/work`);
    await Deno.writeTextFile(`${home}/work/note.txt`, "a line\n".repeat(20));
    await Deno.mkdir(`${home}/.myelin`);
    await Deno.writeTextFile(`${home}/.myelin/settings.json`, settings(server.addr.port, out));
    for (const piece of pieces) {
      await around.before?.(piece);
      const { success, stderr } = await new Deno.Command(program, {
        args: [...piece.args],
        cwd: `${home}/work`,
        clearEnv: true,
        env: {
          HOME: home,
          TMPDIR: home,
          PATH: Deno.env.get("PATH") ?? "",
          ...(windows ? { USERPROFILE: home, TEMP: home, SystemRoot: Deno.env.get("SystemRoot") ?? "" } : {}),
        },
        stdin: "null",
      }).output();
      if (!success) throw new Error(`${piece.args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
      await around.after?.(piece);
    }
  } finally {
    await server.shutdown();
    await Deno.remove(home, { recursive: true });
  }
}

function settings(port: number, out: string): string {
  return JSON.stringify({
    sandbox: { writeRoots: [out] },
    model: "work/model",
    providers: {
      work: {
        api: "openai-completions",
        baseUrl: `http://127.0.0.1:${port}`,
        apiKey: "none",
        models: { model: { contextWindow: 200_000 } },
      },
    },
  });
}

/** Calls for the next tool as long as there are some, then says that it is done. */
async function answer(request: Request): Promise<Response> {
  const { messages } = await request.json();
  const done = (messages as { role: string }[]).filter(({ role }) => role === "tool").length;
  const next = CALLS[done];
  const delta = next === undefined ? { role: "assistant", content: "Done." } : {
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, id: `call_${done}`, type: "function", function: next }],
  };
  const chunks = [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: next === undefined ? "stop" : "tool_calls" }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } },
  ];
  const events = chunks.map((chunk) =>
    JSON.stringify({ id: "c", object: "chat.completion.chunk", ...chunk })
  );
  return new Response([...events, "[DONE]"].map((event) => `data: ${event}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });
}
