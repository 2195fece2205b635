/** `--record FILE`: a sink that writes the lines of a recording, each as it comes. */
import { describeBriefly } from "../lib/errors.ts";
import { UsageError } from "./args.ts";

export interface RecordingFile {
  write(line: string): Promise<void>;
  close(): void;
}

export function openRecording(path: string): RecordingFile {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new UsageError(
        `Cannot record to "${path}": the file is there already`,
        "Name another, or remove it first",
      );
    }
    throw new UsageError(`Cannot record to "${path}": ${describeBriefly(error)}`);
  }
  const encoder = new TextEncoder();
  return {
    async write(line) {
      const bytes = encoder.encode(line + "\n");
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    },
    close: () => file.close(),
  };
}
