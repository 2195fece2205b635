/** The lines of all input files in a row, with a look ahead for `$`. */
import type { UtilityContext } from "../../builtin.ts";
import type { ByteSource } from "../../host.ts";
import { LineReader } from "../shared/blocks.ts";

export class Input {
  #files: string[];
  #reader: LineReader | undefined;
  #source: ByteSource | undefined;
  #ahead: string | undefined;
  #aheadTerminated = true;
  #hasAhead = false;
  line = 0;
  file = "-";
  terminated = true;
  /** Told of each file that starts. Files are separate when this says so. */
  constructor(
    readonly context: UtilityContext,
    files: readonly string[],
    readonly delimiter: string,
    readonly separate: boolean,
    readonly failed: (name: string, error: unknown) => Promise<void>,
    readonly starts: (name: string) => Promise<void> | undefined,
    readonly ends: (name: string) => Promise<void> | undefined,
  ) {
    this.#files = [...files];
  }

  /** The next line, or undefined after the last. */
  next(): string | undefined | Promise<string | undefined> {
    if (this.#hasAhead) {
      this.#hasAhead = false;
      this.line++;
      this.terminated = this.#aheadTerminated;
      return this.#ahead;
    }
    if (this.#reader) {
      const line = this.#reader.next();
      if (typeof line === "string") {
        this.line++;
        this.terminated = this.#reader.terminated;
        return line;
      }
      return this.#slow(line);
    }
    return this.#slow(undefined);
  }

  async #slow(pending: string | undefined | Promise<string | undefined>): Promise<string | undefined> {
    const line = await this.#read(pending, true);
    if (line !== undefined) {
      this.line++;
      this.terminated = this.#reader!.terminated;
    }
    return line;
  }

  /** Reads on, into the next file where `across` allows it. */
  async #read(
    pending: string | undefined | Promise<string | undefined>,
    across: boolean,
  ): Promise<string | undefined> {
    let line: string | undefined;
    if (this.#reader) {
      try {
        line = await (pending ?? this.#reader.next());
      } catch (error) {
        await this.failed(this.file, error);
      }
    }
    while (line === undefined) {
      if (!across && this.#reader) return undefined;
      await this.#close();
      const name = this.#files.shift();
      if (name === undefined) return undefined;
      try {
        this.#source = name === "-" ? this.context.stdin : await this.context.open(name);
        const reader = new LineReader(this.#source, this.delimiter);
        line = await reader.next();
        this.file = name;
        this.#reader = reader;
        if (this.separate) this.line = 0;
        await this.starts(name);
      } catch (error) {
        await this.failed(name, error);
        await this.#drop();
      }
    }
    return line;
  }

  async #close(): Promise<void> {
    if (!this.#reader) return;
    await this.#drop();
    await this.ends(this.file);
  }

  #drop(): Promise<void> {
    if (this.#source && this.#source !== this.context.stdin) this.#source.close();
    this.#source = undefined;
    this.#reader = undefined;
    return Promise.resolve();
  }

  /** Whether the current line is the last one (of its file, where files are separate). */
  async last(): Promise<boolean> {
    if (this.#hasAhead) return false;
    if (this.separate) {
      if (!this.#reader) return true;
      const line = await this.#read(undefined, false);
      return !this.#keep(line);
    }
    const line = await this.#read(undefined, true);
    return !this.#keep(line);
  }

  #keep(line: string | undefined): boolean {
    if (line === undefined) return false;
    this.#ahead = line;
    this.#hasAhead = true;
    this.#aheadTerminated = this.#reader!.terminated;
    return true;
  }

  /** Whether there is any further line in any file. */
  async more(): Promise<boolean> {
    if (this.#hasAhead) return true;
    if (this.separate) return !await this.last() || this.#files.length > 0;
    return !await this.last();
  }

  async close(): Promise<void> {
    await this.#close();
  }
}
