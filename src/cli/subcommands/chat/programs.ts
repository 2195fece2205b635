/** Programs that the user himself starts from the chat: his shell, his editor, the clipboard's. They run as he would run them. */
import type { PromptPart } from "../../../engine/op.ts";
import { AppError } from "../../../lib/errors.ts";

/** Runs a command line in the user's shell; resolves to its status. An abort ends its whole group. */
export async function runShell(
  command: string,
  cwd: string,
  output: (text: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const windows = Deno.build.os === "windows";
  const shell = windows ? "cmd" : Deno.env.get("SHELL") ?? "/bin/sh";
  const child = new Deno.Command(shell, {
    args: windows ? ["/d", "/s", "/c", command] : ["-c", command],
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: !windows,
  }).spawn();
  const stop = () => {
    try {
      if (windows) child.kill();
      else Deno.kill(-child.pid, "SIGTERM");
    } catch {
      // It has ended by itself.
    }
  };
  signal.addEventListener("abort", stop);
  const drain = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) output(decoder.decode(bytes, { stream: true }));
  };
  const drained = Promise.allSettled([drain(child.stdout), drain(child.stderr)]);
  const { code } = await child.status;
  // What a background child holds open is not waited for.
  await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, 200))]);
  signal.removeEventListener("abort", stop);
  return code;
}

/** Lets the user edit a text; undefined: he has not saved it. */
export async function editText(text: string, cwd: string): Promise<string | undefined> {
  const editor = Deno.env.get("VISUAL") || Deno.env.get("EDITOR") ||
    (Deno.build.os === "windows" ? "notepad" : "vi");
  const folder = await Deno.makeTempDir({ prefix: "myelin-draft-" });
  const file = `${folder}/draft.md`;
  try {
    await Deno.writeTextFile(file, text, { mode: 0o600 });
    const [program, ...args] = editor.split(" ").filter((word) => word !== "");
    const { code } = await new Deno.Command(program, {
      args: [...args, file],
      cwd,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn().status;
    return code === 0 ? await Deno.readTextFile(file) : undefined;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new AppError("not_found", `Cannot start the editor "${editor}"`, {
      hint: "Set $VISUAL or $EDITOR",
    });
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
}

const CLIPBOARDS: readonly (readonly string[])[] = [
  ["wl-paste", "--type", "image/png"],
  ["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
  ["pngpaste", "-"],
];

/** The clipboard's image, where there is one and a program that reads it. */
export async function readClipboardImage(): Promise<PromptPart | undefined> {
  for (const [program, ...args] of CLIPBOARDS) {
    try {
      const { success, stdout } = await new Deno.Command(program, { args, stdin: "null", stderr: "null" })
        .output();
      if (success && stdout[0] === 0x89 && stdout[1] === 0x50) {
        return { type: "image", mediaType: "image/png", data: stdout.toBase64(), name: "clipboard.png" };
      }
    } catch {
      continue; // it is not installed
    }
  }
  return undefined;
}

/** The branch that the folder is on; undefined: none, or no repository. */
export async function readBranch(cwd: string): Promise<string | undefined> {
  for (let folder = cwd; folder !== ""; folder = folder.slice(0, folder.lastIndexOf("/"))) {
    try {
      let git = `${folder}/.git`;
      const stat = await Deno.stat(git);
      if (stat.isFile) git = (await Deno.readTextFile(git)).replace(/^gitdir: /, "").trim();
      const head = (await Deno.readTextFile(`${git.startsWith("/") ? git : `${folder}/${git}`}/HEAD`)).trim();
      return head.startsWith("ref: refs/heads/") ? head.slice(16) : head.slice(0, 8);
    } catch {
      continue; // not here
    }
  }
  return undefined;
}
