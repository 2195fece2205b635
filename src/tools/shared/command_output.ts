/**
 * What a command prints, on its way to the model: what fits into the limit is
 * shown whole; of more, everything goes to an artifact, and head and tail are
 * shown in half of the limit, since the rest can be read where it is needed;
 * lines that were overwritten are folded, and control sequences are taken out.
 * Never more than a few times the limit is held in memory.
 */
import { foldProgress, stripControls } from "../../lib/text/control.ts";
import { visible } from "../../lib/text/visible.ts";
import type { Later } from "../../sandbox/mod.ts";
import { HeadTail } from "./limit_output.ts";
import type { ArtifactSink } from "../tool.ts";
import { grouped } from "../../lib/text/count.ts";

/** One for each command. */
interface CommandOutput {
  /** Takes bytes; the caller may use the buffer again when it resolves. */
  write(bytes: Uint8Array): Later<void>;
  /** The text for the model. Nothing may be written afterwards. */
  end(): Promise<string>;
}

/** `maxBytes`: of the text for the model, as UTF-8. */
interface CommandOutputOptions {
  readonly maxBytes: number;
  /** Keeps the whole; undefined where nothing is kept. */
  createArtifact(): Promise<ArtifactSink | undefined>;
  /** Shows the text while it comes. */
  live(text: string): void;
}

/** Nothing is written to an artifact until the output has outgrown `maxBytes`. */
export function createCommandOutput(options: CommandOutputOptions): CommandOutput {
  const decoder = new TextDecoder();
  const kept = new HeadTail(options.maxBytes, options.maxBytes / 2);
  const early: Uint8Array[] = [];
  let total = 0;
  let artifact: ArtifactSink | undefined;
  let asked = false;
  let line = "";
  let binary = false;

  /** Folds progress line by line: what stands before a carriage return is dropped as soon as the line goes on. */
  function take(text: string): void {
    if (text.includes("\0")) binary = true;
    let all = line + text;
    const end = all.lastIndexOf("\n") + 1;
    line = all.slice(end);
    all = all.slice(0, end);
    // Of a line that overwrites itself only the last state counts; one that never ends is cut into pieces.
    if (line.length > 1024) {
      const back = line.replace(/\r+$/, "").lastIndexOf("\r");
      if (back >= 0) line = line.slice(back + 1);
    }
    if (line.length > 64 * 1024) {
      all += line;
      line = "";
    }
    if (all !== "") kept.push(clean(all));
  }

  async function keep(bytes: Uint8Array): Promise<void> {
    if (!asked) {
      asked = true;
      artifact = await options.createArtifact();
      for (const chunk of early.splice(0)) await artifact?.write(chunk);
    }
    await artifact?.write(bytes);
  }

  return {
    write(bytes) {
      total += bytes.length;
      const text = decoder.decode(bytes, { stream: true });
      take(text);
      options.live(text);
      if (!asked && total <= options.maxBytes) {
        early.push(bytes.slice());
        return;
      }
      return keep(bytes);
    },
    async end() {
      take(decoder.decode());
      if (line !== "") kept.push(clean(line));
      await artifact?.close();
      const where = artifact === undefined
        ? "not kept"
        : `full text: artifact://${artifact.id} (${artifact.path})`;
      if (binary && total > 0) {
        return `[binary output, ${grouped(total)} bytes${artifact ? `; ${where}` : ""}]`;
      }
      return kept.end(where).text;
    },
  };
}

function clean(text: string): string {
  return visible(stripControls(foldProgress(text)));
}
