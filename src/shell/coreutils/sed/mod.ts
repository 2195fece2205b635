/** sed: the whole language, GNU's additions included. */
import type { UtilityContext } from "../../builtin.ts";
import { decodeBytes, encodeBytes } from "../../../lib/text/bytes.ts";
import { readAll } from "../shared/blocks.ts";
import { Failure, parseOptions } from "../shared/options.ts";
import { baseName } from "../shared/paths.ts";
import { complain, reason } from "../shared/report.ts";
import { blockTransform, runBlocks } from "./block.ts";
import { Input } from "./input.ts";
import { parseScript, type Piece } from "./parse.ts";
import { Executor, LineSink } from "./run.ts";

const TABLE = {
  options: [
    "n|quiet|silent",
    "e|expression=",
    "f|file=",
    "E|r|regexp-extended",
    "i|in-place=?",
    "l|line-length=",
    "s|separate",
    "u|unbuffered",
    "z|null-data",
    "posix",
    "sandbox",
    "b|binary",
    "follow-symlinks",
  ],
  unsupported: ["debug"],
  usage: "[OPTION]... {script-only-if-no-other-script} [input-file]...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const operands = [...options.operands];
  const pieces: Piece[] = [];
  let number = 0;
  for (const [key, value] of options.list) {
    if (key === "e") pieces.push({ text: value, origin: { kind: "expression", number: ++number } });
    else if (key === "f") pieces.push(await scriptFile(context, value));
  }
  if (pieces.length === 0) {
    if (operands.length === 0) {
      await context.stderr.print(
        `Usage: ${context.name} [OPTION]... {script-only-if-no-other-script} [input-file]...\n`,
      );
      return 1;
    }
    pieces.push({ text: operands.shift()!, origin: { kind: "expression", number: 1 } });
  }
  const quiet = options.has("n") || /^#n(\n|$)/.test(pieces[0].text);
  const posix = options.has("posix");
  const commands = parseScript(pieces, {
    extended: options.has("E"),
    poll: () => context.poll(),
    posix,
    sandbox: options.has("sandbox"),
  });
  const delimiter = options.has("z") ? "\0" : "\n";
  const inPlace = options.has("i");
  let status = 0;
  const stdout = new LineSink((text) => {
    const done = context.stdout.print(text);
    return done instanceof Promise ? done : undefined;
  }, delimiter);
  const failed = async (name: string, error: unknown): Promise<void> => {
    const why = reason(error);
    await complain(
      context,
      (error as { code?: string }).code === "EISDIR"
        ? (inPlace ? `couldn't edit ${name}: not a regular file` : `couldn't read ${name}: ${why}`.replace(
          /^couldn't read (.*): Is a directory$/,
          "read error on $1: Is a directory",
        ))
        : `can't read ${name}: ${why}`,
    );
    status = inPlace && (error as { code?: string }).code === "EISDIR" ? 4 : 2;
  };
  const files = operands.length === 0 ? ["-"] : operands;
  const transform = inPlace || delimiter !== "\n" ? undefined : blockTransform(commands, quiet);
  if (transform) {
    await runBlocks(context, files, transform, stdout, options.has("u"), failed);
    return status;
  }
  const editing = inPlace ? new InPlace(context, options.value("i") ?? "", delimiter) : undefined;
  const input = new Input(
    context,
    files,
    delimiter,
    inPlace || options.has("s"),
    failed,
    (name) => {
      if (editing && name !== "-") executor.output = editing.start(name);
      return undefined;
    },
    (name) => editing && name !== "-" ? editing.finish(name) : undefined,
  );
  const executor = new Executor(
    context,
    commands,
    {
      quiet,
      posix,
      unbuffered: options.has("u"),
      delimiter,
      width: options.has("l") ? Number(options.value("l")) : 70,
    },
    input,
    stdout,
  );
  await executor.openFiles();
  const ended = await executor.run();
  await input.close();
  return ended || status;
}

/** Output that replaces the files one after the other. */
class InPlace {
  #parts: string[] = [];
  #bytes: Uint8Array[] = [];
  #size = 0;
  constructor(readonly context: UtilityContext, readonly suffix: string, readonly delimiter: string) {}

  start(name: string): LineSink {
    const { context } = this;
    if (context.fs.stat(context.path(name)).kind !== "file") {
      throw new Failure(`couldn't edit ${name}: not a regular file`, 4);
    }
    this.#parts = [];
    this.#bytes = [];
    this.#size = 0;
    return new LineSink((text) => {
      this.#parts.push(text);
      this.#size += text.length;
      if (this.#parts.length > 4096) this.#pack();
      if (this.#size > 2 ** 31) throw new Failure("file too large to edit");
    }, this.delimiter);
  }

  #pack(): void {
    this.#bytes.push(encodeBytes(this.#parts.join("")));
    this.#parts = [];
  }

  /** Writes beside the file and renames, so that nobody sees half of it. */
  async finish(name: string): Promise<void> {
    const { context } = this;
    this.#pack();
    const path = context.path(name);
    const stat = context.fs.stat(path);
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const random = new Uint8Array(6);
    context.host.random(random);
    const temporary = `${folder}sed${
      Array.from(random, (byte) => "abcdefghijklmnopqrstuvwxyz"[byte % 26]).join("")
    }`;
    try {
      const file = await context.fs.open(temporary, {
        write: true,
        create: true,
        exclusive: true,
        mode: 0o600,
      });
      try {
        for (const bytes of this.#bytes) await file.write(bytes);
      } finally {
        file.close();
      }
      context.fs.chmod(temporary, stat.mode);
    } catch (error) {
      throw new Failure(`couldn't open temporary file ${temporary}: ${reason(error)}`, 4);
    }
    if (this.suffix !== "") {
      const base = baseName(name);
      const backup = this.suffix.includes("*") ? this.suffix.replaceAll("*", base) : base + this.suffix;
      await context.fs.rename(path, backup.includes("/") ? context.path(backup) : folder + backup);
    }
    await context.fs.rename(temporary, path);
  }
}

async function scriptFile(context: UtilityContext, name: string): Promise<Piece> {
  try {
    const source = name === "-" ? context.stdin : await context.open(name);
    let text = decodeBytes(await readAll(source, () => context.poll(), 1 << 26)).replace(/\n$/, "");
    if (source !== context.stdin) source.close();
    if (text.startsWith("#!")) text = "#" + text.slice(2);
    return { text, origin: { kind: "file", name } };
  } catch (error) {
    throw new Failure(`couldn't open file ${name}: ${reason(error)}`, 4);
  }
}
