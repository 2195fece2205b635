/**
 * Small files of JSON lines beside sessions: what is being changed right now
 * (so that a crash leaves it undoable), and what is known of a workspace's
 * files. Losing one loses no session; a torn line is passed over.
 */
import { folderOf } from "../log/files.ts";
import { ioError } from "../log/io_error.ts";

export class LineFile {
  readonly path: string;
  #file: Deno.FsFile | undefined;
  /** It was taken away, and not made since: to look costs an error. */
  #gone = false;

  constructor(path: string) {
    this.path = path;
  }

  /** What is in it; nothing where it is not there. Lines that are not JSON are left out. */
  read(): unknown[] {
    let text: string;
    try {
      text = Deno.readTextFileSync(this.path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw ioError(error, `Cannot read "${this.path}"`);
    }
    return text.split("\n").flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line) as unknown];
      } catch {
        return []; // torn by a crash
      }
    });
  }

  append(values: readonly unknown[]): void {
    if (values.length === 0) return;
    this.#gone = false;
    try {
      this.#file ??= this.#open();
      const bytes = new TextEncoder().encode(values.map((value) => JSON.stringify(value) + "\n").join(""));
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
    } catch (error) {
      throw ioError(error, `Cannot write "${this.path}"`);
    }
  }

  /** Puts these lines in place of all others. */
  replace(values: readonly unknown[]): void {
    this.close();
    this.#gone = false;
    const fresh = `${this.path}.${crypto.randomUUID().slice(0, 8)}`;
    try {
      Deno.mkdirSync(folderOf(this.path), { recursive: true, mode: 0o700 });
      Deno.writeTextFileSync(fresh, values.map((value) => JSON.stringify(value) + "\n").join(""), {
        mode: 0o600,
      });
      Deno.renameSync(fresh, this.path);
    } catch (error) {
      throw ioError(error, `Cannot write "${this.path}"`);
    }
  }

  /** Takes the file away. */
  clear(): void {
    this.close();
    if (this.#gone) return;
    try {
      Deno.removeSync(this.path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw ioError(error, `Cannot remove "${this.path}"`);
    }
    this.#gone = true;
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #open(): Deno.FsFile {
    Deno.mkdirSync(folderOf(this.path), { recursive: true, mode: 0o700 });
    return Deno.openSync(this.path, { create: true, append: true, mode: 0o600 });
  }
}
