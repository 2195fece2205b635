/**
 * Streams for minutes into the chat, the compiled program in a recorded pty,
 * and says what that did to the terminal: sequences that clear the screen or
 * the scrollback, bytes written for each new token, and whether what had
 * scrolled out stayed as it was. Turns of text with code, lists and tables
 * change with commands that print. `--out FILE` keeps the recording.
 *
 *     deno task compile && deno task bench-stream --seconds 300
 */
import { parseArgs } from "node:util";
import { countClears, replayTerminal } from "../test/support/terminal_record.ts";
import { makeChatHome } from "./bench/chat_home.ts";
import { openPty } from "./bench/pty.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    binary: { type: "string", default: "dist/myelin" },
    seconds: { type: "string", default: "300" },
    rate: { type: "string", default: "50" },
    out: { type: "string" },
  },
});
const BINARY = Deno.realPathSync(values.binary);
const SECONDS = Number(values.seconds);
/** Tokens a second, as a quick model has them. */
const RATE = Number(values.rate);
/** After so many seconds of text the model calls a tool. */
const TURN_SECONDS = 20;
/** How often somebody scrolls up in the recording, and by how many lines. */
const LOOK_EVERY = 500;
const LOOK_LINES = 50;

const PAGE = `## Part N

The **limit** itself is free, and \`cart.sh\` says so; a longer paragraph follows that has to be wrapped more
than once on a terminal of eighty columns, with 漢字 and 👩‍👩‍👧 among its words.

\`\`\`ts
// free from the limit on
export function shipping(cents: number): number {
  return cents >= 5000 ? 0 : 495; // a comment that makes the line as long as eighty columns are, and then some
}
\`\`\`

1. read the rule
2. compare with *the test*
   - at the limit
   - above it

| order | pays | why |
| --- | --- | --- |
| 4999 | 495 | below |
| 5000 | 0 | at the limit |

> What is quoted stands apart.

`;
/** Pieces as a tokenizer makes them, about. */
const tokensOf = (page: string) => page.match(/\s?[\p{L}\p{N}]{1,6}|\s+|[^\p{L}\p{N}\s]{1,3}/gu) ?? [];

const end = performance.now() + SECONDS * 1000;
let sent = 0;
let turns = 0;

function startServer() {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    if (request.method === "GET") return Response.json({ object: "list", data: [] });
    const { tools } = await request.json() as { tools?: unknown[] };
    const encoder = new TextEncoder();
    const chunk = (delta: unknown, finish: string | null = null) =>
      encoder.encode(
        `data: ${JSON.stringify({ id: "x", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    const turn = ++turns;
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        const start = performance.now();
        let page = 0;
        let left: string[] = [];
        let own = 0;
        const over = () => performance.now() >= end || performance.now() - start >= TURN_SECONDS * 1000;
        while (tools !== undefined && !over()) {
          const due = (performance.now() - start) / 1000 * RATE;
          for (; own < due; own++) {
            if (left.length === 0) left = [...tokensOf(PAGE.replace("N", `${turn}.${++page}`))];
            const content = left.shift()!;
            // Every third turn thinks first.
            controller.enqueue(
              chunk(turn % 3 === 0 && own < 100 ? { reasoning_content: content } : { content }),
            );
            sent++;
          }
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        if (tools === undefined) controller.enqueue(chunk({ content: "Title" }));
        else if (performance.now() < end) {
          const command =
            'for i in $(seq 1 40); do echo "line $i of what the program prints"; sleep 0.05; done';
          const call = { index: 0, id: `call_${turn}`, type: "function" };
          const of = { name: "bash", arguments: JSON.stringify({ command }) };
          controller.enqueue(chunk({ tool_calls: [{ ...call, function: of }] }));
          controller.enqueue(chunk({}, "tool_calls"));
        }
        controller.enqueue(chunk({}, "stop"));
        controller.enqueue(encoder.encode("data: [DONE]\n\n"));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
}

const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "myelin-bench-" }));
const server = startServer();
const pieces: Uint8Array[] = [];
let failed = false;
try {
  const { home, cwd } = await makeChatHome(root, {
    port: server.addr.port,
    maxOutput: 1_000_000,
    settings: { limits: { maxSteps: 1000 } },
  });
  let start = 0;
  {
    await using pty = openPty([BINARY], { home, cwd, record: (piece) => pieces.push(piece.slice()) });
    await pty.until("mock/one");
    await new Promise((resolve) => setTimeout(resolve, 500));
    start = pieces.length;
    await pty.write("go on");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await pty.write("\r");
    while (performance.now() < end + 1000) await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const streamed = pieces.slice(start);
  const bytes = streamed.reduce((sum, piece) => sum + piece.length, 0);
  const decoder = new TextDecoder();
  const clears = countClears(streamed.map((piece) => decoder.decode(piece, { stream: true })).join(""));
  const terminal = replayTerminal(80, 24);
  const changes: string[] = [];
  let looks = 0;
  for (const [at, piece] of pieces.entries()) {
    await terminal.write(piece);
    if (at % LOOK_EVERY !== 0 || terminal.scrolledOut < LOOK_LINES) continue;
    changes.push(...terminal.changes());
    terminal.scrollUp(LOOK_LINES);
    looks++;
  }
  changes.push(...terminal.changes());
  const perToken = bytes / sent;
  failed = clears > 0 || perToken > 200 || changes.length > 0 || terminal.scrolledOut < SECONDS;
  const rows = [
    [
      "streamed",
      `${SECONDS} s, ${sent} tokens in ${turns} requests, ${terminal.scrolledOut} lines scrolled out`,
      "",
    ],
    ["screen or scrollback cleared after the start", `${clears}`, "0"],
    ["bytes written for each new token", perToken.toFixed(0), "≤ 200"],
    [`scrolled-up lines that changed, in ${looks} looks`, `${changes.length}`, "0"],
  ];
  console.log("| what | measured | bar |\n| --- | --- | --- |");
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
  for (const change of changes.slice(0, 10)) console.log(change);
  if (values.out !== undefined) {
    await Deno.writeFile(values.out, new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer()));
  }
} finally {
  await server.shutdown();
  await Deno.remove(root, { recursive: true });
}

Deno.exit(failed ? 1 : 0);
