/** cksum: POSIX's checksum with the size, or any other digest by name. */
import { md5, sha1 } from "@noble/hashes/legacy.js";
import { sha224, sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { UnsupportedOption, type UtilityContext } from "../builtin.ts";
import { blake2, blake2Length } from "./shared/blake2.ts";
import { cksum } from "./shared/crc32.ts";
import {
  type Algorithm,
  CHECK_OPTIONS,
  checkLists,
  printDigests,
  refuseCheckOptions,
} from "./shared/digest.ts";
import { bsdSum, type RunningSum, sysvSum } from "./shared/old_sums.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { printSums } from "./shared/print_sums.ts";
import { cite } from "./shared/report.ts";

const TABLE = {
  options: ["a|algorithm=", "l|length=", "tag", "untagged", "z|zero", ...CHECK_OPTIONS],
  unsupported: ["debug"],
  usage: "[OPTION]... [FILE]...",
};

const SUMS: Readonly<Record<string, () => RunningSum>> = { bsd: bsdSum, sysv: sysvSum, crc: crcSum };

const DIGESTS: Readonly<Record<string, Algorithm>> = {
  md5: { tag: "MD5", size: 16, create: () => md5.create() },
  sha1: { tag: "SHA1", size: 20, create: () => sha1.create() },
  sha224: { tag: "SHA224", size: 28, create: () => sha224.create() },
  sha256: { tag: "SHA256", size: 32, create: () => sha256.create() },
  sha384: { tag: "SHA384", size: 48, create: () => sha384.create() },
  sha512: { tag: "SHA512", size: 64, create: () => sha512.create() },
  blake2b: blake2(),
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const given = options.value("a");
  const name = given ?? "crc";
  if (name === "sm3") throw new UnsupportedOption("--algorithm=sm3");
  if (!Object.hasOwn(SUMS, name) && !Object.hasOwn(DIGESTS, name)) {
    const valid = [...Object.keys(SUMS), ...Object.keys(DIGESTS), "sm3"].map((one) => `\n  - ${cite(one)}`)
      .join("");
    throw new UsageError(
      `invalid argument ${cite(name)} for ${cite("--algorithm")}\nValid arguments are:${valid}`,
    );
  }
  const length = options.value("l");
  if (length !== undefined && name !== "blake2b") {
    throw new UsageError("--length is only supported with --algorithm=blake2b", 1, false);
  }
  if (options.has("c")) {
    if (given !== undefined && Object.hasOwn(SUMS, name)) {
      throw new Failure("--check is not supported with --algorithm={bsd,sysv,crc}");
    }
    const algorithms = given === undefined ? Object.values(DIGESTS) : [DIGESTS[name]];
    return await checkLists(context, algorithms, options, given !== undefined);
  }
  refuseCheckOptions(options);
  if (Object.hasOwn(SUMS, name)) {
    return await printSums(context, options.operands, SUMS[name], options.has("z") ? "\0" : "\n");
  }
  const algorithm = length === undefined ? DIGESTS[name] : blake2(blake2Length(context, length));
  return await printDigests(context, algorithm, options, options.last("tag", "untagged") !== "untagged");
}

function crcSum(): RunningSum {
  let crc = 0, size = 0;
  return {
    update(bytes) {
      crc = cksum(bytes, crc);
      size += bytes.length;
    },
    text() {
      const length: number[] = [];
      for (let left = size; left > 0; left = Math.floor(left / 256)) length.push(left % 256);
      return `${~cksum(Uint8Array.from(length), crc) >>> 0} ${size}`;
    },
  };
}
