/** Files and commands that an awk program reads and writes, and its main input. */
import { encodeBytes } from "../../../lib/text/bytes.ts";
import type { UtilityContext } from "../../builtin.ts";
import { type ByteSink, type ByteSource, HostError } from "../../host.ts";
import { Failure } from "../shared/options.ts";
import { Pipe } from "../shared/pipe.ts";
import { complain, reason } from "../shared/report.ts";
import { unescape } from "./lex.ts";
import { RecordReader, type Separator } from "./records.ts";
import { type AwkArray, Input, num, type Value } from "./values.ts";

/** Something to write to: opened at the first write. */
export interface Handle {
  write(text: string): Promise<void> | undefined;
}

interface Writer extends Handle {
  close(): Promise<number>;
  flush(): Promise<void>;
}

interface Reader {
  readonly records: RecordReader;
  close(): Promise<number>;
}

/** What the main input needs of the program. */
export interface InputState {
  NR: Value;
  FNR: Value;
  RT: Value;
  FILENAME: Value;
  readonly ARGC: Value;
  readonly ARGV: AwkArray;
  readonly separator: Separator;
  assign(name: string, value: Value): void;
}

const MAX_OPEN = 200;

export class IO {
  failed = false;
  readonly #writers = new Map<string, Writer>();
  readonly #readers = new Map<string, Reader>();
  #main: RecordReader | undefined;
  #mainSource: ByteSource | undefined;
  #argument = 1;
  #opened = false;
  #ended = false;
  /** How operands of the form name=value are assigned. */
  assign: (name: string, value: Value) => void = () => {};

  constructor(readonly context: UtilityContext) {}

  target(kind: "file" | "append" | "command", name: string): Handle {
    let writer = this.#writers.get(name);
    if (!writer) {
      if (this.#writers.size >= MAX_OPEN) throw new Failure("too many open files", 2);
      writer = kind === "command"
        ? new CommandWriter(this.context, name)
        : new FileWriter(this.context, name, kind === "append");
      this.#writers.set(name, writer);
    }
    return writer;
  }

  async reader(kind: "file" | "command", name: string): Promise<RecordReader> {
    const key = kind + name;
    let reader = this.#readers.get(key);
    if (!reader) {
      if (this.#readers.size >= MAX_OPEN) throw new Failure("too many open files", 2);
      reader = kind === "command"
        ? await commandReader(this.context, name)
        : await fileReader(this.context, name);
      this.#readers.set(key, reader);
    }
    return reader.records;
  }

  /** Closes whatever has this name; -1 where nothing has. */
  async close(name: string): Promise<number> {
    let status = -1;
    const writer = this.#writers.get(name);
    if (writer) {
      this.#writers.delete(name);
      status = await writer.close();
    }
    for (const key of ["file" + name, "command" + name]) {
      const reader = this.#readers.get(key);
      if (!reader) continue;
      this.#readers.delete(key);
      status = await reader.close();
    }
    return status;
  }

  async flush(name: string | undefined): Promise<number> {
    if (name === undefined || name === "") {
      await this.flushAll();
      return 0;
    }
    const writer = this.#writers.get(name);
    await writer?.flush();
    return writer ? 0 : -1;
  }

  async flushAll(): Promise<void> {
    await this.context.stdout.flush();
    for (const writer of this.#writers.values()) await writer.flush();
  }

  async closeAll(): Promise<void> {
    this.#mainSource?.close();
    await this.context.stdout.flush();
    for (const name of [...this.#writers.keys()]) await this.close(name);
    for (const reader of this.#readers.values()) await reader.close();
  }

  skipFile(): void {
    this.#closeMain();
  }

  #closeMain(): void {
    if (this.#mainSource && this.#mainSource !== this.context.stdin) this.#mainSource.close();
    this.#main = undefined;
    this.#mainSource = undefined;
  }

  /** The next record of the main input. */
  nextRecord(state: Omit<InputState, "assign">): string | undefined | Promise<string | undefined> {
    if (this.#main) {
      const next = this.#main.next(state.separator);
      if (typeof next === "string") return this.#count(state, next);
      return this.#nextLater(state, next);
    }
    return this.#nextLater(state, undefined);
  }

  #count(state: Omit<InputState, "assign">, text: string): string {
    state.NR = typeof state.NR === "number" ? state.NR + 1 : num(state.NR) + 1;
    state.FNR = typeof state.FNR === "number" ? state.FNR + 1 : num(state.FNR) + 1;
    state.RT = this.#main!.terminator;
    return text;
  }

  async #nextLater(
    state: Omit<InputState, "assign">,
    pending: string | undefined | Promise<string | undefined>,
  ): Promise<string | undefined> {
    let text: string | undefined;
    try {
      text = await pending;
    } catch (error) {
      await complain(this.context, `${asText(state.FILENAME)}: ${reason(error)}`);
      this.failed = true;
    }
    while (text === undefined) {
      this.#closeMain();
      if (this.#ended || !await this.#openNext(state)) {
        this.#ended = true;
        return undefined;
      }
      try {
        text = await this.#main!.next(state.separator);
      } catch (error) {
        await complain(
          this.context,
          `warning: command line argument \`${asText(state.FILENAME)}': ${reason(error)}`,
        );
        this.failed = true;
      }
    }
    return this.#count(state, text);
  }

  async #openNext(state: Omit<InputState, "assign">): Promise<boolean> {
    for (; this.#argument < num(state.ARGC); this.#argument++) {
      const value = state.ARGV.get(String(this.#argument)) as Value;
      const argument = asText(value);
      if (argument === "") continue;
      const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=([^]*)$/.exec(argument);
      if (assignment) {
        this.assign(assignment[1], new Input(unescape(assignment[2])));
        continue;
      }
      this.#argument++;
      this.#opened = true;
      try {
        this.#mainSource = argument === "-" ? this.context.stdin : await this.context.open(argument);
      } catch (error) {
        await complain(this.context, `cannot open "${argument}" (${reason(error)})`);
        this.failed = true;
        this.#argument--;
        continue;
      }
      this.#start(state, argument);
      return true;
    }
    if (this.#opened) return false;
    this.#opened = true;
    this.#mainSource = this.context.stdin;
    this.#start(state, "");
    return true;
  }

  #start(state: Omit<InputState, "assign">, name: string): void {
    this.#main = new RecordReader(this.#mainSource!);
    state.FILENAME = name;
    state.FNR = 0;
  }
}

function asText(value: Value): string {
  return value instanceof Input ? value.text : value === undefined ? "" : String(value);
}

class FileWriter implements Writer {
  #sink: ByteSink | undefined;
  #pending = "";
  constructor(readonly context: UtilityContext, readonly name: string, readonly append: boolean) {}

  write(text: string): Promise<void> | undefined {
    if (this.name === "/dev/stdout" || this.name === "-") {
      const done = this.context.stdout.print(text);
      return done instanceof Promise ? done : undefined;
    }
    if (this.name === "/dev/stderr") {
      const done = this.context.stderr.print(text);
      return done instanceof Promise ? done : undefined;
    }
    this.#pending += text;
    if (!this.#sink || this.#pending.length > 32_768) return this.flush();
    return undefined;
  }

  async flush(): Promise<void> {
    if (!this.#sink && /^(-|\/dev\/std(out|err))$/.test(this.name)) return;
    const text = this.#pending;
    this.#pending = "";
    try {
      this.#sink ??= await this.context.create(this.name, { append: this.append });
      await this.#sink.write(encodeBytes(text));
    } catch (error) {
      throw new Failure(`cannot redirect to ${this.name}: ${reason(error)}`, 2);
    }
  }

  async close(): Promise<number> {
    if (this.#pending !== "") await this.flush();
    this.#sink?.close();
    return 0;
  }
}

class CommandWriter implements Writer {
  readonly #pipe = new Pipe();
  #running: Promise<number> | undefined;
  constructor(readonly context: UtilityContext, readonly command: string) {}

  async #start(): Promise<void> {
    await this.context.stdout.flush();
    this.#running = this.context.run(["sh", "-c", this.command], { stdin: this.#pipe.source }).finally(() =>
      this.#pipe.source.close()
    );
    // Looked at when it is closed.
    this.#running.catch(() => {});
  }

  write(text: string): Promise<void> | undefined {
    if (!this.#running) return this.#start().then(() => this.#send(text));
    return this.#send(text);
  }

  #send(text: string): Promise<void> | undefined {
    try {
      return this.#pipe.sink.write(encodeBytes(text)) as Promise<void> | undefined;
    } catch (error) {
      if (error instanceof HostError && error.code === "EPIPE") {
        throw new Failure(`the command ${this.command} does not read any more`, 2);
      }
      throw error;
    }
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<number> {
    this.#pipe.sink.close();
    return await this.#running ?? 0;
  }
}

async function fileReader(context: UtilityContext, name: string): Promise<Reader> {
  const source = name === "-" || name === "/dev/stdin" ? context.stdin : await context.open(name);
  return {
    records: new RecordReader(source),
    close: () => {
      if (source !== context.stdin) source.close();
      return Promise.resolve(0);
    },
  };
}

async function commandReader(context: UtilityContext, command: string): Promise<Reader> {
  const pipe = new Pipe();
  await context.stdout.flush();
  const running = context.run(["sh", "-c", command], { stdout: pipe.sink }).finally(() => pipe.sink.close());
  running.catch(() => {});
  return {
    records: new RecordReader(pipe.source),
    close: () => {
      pipe.source.close();
      return running;
    },
  };
}
