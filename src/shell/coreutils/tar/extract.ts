/**
 * Listing and unpacking an archive. Names with `..` are refused, absolute ones
 * lose their slash, and nothing is written through a link that the archive
 * itself made.
 */
import type { UtilityContext } from "../../builtin.ts";
import type { ByteSource } from "../../host.ts";
import { decodeBytes } from "../../../lib/text/bytes.ts";
import { BLOCK_SIZE } from "../shared/blocks.ts";
import { formatDate } from "../../../lib/dates/format.ts";
import { compileGlob } from "../shared/glob.ts";
import { modeText } from "../shared/modes.ts";
import { Failure, type Options } from "../shared/options.ts";
import { joinPath } from "../shared/paths.ts";
import { complain, hasCode, reason } from "../shared/report.ts";
import { lstatIfThere } from "../shared/tree.ts";
import { zoneOf } from "../../../lib/dates/zone.ts";
import { applyPax, BadHeader, BLOCK, type Member, readHeader, readPax } from "./header.ts";

/** Names and records of more than this are damage. */
const MAX_EXTRA = 1 << 20;

export async function extract(
  context: UtilityContext,
  options: Options,
  source: ByteSource,
  names: readonly string[],
  list: boolean,
): Promise<number> {
  return await new Extractor(context, options, source, names, list).run();
}

class Extractor {
  #failed = false;
  #warnedSlash = false;
  #widest = 19;
  readonly #base: string;
  readonly #wanted: { fits: (name: string) => boolean; text: string; found: boolean }[];
  readonly #excluded: ((name: string) => boolean)[];
  readonly #strip: number;
  /** Modes and times of folders, set when everything is in them. */
  readonly #folders: { path: string; mode: number; mtime: number }[] = [];
  readonly #buffer = new Uint8Array(BLOCK_SIZE);

  constructor(
    readonly context: UtilityContext,
    readonly options: Options,
    readonly source: ByteSource,
    names: readonly string[],
    readonly list: boolean,
  ) {
    this.#base = options.values("C").reduce(
      (at, folder) => folder.startsWith("/") ? folder : joinPath(at, folder),
      context.cwd,
    );
    const wild = options.has("wildcards");
    this.#wanted = names.map((text) => {
      const clean = text.replace(/\/+$/, "");
      const glob = wild ? compileGlob(clean) : undefined;
      return {
        text,
        found: false,
        fits: (name) => name === clean || name.startsWith(clean + "/") || (glob?.(name) ?? false),
      };
    });
    this.#excluded = options.values("exclude").map((pattern) => {
      const glob = compileGlob(pattern.replace(/\/+$/, ""));
      return (name) =>
        name.split("/").some((_, i, all) => glob(all.slice(i).join("/")) || glob(all[i])) || glob(name);
    });
    this.#strip = Number(options.value("strip-components") ?? 0);
  }

  async run(): Promise<number> {
    const { context } = this;
    try {
      context.fs.stat(this.#base);
    } catch (error) {
      throw new Failure(
        `${this.options.value("C")}: Cannot open: ${
          reason(error)
        }\n${context.name}: Error is not recoverable: exiting now`,
        2,
      );
    }
    let pax = new Map<string, string>();
    let globals = new Map<string, string>();
    let longName: string | undefined, longLink: string | undefined;
    let first = true;
    for (;;) {
      context.poll();
      const bytes = await this.#take(BLOCK, true);
      if (bytes.length === 0) break;
      let member: Member | undefined;
      try {
        member = readHeader(bytes);
      } catch (error) {
        if (!(error instanceof BadHeader)) throw error;
        if (first) {
          throw new Failure(
            `This does not look like a tar archive\n${context.name}: Exiting with failure status due to previous errors`,
            2,
          );
        }
        await complain(context, "Skipping to next header");
        this.#failed = true;
        continue;
      }
      first = false;
      if (!member) {
        // The end; what follows is read, so that a writer does not meet a closed pipe.
        while ((await this.source.read(this.#buffer)) > 0) context.poll();
        break;
      }
      if (member.type === "L" || member.type === "K" || member.type === "x" || member.type === "g") {
        if (member.size > MAX_EXTRA) throw new Failure("Malformed extended header", 2);
        const data = await this.#take(member.size, false);
        await this.#skip((BLOCK - member.size % BLOCK) % BLOCK);
        if (member.type === "L") longName = decodeBytes(data).replace(/\0.*$/s, "");
        else if (member.type === "K") longLink = decodeBytes(data).replace(/\0.*$/s, "");
        else if (member.type === "x") pax = readPax(data);
        else globals = new Map([...globals, ...readPax(data)]);
        continue;
      }
      applyPax(member, globals);
      applyPax(member, pax);
      if (longName !== undefined) member.name = longName;
      if (longLink !== undefined) member.link = longLink;
      pax = new Map();
      longName = longLink = undefined;
      await this.#member(member);
    }
    for (const { path, mode, mtime } of this.#folders.reverse()) {
      try {
        context.fs.chmod(path, mode);
        if (!this.options.has("m")) context.fs.utime(path, mtime * 1000, mtime * 1000);
      } catch (error) {
        reason(error);
      }
    }
    for (const wanted of this.#wanted) {
      if (wanted.found) continue;
      await complain(context, `${wanted.text}: Not found in archive`);
      this.#failed = true;
    }
    if (this.#failed) await complain(context, "Exiting with failure status due to previous errors");
    return this.#failed ? 2 : 0;
  }

  async #take(size: number, mayEnd: boolean): Promise<Uint8Array> {
    const out = new Uint8Array(size);
    let end = 0;
    while (end < size) {
      const got = await this.source.read(out.subarray(end));
      if (got === 0) {
        if (mayEnd && end === 0) return out.subarray(0, 0);
        throw new Failure(
          `Unexpected EOF in archive\n${this.context.name}: Error is not recoverable: exiting now`,
          2,
        );
      }
      end += got;
    }
    return out;
  }

  async #skip(size: number): Promise<void> {
    await this.#each(size, () => {});
  }

  /** Hands the next bytes out in pieces. */
  async #each(size: number, use: (bytes: Uint8Array) => Promise<void> | void): Promise<void> {
    for (let left = size; left > 0;) {
      this.context.poll();
      const read = this.source.read(this.#buffer.subarray(0, Math.min(left, this.#buffer.length)));
      const got = typeof read === "number" ? read : await read;
      if (got === 0) {
        throw new Failure(
          `Unexpected EOF in archive\n${this.context.name}: Error is not recoverable: exiting now`,
          2,
        );
      }
      const done = use(this.#buffer.subarray(0, got));
      if (done) await done;
      left -= got;
    }
  }

  async #member(member: Member): Promise<void> {
    const size = member.type === "0" ? member.size : 0;
    const padding = (BLOCK - size % BLOCK) % BLOCK;
    const clean = member.name.replace(/\/+$/, "");
    const wanted = this.#wanted.filter((each) => each.fits(clean));
    for (const each of wanted) each.found = true;
    if ((this.#wanted.length > 0 && wanted.length === 0) || this.#excluded.some((fits) => fits(clean))) {
      await this.#skip(size + padding);
      return;
    }
    if (this.list) {
      await this.context.stdout.print(this.options.has("v") ? this.#longLine(member) : member.name + "\n");
      await this.#skip(size + padding);
      return;
    }
    const name = await this.#target(member.name);
    if (name === undefined) {
      await this.#skip(size + padding);
      return;
    }
    if (this.options.has("v")) {
      await (this.options.has("O") ? this.context.stderr : this.context.stdout).print(member.name + "\n");
    }
    if (this.options.has("O")) {
      await this.#each(size, (bytes) => {
        const done = this.context.stdout.write(bytes);
        return done instanceof Promise ? done : undefined;
      });
      await this.#skip(padding);
      return;
    }
    let left = size;
    try {
      await this.#unpack(member, name, async (use) => {
        await this.#each(size, (bytes) => {
          left -= bytes.length;
          return use(bytes);
        });
      });
    } catch (error) {
      await complain(
        this.context,
        `${member.name}: Cannot ${
          member.type === "5" ? "mkdir" : member.type === "1" || member.type === "2" ? "create link" : "open"
        }: ${reason(error)}`,
      );
      this.#failed = true;
    }
    await this.#skip(left + padding);
  }

  /** Name inside the folder, or undefined where the member is left out. */
  async #target(name: string): Promise<string | undefined> {
    let out = name.replace(/\/+$/, "");
    if (out.startsWith("/") && !this.options.has("P")) {
      if (!this.#warnedSlash) await complain(this.context, "Removing leading `/' from member names");
      this.#warnedSlash = true;
      out = out.replace(/^\/+/, "");
    }
    if (out.split("/").includes("..") && !this.options.has("P")) {
      await complain(this.context, `${name}: Member name contains '..', skipping`);
      this.#failed = true;
      return undefined;
    }
    if (this.#strip > 0) out = out.split("/").filter((part) => part !== "").slice(this.#strip).join("/");
    return out === "" ? undefined : out;
  }

  async #unpack(
    member: Member,
    name: string,
    data: (use: (bytes: Uint8Array) => Promise<void> | void) => Promise<void>,
  ): Promise<void> {
    const { context, options } = this;
    const path = name.startsWith("/") ? name : joinPath(this.#base, name);
    this.#parents(path);
    const mode = options.has("p") || (context.host.user.uid === 0 && !options.has("no-same-permissions"))
      ? member.mode
      : member.mode & ~context.umask;
    const there = lstatIfThere(context, path);
    if (member.type === "5") {
      if (there?.kind === "symlink") context.fs.unlink(path);
      if (!there || there.kind === "symlink") context.fs.mkdir(path, 0o700);
      this.#folders.push({ path, mode, mtime: member.mtime });
      return;
    }
    if (there) {
      if (options.has("skip-old-files")) return;
      if (options.has("k")) {
        await complain(context, `${member.name}: Cannot open: File exists`);
        this.#failed = true;
        return;
      }
      if (there.kind === "dir") context.fs.rmdir(path);
      else context.fs.unlink(path);
    }
    if (member.type === "2") {
      await context.fs.symlink(member.link, path);
      return;
    }
    if (member.type === "1") {
      const target = await this.#target(member.link);
      if (target === undefined) return;
      const source = target.startsWith("/") ? target : joinPath(this.#base, target);
      this.#parents(source);
      await context.fs.link(source, path);
      return;
    }
    if (member.type !== "0") {
      await complain(context, `${member.name}: Unknown file type '${member.type}', skipped`);
      return;
    }
    const file = await context.fs.open(path, {
      write: true,
      create: true,
      exclusive: true,
      mode: mode & 0o777,
    });
    try {
      await data((bytes) => {
        const done = file.write(bytes);
        return done instanceof Promise ? done : undefined;
      });
    } finally {
      file.close();
    }
    context.fs.chmod(path, mode);
    if (!options.has("m")) context.fs.utime(path, member.mtime * 1000, member.mtime * 1000);
    if (context.host.user.uid === 0 && !options.has("no-same-owner", "o")) {
      try {
        context.fs.chown(path, member.uid, member.gid);
      } catch (error) {
        if (!hasCode(error, "EPERM", "ENOTSUP", "EDENIED", "EACCES")) throw error;
      }
    }
  }

  /** Makes the folders above a path; none of them may be a link, which could lead anywhere. */
  #parents(path: string): void {
    const { context } = this;
    const rest = path.startsWith(this.#base + "/") ? path.slice(this.#base.length + 1) : path.slice(1);
    let at = path.startsWith(this.#base + "/") ? this.#base : "";
    const parts = rest.split("/").filter((part) => part !== "" && part !== ".");
    for (const part of parts.slice(0, -1)) {
      at = `${at}/${part}`;
      const stat = lstatIfThere(context, at);
      if (!stat) context.fs.mkdir(at, 0o777 & ~context.umask);
      else if (stat.kind === "symlink") {
        throw new Failure(`${path}: refusing to write through the symbolic link ${at}`, 2);
      }
    }
  }

  #longLine(member: Member): string {
    const kind = {
      "0": "file",
      "1": "file",
      "2": "symlink",
      "5": "dir",
      "3": "char",
      "4": "block",
      "6": "fifo",
    }[member.type] ?? "file";
    const text = modeText(kind as "file", member.mode);
    const shown = member.type === "1" ? "h" + text.slice(1) : text;
    const numeric = this.options.has("numeric-owner");
    const owner = `${numeric || member.user === "" ? member.uid : member.user}/${
      numeric || member.group === "" ? member.gid : member.group
    }`;
    const size = String(member.type === "0" ? member.size : 0);
    this.#widest = Math.max(this.#widest, owner.length + 1 + size.length);
    const link = member.type === "2"
      ? ` -> ${member.link}`
      : member.type === "1"
      ? ` link to ${member.link}`
      : "";
    return `${shown} ${owner} ${size.padStart(this.#widest - owner.length - 1)} ${
      formatDate("%Y-%m-%d %H:%M", member.mtime * 1000, zoneOf(this.context.env))
    } ${member.name}${link}\n`;
  }
}
