/**
 * The quick way for the scripts that most people write: substitutions on every
 * line, or one choice of lines by an expression. They run over whole blocks of
 * lines at once and give what the executor would give.
 */
import type { UtilityContext } from "../../builtin.ts";
import type { ByteSource } from "../../host.ts";
import { decodeBytes } from "../../../lib/text/bytes.ts";
import type { Regex } from "../../../lib/regex.ts";
import { BlockReader, eachInput } from "../shared/blocks.ts";
import type { Command } from "./parse.ts";
import { expand, type Replacement } from "./replace.ts";
import type { LineSink } from "./run.ts";

export type Transform = (block: string) => string;

/** What a script does to a block of lines; undefined where it needs the executor. */
export function blockTransform(commands: readonly Command[], quiet: boolean): Transform | undefined {
  if (commands.length === 1) {
    const choice = chooser(commands[0], quiet);
    if (choice) return choice;
  }
  if (quiet || commands.length === 0) return undefined;
  const steps: Transform[] = [];
  for (const { name, first, negated, substitution } of commands) {
    if (name !== "s" || first || negated || !substitution?.forBlocks) return undefined;
    const { occurrence, print, evaluate, file, replacement, global, forBlocks } = substitution;
    if (
      occurrence !== 1 || print > 0 || evaluate || file !== undefined || replacement.literal?.includes("\n")
    ) return undefined;
    if (
      replacement.literal === undefined &&
      replacement.parts.some((part) => part.type === "text" && part.text.includes("\n"))
    ) return undefined;
    const regex = forBlocks();
    steps.push((block) => substituteLines(block, regex, replacement, global));
  }
  return steps.length === 1 ? steps[0] : (block) => steps.reduce((text, step) => step(text), block);
}

/** `-n /re/p`, `/re/d`, and both with `!`. */
function chooser({ name, first, second, negated }: Command, quiet: boolean): Transform | undefined {
  if (first?.type !== "regex" || second || !first.forBlocks || (quiet ? name !== "p" : name !== "d")) {
    return undefined;
  }
  const regex = first.forBlocks();
  // Whether lines that match are kept.
  const keeps = (name === "p") !== negated;
  return (block) => {
    let out = "";
    for (let at = 0; at < block.length;) {
      const end = regex.find(block, at);
      let start = block.length, stop = block.length;
      if (end >= 0) {
        start = end === 0 ? 0 : block.lastIndexOf("\n", end - 1) + 1;
        stop = block.indexOf("\n", end) + 1 || block.length;
      }
      out += keeps ? block.slice(start, stop) : block.slice(at, start);
      at = stop;
    }
    return out;
  };
}

function substituteLines(block: string, regex: Regex, replacement: Replacement, global: boolean): string {
  let out = "";
  let copied = 0;
  let lastEnd = -1;
  for (let from = 0; from <= block.length;) {
    const match = regex.exec(block, from);
    // An empty match behind the last newline stands in no line.
    if (!match || (match.index === block.length && block.endsWith("\n"))) break;
    const whole = match[0]!;
    const end = match.index + whole.length;
    if (!(whole === "" && match.index === lastEnd)) {
      out += block.slice(copied, match.index) + (replacement.literal ?? expand(replacement, match));
      copied = end;
      lastEnd = end;
      if (!global) {
        from = block.indexOf("\n", end) + 1;
        if (from === 0) break;
        lastEnd = -1;
        continue;
      }
    }
    from = whole === "" ? end + 1 : end;
  }
  return copied === 0 && out === "" ? block : out + block.slice(copied);
}

/** Runs a transform over all inputs. */
export async function runBlocks(
  context: UtilityContext,
  files: readonly string[],
  transform: Transform,
  sink: LineSink,
  unbuffered: boolean,
  failed: (name: string, error: unknown) => Promise<void>,
): Promise<void> {
  await eachInput(context, files, async (source: ByteSource) => {
    const blocks = new BlockReader(source);
    for (;;) {
      context.poll();
      const next = blocks.next();
      const block = next instanceof Promise ? await next : next;
      if (!block) return;
      const text = transform(decodeBytes(block));
      // Only the last line of a file may lack its newline.
      const done = text === "" || text.endsWith("\n") ? sink.raw(text) : sink.open(text);
      if (done) await done;
      if (unbuffered) await context.stdout.flush();
    }
  }, failed);
}
