/**
 * Runs one external program for a tool: no shell, so that nothing that a
 * session has defined (functions, variables, folders) gets between. Whether it
 * may run at all is judged where every program is started.
 */
import { concatBytes } from "../lib/bytes.ts";
import { type ByteSource, HostError, type HostFs } from "../sandbox/mod.ts";
import type { ShellHost } from "../shell/host.ts";
import type { ProgramEnd, ProgramRequest } from "../tools/mod.ts";

/** `env` is the whole environment of the program. */
export async function runProgram(
  host: ShellHost,
  env: Readonly<Record<string, string>>,
  request: ProgramRequest,
): Promise<ProgramEnd> {
  const [name] = request.argv;
  const program = lookUp(host.fs, name, env.PATH ?? "", host.platform === "windows");
  if (program === undefined || host.spawn === undefined) {
    throw new HostError("ENOENT", name, `${name} is not installed here`);
  }
  const process = await host.spawn({
    program,
    argv: request.argv,
    cwd: request.cwd,
    env,
    stdin: { kind: request.input === undefined ? "null" : "pipe" },
    stdout: { kind: "pipe" },
    stderr: { kind: "pipe" },
  });
  const [stdout, stderr, end] = await Promise.all([
    collect(process.stdout, request.maxBytes),
    collect(process.stderr, request.maxBytes),
    process.ended,
    feed(process.stdin, request.input),
  ]);
  return { status: end.code, stdout: stdout.bytes, stderr: stderr.bytes, size: stdout.size };
}

async function feed(
  stdin: { write(bytes: Uint8Array): unknown; close(): void } | undefined,
  input?: Uint8Array,
) {
  if (stdin === undefined) return;
  try {
    if (input !== undefined) await stdin.write(input);
  } catch (error) {
    // A program that does not want its input says so by its status.
    if (!(error instanceof HostError)) throw error;
  } finally {
    stdin.close();
  }
}

/** Reads to the end; keeps the first `maxBytes`. */
async function collect(
  source: ByteSource | undefined,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; size: number }> {
  const chunks: Uint8Array[] = [];
  let kept = 0;
  let size = 0;
  const buffer = new Uint8Array(64 * 1024);
  for (let length = 0; source !== undefined && (length = await source.read(buffer)) > 0;) {
    size += length;
    const part = buffer.slice(0, Math.min(length, maxBytes - kept));
    if (part.length > 0) chunks.push(part);
    kept += part.length;
  }
  return { bytes: concatBytes(chunks, kept), size };
}

/** The first of that name on the search path that can be executed. */
function lookUp(fs: HostFs, name: string, path: string, windows: boolean): string | undefined {
  const names = windows ? [`${name}.exe`, `${name}.cmd`, name] : [name];
  for (const folder of path.split(windows ? ";" : ":")) {
    // A relative folder would let the workspace choose the program.
    if (!windows && !folder.startsWith("/")) continue;
    for (const one of names) {
      const candidate = `${folder.replaceAll("\\", "/").replace(/\/+$/, "")}/${one}`;
      try {
        if (fs.stat(candidate).kind === "file" && fs.access(candidate, "x")) return candidate;
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
      }
    }
  }
  return undefined;
}
