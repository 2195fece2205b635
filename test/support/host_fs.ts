/** A folder of its own over the unguarded disk, with everything else that file tools ask for. */
import type { ToolBody, ToolContext, ToolResult } from "../../src/agent/tool.ts";
import { textOf } from "../../src/llm/message.ts";
import { realFs } from "../../src/sandbox/host_real.ts";
import { type HostFs, loadRealHost } from "../../src/sandbox/mod.ts";
import { runProgram } from "../../src/sheath/program.ts";
import type { AgentReport, MainDeps, SheathDeps } from "../../src/tools/mod.ts";
import { listNotes, readNote, removeNote, saveNote } from "../../src/lib/files/notes.ts";
import { ReadStamps } from "../../src/tools/shared/read_stamps.ts";

/** A folder of its own with everything that file tools need; gone when disposed. */
export class Bench implements Disposable {
  readonly dir: string = Deno.realPathSync(Deno.makeTempDirSync());
  readonly deps: SheathDeps;
  /** What the main isolate hands over: people who answer `reply`, agents that report `report`. */
  readonly main: MainDeps;
  reply: { chosen: string[]; text?: string } | undefined = { chosen: [], text: "yes" };
  report: AgentReport = { ended: "stop", text: "found it", steps: 1, toolCalls: 0 };
  points: string[] = [];
  artifacts: Map<string, Uint8Array> = new Map();
  cancelled = false;
  /** What programs see beside PATH and HOME. */
  env: Record<string, string> = {};

  constructor(options: { outputBytes?: number; fs?: HostFs } = {}) {
    this.deps = {
      fs: options.fs ?? realFs,
      workspace: this.dir,
      cwd: () => this.dir,
      home: this.dir,
      poll: () => {
        if (this.cancelled) throw new DOMException("cancelled", "AbortError");
      },
      artifacts: {
        read: (id, offset, length) =>
          Promise.resolve(this.artifacts.get(id)?.subarray(offset, offset + length)),
        create: () => Promise.resolve(undefined),
      },
      shell: () => Promise.reject(new Error("there is no shell on this bench")),
      program: async (request) => {
        const env = { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", HOME: this.dir, ...this.env };
        return await runProgram(await loadRealHost(), env, request);
      },
      deadline() {},
      ledger: new ReadStamps(),
      limits: { outputBytes: options.outputBytes ?? 32 * 1024 },
    };
    const run = (id: string) => ({
      id,
      done: Promise.resolve(this.report),
      news: () => [],
      report: this.report,
      cancel() {},
    });
    const notes = `${this.dir}/.notes`;
    this.main = {
      limits: this.deps.limits,
      people: { ask: () => Promise.resolve(this.reply) },
      notes: {
        place: notes,
        list: () => listNotes(notes),
        read: (title) => readNote(notes, title),
        save: (title, text) => saveNote(notes, title, text),
        remove: (title) => removeNote(notes, title),
      },
      checkpoints: {
        mark: (name) => Promise.resolve(void this.points.push(name)),
        list: () => this.points,
        restore: (name) =>
          Promise.resolve(
            this.points.includes(name) ? { restored: ["a.txt"], conflicts: [], failed: [] } : undefined,
          ),
      },
      agents: {
        roles: () => [{ name: "explore", about: "finds things out" }],
        start: () => run("task1"),
        find: (id) => id === "task1" ? run(id) : undefined,
        running: () => [],
      },
    };
  }

  /** Writes a file (and its folders); texts as UTF-8. */
  put(name: string, content: string | Uint8Array): string {
    const path = `${this.dir}/${name}`;
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeFileSync(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
    return path;
  }

  bytes(name: string): Uint8Array {
    return Deno.readFileSync(`${this.dir}/${name}`);
  }

  text(name: string): string {
    return Deno.readTextFileSync(`${this.dir}/${name}`);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.dir, { recursive: true });
  }
}

export const context: ToolContext = {
  callId: "call-1",
  signal: new AbortController().signal,
  output() {},
};

/** Runs a call; its text and the rest. */
export async function call(body: ToolBody, args: unknown): Promise<ToolResult & { text: string }> {
  const result = await body.run(args, context);
  return { ...result, text: textOf(result.parts) };
}
