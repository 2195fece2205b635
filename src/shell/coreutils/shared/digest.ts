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
  /** The same with digests of another number of bytes, where it has such; that of a list is then told from its lines. */
  ofSize?(size: number): Algorithm | undefined;
}

/** Options for checking lists. */
export const CHECK_OPTIONS = ["c|check", "ignore-missing", "quiet", "status", "strict", "w|warn"];

const OPTIONS = ["b|binary", "t|text", "tag", "z|zero", ...CHECK_OPTIONS];
const TABLE = { options: OPTIONS };
const TABLE_WITH_LENGTH = { options: [...OPTIONS, "l|length="] };

/** `ofBits` is given where `--length` is an option: the algorithm for its value. */
export async function digestMain(
  context: UtilityContext,
  algorithm: Algorithm,
  ofBits?: (text: string) => Algorithm,
): Promise<number> {
  const options = parseOptions(context, ofBits === undefined ? TABLE : TABLE_WITH_LENGTH);
  const length = options.value("l");
  if (length !== undefined && ofBits !== undefined) algorithm = ofBits(length);
  if (options.has("c")) return await checkLists(context, [algorithm], options, true);
  refuseCheckOptions(options);
  return await printDigests(context, algorithm, options, options.has("tag"));
}

/** Options that only checking has are wrong without it. */
export function refuseCheckOptions(options: Options): void {
  const wrong = options.list.find(([key]) =>
    ["quiet", "status", "strict", "w", "ignore-missing"].includes(key)
  )?.[0];
  if (wrong === undefined) return;
  const name = wrong === "w" ? "warn" : wrong;
  throw new UsageError(`the --${name} option is meaningful only when verifying checksums`);
}

/** Prints the digest of each file; `tagged`: in the form `MD5 (file) = …`. */
export async function printDigests(
  context: UtilityContext,
  algorithm: Algorithm,
  options: Options,
  tagged: boolean,
): Promise<number> {
  const end = options.has("z") ? "\0" : "\n";
  let status = 0;
  await eachInput(context, options.operands, async (source, name) => {
    const digest = await hash(context, source, algorithm);
    const [mark, shown] = options.has("z") ? ["", name] : escape(name);
    const text = tagged
      ? `${algorithm.tag} (${shown}) = ${digest}`
      : `${digest} ${options.last("b", "t") === "b" ? "*" : " "}${shown}`;
    await context.stdout.print(mark + text + end);
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

/** A name in one line, and the mark of such a line. */
function escape(name: string): [mark: string, shown: string] {
  if (!/[\\\n\r]/.test(name)) return ["", name];
  return ["\\", name.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r")];
}

/** A name in the results of a check: a backslash alone is no reason to escape it. */
function shownName(name: string): string {
  return /[\n\r]/.test(name) ? escape(name).join("") : name;
}

interface Entry {
  readonly algorithm: Algorithm;
  readonly wanted: string;
  readonly name: string;
}

/** What a line of a list says; `plain`: without a tag it is a digest of the first algorithm. */
function readLine(line: string, algorithms: readonly Algorithm[], plain: boolean): Entry | undefined {
  const escaped = line.startsWith("\\");
  const text = escaped ? line.slice(1) : line;
  const entry = (algorithm: Algorithm, wanted: string, name: string): Entry | undefined => {
    const fitting = wanted.length === algorithm.size * 2
      ? algorithm
      : wanted.length % 2 === 0
      ? algorithm.ofSize?.(wanted.length / 2)
      : undefined;
    if (fitting === undefined) return undefined;
    return {
      algorithm: fitting,
      wanted: wanted.toLowerCase(),
      name: escaped
        ? name.replace(/\\([nr\\])/g, (_, c) => c === "n" ? "\n" : c === "r" ? "\r" : "\\")
        : name,
    };
  };
  const bare = plain ? /^([0-9a-fA-F]+) [ *](.+)$/.exec(text) : null;
  if (bare) return entry(algorithms[0], bare[1], bare[2]);
  const tagged = /^([\w-]+) \((.+)\) = ([0-9a-fA-F]+)$/.exec(text);
  if (!tagged) return undefined;
  const [, tag, name, wanted] = tagged;
  const sized = /^(.+)-(\d+)$/.exec(tag);
  for (const one of algorithms) {
    const base = one.tag.replace(/-\d+$/, "");
    const size = tag === one.tag
      ? one.size
      : sized?.[1] === base && one.ofSize
      ? Number(sized[2]) / 8
      : undefined;
    if (size !== undefined && wanted.length === size * 2) return entry(one, wanted, name);
    // The longest digest bears no number.
    if (tag === base && one.ofSize) return entry(one, wanted, name);
  }
  return undefined;
}

/** Checks what lists of digests say about files. `plain`: lines without a tag are digests of the first algorithm. */
export async function checkLists(
  context: UtilityContext,
  algorithms: readonly Algorithm[],
  options: Options,
  plain: boolean,
): Promise<number> {
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
    for (const line of text.split("\n")) {
      if (line === "" || line.startsWith("#")) continue;
      const entry = readLine(line, algorithms, plain);
      if (entry === undefined) {
        bad++;
        continue;
      }
      const { algorithm, wanted, name } = entry;
      try {
        const source = name === "-" ? context.stdin : await context.open(name);
        const same = await hash(context, source, algorithm) === wanted;
        if (source !== context.stdin) source.close();
        if (same) good++;
        else wrong++;
        if (!quiet && (!same || !options.has("quiet"))) {
          await context.stdout.print(`${shownName(name)}: ${same ? "OK" : "FAILED"}\n`);
        }
      } catch (error) {
        const why = reason(error);
        if (options.has("ignore-missing") && (error as { code?: string }).code === "ENOENT") continue;
        unreadable++;
        await complain(context, `${quoteIfNeeded(name)}: ${why}`);
        if (!quiet) await context.stdout.print(`${shownName(name)}: FAILED open or read\n`);
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
