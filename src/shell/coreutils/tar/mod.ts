/** tar: makes, lists and unpacks archives, with gzip. Unpacking never leaves the folder it works in. */
import type { UtilityContext } from "../../builtin.ts";
import type { ByteSink, ByteSource } from "../../host.ts";
import { decodeBytes } from "../../../lib/text/bytes.ts";
import { readAll } from "../shared/blocks.ts";
import { BadGzip, compress, decompress, peek, TrailingGarbage } from "../shared/gzip.ts";
import { Failure, type Options, parseOptions, UnsupportedOption, UsageError } from "../shared/options.ts";
import { Pipe } from "../shared/pipe.ts";
import { complain, reason } from "../shared/report.ts";
import { create } from "./create.ts";
import { extract } from "./extract.ts";

const TABLE = {
  options: [
    "c|create",
    "x|extract|get",
    "t|list",
    "r|append",
    "u|update",
    "f|file=",
    "z|gzip|gunzip|ungzip",
    "a|auto-compress",
    "v|verbose",
    "C|directory=",
    "strip-components=",
    "exclude=",
    "X|exclude-from=",
    "T|files-from=",
    "null",
    "O|to-stdout",
    "k|keep-old-files",
    "skip-old-files",
    "overwrite",
    "m|touch",
    "p|preserve-permissions|same-permissions",
    "no-same-owner",
    "no-same-permissions",
    "same-owner",
    "h|dereference",
    "P|absolute-names",
    "owner=",
    "group=",
    "numeric-owner",
    "mtime=",
    "mode=",
    "sort=",
    "format=",
    "wildcards",
    "no-recursion",
    "transform=",
    "exclude-vcs",
    "warning=",
    "no-wildcards",
    "anchored",
    "no-anchored",
    "b|blocking-factor=",
    "o",
    "S|sparse",
    "totals",
    "remove-files",
    "one-top-level=?",
    "keep-newer-files",
  ],
  unsupported: [
    "j|bzip2",
    "J|xz",
    "zstd",
    "lzma",
    "Z|compress",
    "I|use-compress-program=",
    "d|diff|compare",
    "A|catenate|concatenate",
    "delete",
    "g|listed-incremental=",
    "M|multi-volume",
    "W|verify",
    "acls",
    "xattrs",
    "selinux",
    "to-command=",
    "checkpoint=?",
    "w|interactive",
    "N|newer=",
    "newer-mtime=",
    "l|check-links",
    "backup=?",
    "U|unlink-first",
    "R|block-number",
    "i|ignore-zeros",
    "n|seek",
    "show-transformed-names",
  ],
  usageStatus: 64,
  usage: "[OPTION...] [FILE]...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE, withDashes(context.args));
  for (const key of ["transform", "r", "u", "remove-files", "keep-newer-files", "one-top-level"]) {
    if (options.has(key)) throw new UnsupportedOption(key.length > 1 ? `--${key}` : `-${key}`);
  }
  const modes = [
    ...new Set(options.list.map(([key]) => key).filter((key) => "cxt".includes(key) && key.length === 1)),
  ];
  if (modes.length === 0) {
    throw new UsageError(
      `You must specify one of the '-Acdtrux', '--delete' or '--test-label' options\n${HINT}`,
      2,
      false,
    );
  }
  if (modes.length > 1) {
    throw new UsageError(
      "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option",
      2,
    );
  }
  const file = options.value("f") ?? context.env.get("TAPE") ?? "-";
  const names = await namesOf(context, options);
  return modes[0] === "c"
    ? await make(context, options, file, names)
    : await read(context, options, file, names, modes[0] === "t");
}

const HINT = "Try 'tar --help' or 'tar --usage' for more information.";

/** `tar xzf a.tgz`: letters without a dash, whose values follow in order. */
function withDashes(args: readonly string[]): string[] {
  const [first, ...rest] = args;
  if (first === undefined || first.startsWith("-") || first === "") return [...args];
  const out: string[] = [];
  for (const letter of first) {
    out.push("-" + letter);
    if ("fCTXbKNLFHgIV".includes(letter) && rest.length > 0) out.push(rest.shift()!);
  }
  return [...out, ...rest];
}

/** Operands with the folder each is relative to: `-C` holds for what follows it. */
async function namesOf(context: UtilityContext, options: Options): Promise<string[]> {
  const names = [...options.operands];
  for (const list of options.values("T")) {
    const source = list === "-" ? context.stdin : await context.open(list);
    const text = decodeBytes(await readAll(source, () => context.poll(), 1 << 26));
    if (source !== context.stdin) source.close();
    names.push(...text.split(options.has("null") ? "\0" : "\n").filter((name) => name !== ""));
  }
  return names;
}

async function make(
  context: UtilityContext,
  options: Options,
  file: string,
  names: readonly string[],
): Promise<number> {
  if (names.length === 0 && !options.has("T")) {
    throw new UsageError(`Cowardly refusing to create an empty archive\n${HINT}`, 2, false);
  }
  const zip = options.has("z") || (options.has("a") && /\.(tgz|gz|taz)$/.test(file));
  if (options.has("a") && /\.(bz2|xz|zst|lzma|tbz2?|txz)$/.test(file)) {
    throw new UnsupportedOption("-a (other than gzip)");
  }
  let sink: ByteSink;
  try {
    sink = file === "-" ? context.stdout : await context.create(file);
  } catch (error) {
    throw new Failure(
      `${file}: Cannot open: ${reason(error)}\n${context.name}: Error is not recoverable: exiting now`,
      2,
    );
  }
  try {
    const archive = file === "-" ? undefined : context.path(file);
    const log = file === "-" ? context.stderr : context.stdout;
    if (!zip) return await create(context, options, names, sink, log, archive);
    const pipe = new Pipe();
    const packed = compress(pipe.source, sink, () => context.poll()).finally(() => pipe.source.close());
    packed.catch(() => {});
    try {
      return await create(context, options, names, pipe.sink, log, archive);
    } finally {
      pipe.sink.close();
      await packed;
    }
  } finally {
    if (sink !== context.stdout) sink.close();
  }
}

async function read(
  context: UtilityContext,
  options: Options,
  file: string,
  names: readonly string[],
  list: boolean,
): Promise<number> {
  let source: ByteSource;
  try {
    source = file === "-" ? context.stdin : await context.open(file);
  } catch (error) {
    throw new Failure(
      `${file}: Cannot open: ${reason(error)}\n${context.name}: Error is not recoverable: exiting now`,
      2,
    );
  }
  try {
    const head = await peek(source, 6);
    if (head.bytes[0] === 0x1f && head.bytes[1] === 0x8b) {
      return await unzip(context, options, head.source, names, list);
    }
    const magic = Array.from(head.bytes, (byte) => String.fromCharCode(byte)).join("");
    if (magic.startsWith("BZh") || magic.startsWith("\xfd7zXZ") || magic.startsWith("(\xb5/\xfd")) {
      throw new UnsupportedOption("(compression other than gzip)");
    }
    if (options.has("z")) {
      throw new Failure(
        `gzip: stdin: not in gzip format\n${context.name}: Error is not recoverable: exiting now`,
        2,
      );
    }
    return await extract(context, options, head.source, names, list);
  } finally {
    if (source !== context.stdin) source.close();
  }
}

async function unzip(
  context: UtilityContext,
  options: Options,
  source: ByteSource,
  names: readonly string[],
  list: boolean,
): Promise<number> {
  const pipe = new Pipe();
  let bad: unknown;
  const unpacked = decompress(source, pipe.sink, () => context.poll()).catch((error) => bad = error).finally(
    () => pipe.sink.close(),
  );
  let status = 0;
  try {
    status = await extract(context, options, pipe.source, names, list);
  } finally {
    pipe.source.close();
    await unpacked;
  }
  if (bad instanceof BadGzip) {
    await complain(context, `gzip: stdin: ${bad.message}`);
    return 2;
  }
  if (bad instanceof TrailingGarbage) {
    await complain(context, "gzip: stdin: decompression OK, trailing garbage ignored");
    return 2;
  }
  if (bad && (bad as { code?: string }).code !== "EPIPE") throw bad;
  return status;
}
