/**
 * Runs a sed script: one cycle per line over a flat list of commands. Waits
 * only where input or output makes it wait.
 */
import type { UtilityContext } from "../../builtin.ts";
import type { ByteSink, ByteSource } from "../../host.ts";
import { decodeBytes, encodeBytes } from "../../../lib/text/bytes.ts";
import type { Regex } from "../../../lib/regex.ts";
import { LineReader, readAll } from "../shared/blocks.ts";
import { Failure } from "../shared/options.ts";
import { reason } from "../shared/report.ts";
import type { Input } from "./input.ts";
import type { Address, Command } from "./parse.ts";
import { substitute } from "./replace.ts";

/** Where lines go; remembers that the last one had no newline. */
export class LineSink {
  #missing = false;
  constructor(readonly print: (text: string) => Promise<void> | void, readonly delimiter: string) {}

  line(text: string, terminated = true): Promise<void> | void {
    const out = (this.#missing ? this.delimiter : "") + text + (terminated ? this.delimiter : "");
    this.#missing = !terminated;
    return this.print(out);
  }

  /** Lines of which the last has no newline. */
  open(text: string): Promise<void> | void {
    const out = (this.#missing ? this.delimiter : "") + text;
    this.#missing = true;
    return this.print(out);
  }

  /** Text that brings its own newline. */
  raw(text: string): Promise<void> | void {
    if (text === "" && !this.#missing) return;
    const out = (this.#missing ? this.delimiter : "") + text;
    this.#missing = false;
    return this.print(out);
  }
}

export interface RunOptions {
  readonly quiet: boolean;
  readonly posix: boolean;
  readonly unbuffered: boolean;
  readonly delimiter: string;
  readonly width: number;
}

/** What is shown after the cycle. */
type Queued = { readonly type: "text"; readonly text: string } | {
  readonly type: "file";
  readonly name: string;
} | { readonly type: "line"; readonly text: string };

/** Range of a command: "off", or active until a line (Infinity: until its regex matches). */
interface RangeState {
  active: boolean;
  until: number;
  used: boolean;
}

export class Executor {
  #space = "";
  #hold = "";
  #terminated = true;
  #substituted = false;
  #lastRegex: Regex | undefined;
  #queue: Queued[] = [];
  #restart = false;
  readonly #ranges: RangeState[];
  readonly #files = new Map<string, { sink: ByteSink; lines: LineSink }>();
  readonly #sources: ByteSource[] = [];
  readonly #readers = new Map<string, LineReader | undefined>();
  output: LineSink;

  constructor(
    readonly context: UtilityContext,
    readonly commands: readonly Command[],
    readonly options: RunOptions,
    readonly input: Input,
    output: LineSink,
  ) {
    this.output = output;
    this.#ranges = commands.map(() => ({ active: false, until: 0, used: false }));
  }

  /** Makes the files of `w`, as sed does before it reads anything. */
  async openFiles(): Promise<void> {
    for (const command of this.commands) {
      const name = command.substitution?.file ??
        (command.name === "w" || command.name === "W" ? command.text! : undefined);
      if (name === undefined || this.#files.has(name) || name === "/dev/stdout") continue;
      try {
        const sink = name === "/dev/stderr" ? this.context.stderr : await this.context.create(name);
        const lines = new LineSink((text) => sink.write(encodeBytes(text)), this.options.delimiter);
        this.#files.set(name, { sink, lines });
      } catch (error) {
        throw new Failure(`couldn't open file ${name}: ${reason(error)}`, 4);
      }
    }
  }

  async run(): Promise<number> {
    try {
      return await this.#cycles();
    } finally {
      for (const source of this.#sources) source.close();
      for (const { sink } of this.#files.values()) if (sink !== this.context.stderr) sink.close();
    }
  }

  async #cycles(): Promise<number> {
    let turns = 0;
    for (;;) {
      if ((++turns & 255) === 0) this.context.poll();
      if (this.#restart) this.#restart = false;
      else {
        const next = this.input.next();
        const line = next instanceof Promise ? await next : next;
        if (line === undefined) return 0;
        this.#space = line;
        this.#terminated = this.input.terminated;
      }
      const done = this.#script();
      const end = done instanceof Promise ? await done : done;
      if (end.print && !this.options.quiet) {
        const printed = this.output.line(this.#space, this.#terminated);
        if (printed) await printed;
      }
      if (this.#queue.length > 0) await this.#flushQueue();
      if (this.options.unbuffered) await this.context.stdout.flush();
      if (end.status !== undefined) return end.status;
    }
  }

  async #script(): Promise<{ print: boolean; status?: number }> {
    const { commands } = this;
    let steps = 0;
    for (let pc = 0; pc < commands.length;) {
      if ((++steps & 1023) === 0) this.context.poll();
      const command = commands[pc];
      if (command.first) {
        const chosen = this.#chosen(command, pc);
        if ((typeof chosen === "boolean" ? chosen : await chosen) === command.negated) {
          pc = command.name === "{" ? command.target : pc + 1;
          continue;
        }
      } else if (command.negated) {
        pc = command.name === "{" ? command.target : pc + 1;
        continue;
      }
      pc++;
      switch (command.name) {
        case "{":
          break;
        case "s": {
          const done = this.#substitute(command);
          if (done) await done;
          break;
        }
        case "d":
          return { print: false };
        case "D": {
          const at = this.#space.indexOf("\n");
          if (at < 0) return { print: false };
          this.#space = this.#space.slice(at + 1);
          this.#restart = true;
          return { print: false };
        }
        case "p": {
          const done = this.output.line(this.#space, this.#terminated);
          if (done) await done;
          break;
        }
        case "P": {
          const at = this.#space.indexOf("\n");
          const done = this.output.line(
            at < 0 ? this.#space : this.#space.slice(0, at),
            at < 0 ? this.#terminated : true,
          );
          if (done) await done;
          break;
        }
        case "n": {
          if (!await this.input.more()) return { print: !this.options.posix, status: 0 };
          if (!this.options.quiet) await this.output.line(this.#space, this.#terminated);
          if (this.#queue.length > 0) await this.#flushQueue();
          this.#space = (await this.input.next())!;
          this.#terminated = this.input.terminated;
          break;
        }
        case "N": {
          if (!await this.input.more()) return { print: !this.options.posix, status: 0 };
          if (this.#queue.length > 0) await this.#flushQueue();
          this.#space += "\n" + (await this.input.next())!;
          this.#terminated = this.input.terminated;
          break;
        }
        case "g":
          this.#space = this.#hold;
          break;
        case "G":
          this.#space += "\n" + this.#hold;
          break;
        case "h":
          this.#hold = this.#space;
          break;
        case "H":
          this.#hold += "\n" + this.#space;
          break;
        case "x":
          [this.#space, this.#hold] = [this.#hold, this.#space];
          break;
        case "b":
          pc = command.target;
          break;
        case "t":
          if (this.#substituted) {
            this.#substituted = false;
            pc = command.target;
          }
          break;
        case "T":
          if (this.#substituted) this.#substituted = false;
          else pc = command.target;
          break;
        case "y":
          this.#space = Array.from(this.#space, (c) => command.map!.get(c) ?? c).join("");
          break;
        case "a":
          this.#queue.push({ type: "text", text: command.text! });
          break;
        case "i": {
          const done = this.output.raw(command.text!);
          if (done) await done;
          break;
        }
        case "c": {
          const range = this.#ranges[pc - 1];
          if (!command.second || command.negated || !range.active) await this.output.raw(command.text!);
          // GNU: in the middle of a range the line is dropped and the text waits for the end.
          return { print: false };
        }
        case "q":
          return { print: true, status: command.number ?? 0 };
        case "Q":
          return { print: false, status: command.number ?? 0 };
        case "=":
          await this.output.raw(`${this.input.line}\n`);
          break;
        case "l":
          await this.output.raw(visible(this.#space, command.number ?? this.options.width));
          break;
        case "F":
          await this.output.raw(`${this.input.file}\n`);
          break;
        case "z":
          this.#space = "";
          break;
        case "r":
          this.#queue.push({ type: "file", name: command.text! });
          break;
        case "R": {
          const line = await this.#nextOf(command.text!);
          if (line !== undefined) this.#queue.push({ type: "line", text: line });
          break;
        }
        case "w":
          await this.#writeTo(command.text!, this.#space, this.#terminated);
          break;
        case "W":
          await this.#writeTo(command.text!, this.#space.split("\n")[0], true);
          break;
        case "e":
          if (command.text === "") this.#space = (await this.#shell(this.#space)).replace(/\n$/, "");
          else await this.output.raw(await this.#shell(command.text!));
          break;
        default:
          throw new Error(`unhandled command ${command.name}`);
      }
    }
    this.#substituted = false;
    return { print: true };
  }

  #substitute(command: Command): Promise<void> | void {
    const { regex: own, replacement, occurrence, global, print, evaluate, file } = command.substitution!;
    const regex = this.#use(own);
    if (replacement.highest > regex.groups) {
      throw new Failure(`invalid reference \\${replacement.highest} on \`s' command's RHS`);
    }
    const result = substitute(this.#space, regex, replacement, occurrence, global);
    if (result === undefined) return;
    this.#space = result;
    this.#substituted = true;
    if (!evaluate && file === undefined) {
      return print > 0 ? this.output.line(this.#space, this.#terminated) : undefined;
    }
    return this.#afterSubstitution(evaluate, print, file);
  }

  async #afterSubstitution(evaluate: boolean, print: number, file: string | undefined): Promise<void> {
    if (evaluate) this.#space = (await this.#shell(this.#space)).replace(/\n$/, "");
    if (print > 0) await this.output.line(this.#space, this.#terminated);
    if (file !== undefined) await this.#writeTo(file, this.#space, this.#terminated);
  }

  /** The expression, or the one that was used last where it is empty. */
  #use(regex: Regex | undefined): Regex {
    if (regex) return this.#lastRegex = regex;
    if (!this.#lastRegex) throw new Failure("-e expression #1, char 0: no previous regular expression");
    return this.#lastRegex;
  }

  #matches(address: Address): boolean | Promise<boolean> {
    switch (address.type) {
      case "line":
        return this.input.line === address.line;
      case "step":
        return this.input.line >= address.first && (this.input.line - address.first) % address.step === 0;
      case "last":
        return this.input.last();
      case "zero":
        return false;
      case "regex":
        return this.#use(address.regex).test(this.#space);
    }
  }

  #chosen(command: Command, index: number): boolean | Promise<boolean> {
    if (!command.second) return this.#matches(command.first!);
    return this.#inRange(command, this.#ranges[index]);
  }

  async #inRange(command: Command, range: RangeState): Promise<boolean> {
    const { line } = this.input;
    const first = command.first!, second = command.second!;
    if (first.type === "zero" && !range.used) {
      // `0,/re/`: active before the first line.
      range.used = true;
      range.active = true;
      range.until = Infinity;
    }
    if (!range.active) {
      // A range that starts at a line number starts there only, also when it was jumped over.
      if (!await this.#matches(first)) return false;
      switch (second.type) {
        case "line":
          range.until = second.line;
          break;
        case "plus":
          range.until = line + second.count;
          break;
        case "multiple":
          range.until = second.of > 0 ? line + second.of - line % second.of : line;
          break;
        default:
          range.active = true;
          range.until = Infinity;
          return true;
      }
      range.active = range.until > line;
      return true;
    }
    switch (second.type) {
      case "regex":
        if (this.#use(second.regex).test(this.#space)) range.active = false;
        return true;
      case "last":
        if (await this.input.last()) range.active = false;
        return true;
      case "step":
        if (await this.#matches(second)) range.active = false;
        return true;
      default:
        if (line >= range.until) range.active = false;
        // The end was jumped over by `n`, `N` or a branch: this line is outside, unless it starts the range anew.
        return line <= range.until;
    }
  }

  async #flushQueue(): Promise<void> {
    const queue = this.#queue;
    this.#queue = [];
    for (const item of queue) {
      if (item.type === "text") await this.output.raw(item.text);
      else if (item.type === "line") await this.output.line(item.text);
      else {
        const text = await this.#contents(item.name);
        if (text !== undefined) await this.output.raw(text);
      }
    }
  }

  /** A file that cannot be read is as good as empty. */
  async #contents(name: string): Promise<string | undefined> {
    try {
      const source = name === "/dev/stdin" ? this.context.stdin : await this.context.open(name);
      try {
        return decodeBytes(await readAll(source, () => this.context.poll()));
      } finally {
        if (source !== this.context.stdin) source.close();
      }
    } catch (error) {
      reason(error);
      return undefined;
    }
  }

  async #nextOf(name: string): Promise<string | undefined> {
    if (!this.#readers.has(name)) {
      try {
        const source = await this.context.open(name);
        if (source !== this.context.stdin) this.#sources.push(source);
        this.#readers.set(name, new LineReader(source));
      } catch (error) {
        reason(error);
        this.#readers.set(name, undefined);
      }
    }
    return await this.#readers.get(name)?.next();
  }

  async #writeTo(name: string, text: string, terminated: boolean): Promise<void> {
    if (name === "/dev/stdout") await this.output.line(text, terminated);
    else await this.#files.get(name)!.lines.line(text, terminated);
  }

  /** The output of a command that the shell runs. */
  async #shell(command: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    await this.context.stdout.flush();
    await this.context.run(["sh", "-c", command], {
      stdout: {
        write(bytes) {
          size += bytes.length;
          if (size > 1 << 28) throw new Failure("output of a command is too long");
          chunks.push(bytes.slice());
        },
        close() {},
      },
    });
    const all = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return decodeBytes(all);
  }
}

/** A line with escapes for what cannot be seen, folded (`l`). */
function visible(text: string, width: number): string {
  const named: Readonly<Record<number, string>> = {
    7: "\\a",
    8: "\\b",
    9: "\\t",
    10: "\\n",
    11: "\\v",
    12: "\\f",
    13: "\\r",
    92: "\\\\",
  };
  let out = "";
  let column = 0;
  for (const byte of encodeBytes(text)) {
    const part = named[byte] ??
      (byte < 32 || byte > 126 ? "\\" + byte.toString(8).padStart(3, "0") : String.fromCharCode(byte));
    if (width > 1 && column + part.length > width - 1) {
      out += "\\\n";
      column = 0;
    }
    out += part;
    column += part.length;
  }
  return out + "$\n";
}
