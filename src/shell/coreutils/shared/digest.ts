/** The frame of md5sum and its kin: printing digests and checking lists of them. */
import { decodeBytes } from "../../../lib/text/bytes.ts";
import type { UtilityContext } from "../../builtin.ts";
import type { ByteSource } from "../../host.ts";
import { BLOCK_SIZE, eachInput, readAll } from "./blocks.ts";
import { Failure, type Options, parseOptions, UsageError } from "./options.ts";
import { complain, complainAbout, quoteIfNeeded, reason } from "./report.ts";

export interface Hasher {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

export interface Algorithm {
  /** As in `MD5 (file) = …`. */
  readonly tag: string;
  /** Bytes of a digest. */
  readonly size: number;
  create(): Hasher;
}

const TABLE = {
  options: [
    "b|binary",
    "c|check",
    "t|text",
    "tag",
    "z|zero",
    "ignore-missing",
    "quiet",
    "status",
    "strict",
    "w|warn",
  ],
};

export async function digestMain(context: UtilityContext, algorithm: Algorithm): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.has("c")) return await check(context, algorithm, options);
  if (options.has("quiet", "status", "strict", "warn", "ignore-missing")) {
    throw new UsageError(
      "the --quiet option is meaningful only when verifying checksums".replace(
        "quiet",
        options.list.find(([key]) => key.length > 1)?.[0] ?? "quiet",
      ),
    );
  }
  const end = options.has("z") ? "\0" : "\n";
  let status = 0;
  await eachInput(context, options.operands, async (source, name) => {
    const digest = await hash(context, source, algorithm);
    const escaped = !options.has("z") && /[\\\n\r]/.test(name);
    const shown = escaped
      ? name.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r")
      : name;
    const text = options.has("tag")
      ? `${algorithm.tag} (${shown}) = ${digest}`
      : `${digest} ${options.last("b", "t") === "b" ? "*" : " "}${shown}`;
    await context.stdout.print((escaped ? "\\" : "") + text + end);
  }, async (name, error) => {
    await complainAbout(context, name, error);
    status = 1;
  });
  return status;
}

async function hash(context: UtilityContext, source: ByteSource, algorithm: Algorithm): Promise<string> {
  const hasher = algorithm.create();
  const buffer = new Uint8Array(BLOCK_SIZE);
  for (;;) {
    context.poll();
    const read = source.read(buffer);
    const got = typeof read === "number" ? read : await read;
    if (got === 0) break;
    hasher.update(buffer.subarray(0, got));
  }
  return Array.from(hasher.digest(), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function check(context: UtilityContext, algorithm: Algorithm, options: Options): Promise<number> {
  const quiet = options.has("status");
  let failed = false;
  for (const list of options.operands.length === 0 ? ["-"] : options.operands) {
    let text: string;
    try {
      const source = list === "-" ? context.stdin : await context.open(list);
      text = decodeBytes(await readAll(source, () => context.poll(), 1 << 28));
      if (source !== context.stdin) source.close();
    } catch (error) {
      throw new Failure(`${quoteIfNeeded(list)}: ${reason(error)}`);
    }
    let bad = 0, wrong = 0, unreadable = 0, good = 0;
    const pattern = new RegExp(`^\\\\?([0-9a-fA-F]{${algorithm.size * 2}}) [ *](.+)$`);
    const tagged = new RegExp(`^\\\\?${algorithm.tag} \\((.+)\\) = ([0-9a-fA-F]{${algorithm.size * 2}})$`);
    for (const line of text.split("\n")) {
      if (line === "" || line.startsWith("#")) continue;
      const plain = pattern.exec(line), tag = tagged.exec(line);
      const wanted = plain?.[1] ?? tag?.[2];
      let name = plain?.[2] ?? tag?.[1];
      if (wanted === undefined || name === undefined) {
        bad++;
        continue;
      }
      if (line.startsWith("\\")) name = name.replaceAll("\\n", "\n").replaceAll("\\\\", "\\");
      try {
        const source = name === "-" ? context.stdin : await context.open(name);
        const same = await hash(context, source, algorithm) === wanted.toLowerCase();
        if (source !== context.stdin) source.close();
        if (same) good++;
        else wrong++;
        if (!quiet && (!same || !options.has("quiet"))) {
          await context.stdout.print(`${quoteIfNeeded(name)}: ${same ? "OK" : "FAILED"}\n`);
        }
      } catch (error) {
        const why = reason(error);
        if (options.has("ignore-missing") && (error as { code?: string }).code === "ENOENT") continue;
        unreadable++;
        await complain(context, `${quoteIfNeeded(name)}: ${why}`);
        if (!quiet) await context.stdout.print(`${quoteIfNeeded(name)}: FAILED open or read\n`);
      }
    }
    const shown = list === "-" ? "'standard input'" : quoteIfNeeded(list);
    if (good + wrong + unreadable === 0 && (bad > 0 || text === "")) {
      await complain(context, `${shown}: no properly formatted checksum lines found`);
      failed = true;
    } else if (!quiet) {
      const warn = async (count: number, one: string, many: string) => {
        if (count > 0) await complain(context, `WARNING: ${count} ${count === 1 ? one : many}`);
      };
      await warn(bad, "line is improperly formatted", "lines are improperly formatted");
      await warn(unreadable, "listed file could not be read", "listed files could not be read");
      await warn(wrong, "computed checksum did NOT match", "computed checksums did NOT match");
    }
    if (options.has("ignore-missing") && good + wrong === 0 && unreadable === 0) {
      await complain(context, `${shown}: no file was verified`);
      failed = true;
    }
    if (wrong > 0 || unreadable > 0 || (bad > 0 && options.has("strict"))) failed = true;
  }
  return failed ? 1 : 0;
}
