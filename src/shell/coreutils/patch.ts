/**
 * patch: applies unified and normal diffs. Hunks are looked for near their
 * place, with less and less context; what does not fit goes to a .rej file.
 */
import type { UtilityContext } from "../builtin.ts";
import { decodeBytes, encodeBytes } from "../../lib/text/bytes.ts";
import { readAll } from "./shared/blocks.ts";
import { Failure, type Options, parseOptions } from "./shared/options.ts";
import { complain, reason } from "./shared/report.ts";
import { lstatIfThere } from "./shared/tree.ts";

const TABLE = {
  options: [
    "p|strip=",
    "i|input=",
    "R|reverse",
    "N|forward",
    "o|output=",
    "d|directory=",
    "s|quiet|silent",
    "dry-run",
    "b|backup",
    "z|suffix=",
    "f|force",
    "t|batch",
    "E|remove-empty-files",
    "F|fuzz=",
    "l|ignore-whitespace",
    "r|reject-file=",
    "u|unified",
    "n|normal",
    "no-backup-if-mismatch",
    "verbose",
    "binary",
    "posix",
  ],
  unsupported: [
    "c|context",
    "e|ed",
    "D|ifdef=",
    "g|get=",
    "V|version-control=",
    "B|prefix=",
    "Y|basename-prefix=",
    "T|set-time",
    "Z|set-utc",
    "merge=?",
    "read-only=",
    "reject-format=",
    "follow-symlinks",
    "backup-if-mismatch",
    "quoting-style=",
  ],
  usageStatus: 2,
  usage: "[OPTION]... [ORIGFILE [PATCHFILE]]",
};

interface Hunk {
  oldStart: number;
  newStart: number;
  /** Lines with their mark: " ", "-", "+". */
  readonly lines: string[];
  /** The old or new side ends without a newline. */
  oldOpen: boolean;
  newOpen: boolean;
  readonly head: string;
}

interface FilePatch {
  oldName: string | undefined;
  newName: string | undefined;
  readonly hunks: Hunk[];
  deletes: boolean;
  creates: boolean;
  renameTo?: string;
}

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const [file, patchFile] = options.operands;
  const input = options.value("i") ?? patchFile ?? "-";
  const folder = options.value("d");
  const at = (name: string) =>
    folder === undefined || name.startsWith("/") ? context.path(name) : context.path(`${folder}/${name}`);
  let text: string;
  try {
    const source = input === "-" ? context.stdin : await context.open(input);
    text = decodeBytes(await readAll(source, () => context.poll()));
    if (source !== context.stdin) source.close();
  } catch (error) {
    throw new Failure(`Can't open patch file ${input} : ${reason(error)}`, 2);
  }
  const patches = parsePatches(text);
  if (patches.length === 0) throw new Failure("**** Only garbage was found in the patch input.", 2);
  const applier = new Applier(context, options, at);
  for (const patch of patches) await applier.apply(patch, file);
  return applier.status;
}

function parsePatches(text: string): FilePatch[] {
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  const out: FilePatch[] = [];
  let current: FilePatch | undefined;
  const start = (oldName?: string, newName?: string): FilePatch => {
    const made = { oldName, newName, hunks: [], deletes: false, creates: false };
    out.push(made);
    return made;
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i].replace(/\r$/, "");
    const git = /^diff --git (?:"?a\/)(.*?)"? (?:"?b\/)(.*?)"?$/.exec(line);
    if (git) {
      current = undefined;
      let renamed: string | undefined, created = false, deleted = false;
      for (let j = i + 1; j < lines.length && !/^(diff |@@ |--- )/.test(lines[j]); j++) {
        if (lines[j].startsWith("rename to ")) renamed = lines[j].slice(10);
        if (lines[j].startsWith("new file")) created = true;
        if (lines[j].startsWith("deleted file")) deleted = true;
      }
      if (renamed !== undefined || created || deleted) {
        current = start(`a/${git[1]}`, `b/${git[2]}`);
        current.creates = created;
        current.deletes = deleted;
        if (renamed !== undefined) current.renameTo = `b/${renamed}`;
      }
      continue;
    }
    if (line.startsWith("--- ") && lines[i + 1]?.startsWith("+++ ")) {
      const [oldName, oldTime] = nameOf(line), [newName, newTime] = nameOf(lines[i + 1]);
      if (
        !current || current.hunks.length > 0 ||
        (current.oldName !== undefined && stripped(current.oldName) !== stripped(oldName) &&
          oldName !== "/dev/null")
      ) current = start();
      current.oldName = oldName;
      current.newName = newName;
      current.creates ||= oldName === "/dev/null" || /^1970-01-01/.test(oldTime);
      current.deletes ||= newName === "/dev/null" || /^1970-01-01/.test(newTime);
      i++;
      continue;
    }
    const unified = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (unified) {
      current ??= start();
      i = readUnified(lines, i, unified, current);
      continue;
    }
    const normal = /^(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$/.exec(line);
    if (normal) {
      current ??= start();
      i = readNormal(lines, i, normal, current);
    }
  }
  return out.filter((patch) =>
    patch.hunks.length > 0 || patch.renameTo !== undefined || patch.creates || patch.deletes
  );
}

function stripped(name: string): string {
  return name.replace(/^[ab]\//, "");
}

function nameOf(line: string): [name: string, time: string] {
  const rest = line.slice(4).replace(/\r$/, "");
  const tab = rest.indexOf("\t");
  return tab < 0 ? [rest.trim(), ""] : [rest.slice(0, tab), rest.slice(tab + 1)];
}

function readUnified(lines: readonly string[], at: number, match: RegExpExecArray, patch: FilePatch): number {
  const hunk: Hunk = {
    oldStart: Number(match[1]),
    newStart: Number(match[3]),
    lines: [],
    oldOpen: false,
    newOpen: false,
    head: lines[at],
  };
  let oldLeft = Number(match[2] ?? 1), newLeft = Number(match[4] ?? 1);
  // An empty side stands after its line.
  if (oldLeft === 0) hunk.oldStart++;
  if (newLeft === 0) hunk.newStart++;
  let i = at + 1;
  for (; i < lines.length && (oldLeft > 0 || newLeft > 0 || lines[i].startsWith("\\")); i++) {
    const line = lines[i];
    const mark = line === "" ? " " : line[0];
    if (mark === "\\") {
      const last = hunk.lines[hunk.lines.length - 1]?.[0];
      if (last !== "+") hunk.oldOpen = true;
      if (last !== "-") hunk.newOpen = true;
      continue;
    }
    if (mark !== " " && mark !== "-" && mark !== "+") {
      throw new Failure(`**** malformed patch at line ${i + 1}: ${line}\n`, 2);
    }
    hunk.lines.push(line === "" ? " " : line);
    if (mark !== "+") oldLeft--;
    if (mark !== "-") newLeft--;
  }
  if (oldLeft > 0 || newLeft > 0) throw new Failure(`**** unexpected end of file in patch`, 2);
  patch.hunks.push(hunk);
  return i - 1;
}

function readNormal(lines: readonly string[], at: number, match: RegExpExecArray, patch: FilePatch): number {
  const [, from, to, kind, newFrom] = match;
  const hunk: Hunk = {
    oldStart: Number(from) + (kind === "a" ? 1 : 0),
    newStart: Number(newFrom) + (kind === "d" ? 1 : 0),
    lines: [],
    oldOpen: false,
    newOpen: false,
    head: lines[at],
  };
  let left = kind === "a" ? 0 : Number(to ?? from) - Number(from) + 1;
  let i = at + 1;
  for (; i < lines.length; i++) {
    const line = lines[i];
    if (line.startsWith("< ") && left > 0) {
      hunk.lines.push("-" + line.slice(2));
      left--;
    } else if (line.startsWith("> ")) hunk.lines.push("+" + line.slice(2));
    else if (line.startsWith("\\")) {
      if (hunk.lines[hunk.lines.length - 1]?.startsWith("+")) hunk.newOpen = true;
      else hunk.oldOpen = true;
    } else if (line !== "---") break;
  }
  patch.hunks.push(hunk);
  return i - 1;
}

class Applier {
  status = 0;
  constructor(
    readonly context: UtilityContext,
    readonly options: Options,
    readonly at: (name: string) => string,
  ) {}

  async #say(text: string): Promise<void> {
    if (!this.options.has("s")) await this.context.stdout.print(text + "\n");
  }

  #strip(name: string): string | undefined {
    const text = this.options.value("p");
    const parts = name.split(/\/+/);
    if (text === undefined) return parts[parts.length - 1];
    const count = Number(text);
    return parts.length > count ? parts.slice(count).join("/") : undefined;
  }

  #target(patch: FilePatch, file: string | undefined): string {
    if (file !== undefined) return file;
    const names = [patch.oldName, patch.newName].filter((name): name is string =>
      name !== undefined && name !== "/dev/null"
    ).map((name) => this.#strip(name)).filter((name): name is string => name !== undefined && name !== "");
    const there = names.filter((name) => lstatIfThere(this.context, this.at(name)));
    const best = (list: readonly string[]) =>
      [...list].sort((a, b) => a.split("/").length - b.split("/").length || a.length - b.length)[0];
    const target = there.length > 0
      ? best(there)
      : names.length > 0 && (patch.creates || patch.deletes || this.options.has("R"))
      ? best(names)
      : names[names.length - 1];
    if (target === undefined) {
      throw new Failure(
        "can't find file to patch: the patch names none; give it as an operand or another -p",
        1,
      );
    }
    return target;
  }

  async apply(patch: FilePatch, file: string | undefined): Promise<void> {
    const { options, context } = this;
    const reverse = options.has("R");
    const name = this.#target(patch, file);
    const path = this.at(name);
    if (file === undefined && /(^|\/)\.\.(\/|$)/.test(name)) {
      throw new Failure(`Ignoring potentially dangerous file name ${name}`, 1);
    }
    const creates = reverse ? patch.deletes : patch.creates,
      deletes = reverse ? patch.creates : patch.deletes;
    const stat = lstatIfThere(context, path);
    if (
      !stat && !creates &&
      patch.hunks.some((hunk) => hunk.lines.some((line) => line[0] !== (reverse ? "-" : "+")))
    ) {
      await context.stdout.print(`can't find file to patch at input line 1\n`);
      await complain(context, `**** can't find file to patch: ${name}`);
      this.status = 1;
      return;
    }
    await this.#say(
      `${options.has("dry-run") ? "checking" : "patching"} file ${name}${
        patch.renameTo !== undefined ? ` (renamed from ${name})` : ""
      }`,
    );
    let text = "";
    if (stat) {
      const source = await context.fs.open(path, { read: true });
      try {
        text = decodeBytes(await readAll(source, () => context.poll()));
      } finally {
        source.close();
      }
    }
    const lines = text.split("\n");
    let open = lines[lines.length - 1] !== "";
    if (!open) lines.pop();
    const rejected: Hunk[] = [];
    let offset = 0;
    let fuzzy = false;
    let firstLine = 0;
    for (let i = 0; i < patch.hunks.length; i++) {
      const hunk = reverse ? turned(patch.hunks[i]) : patch.hunks[i];
      const place = this.#find(lines, hunk, offset, firstLine);
      if (!place) {
        const undone = i === 0 && rejected.length === 0
          ? this.#find(lines, turned(hunk), offset, 0)
          : undefined;
        if (undone && undone.fuzz === 0 && hunk.lines.some((line) => line[0] !== " ")) {
          // Reversed or done already: without a person to ask, it is left alone.
          await context.stdout.print(
            `${reverse ? "Unreversed" : "Reversed (or previously applied)"} patch detected!  ${
              options.has("N") || !options.has("f") ? "Skipping patch." : "Applying it anyway."
            }\n`,
          );
          if (!options.has("f")) {
            const count = patch.hunks.length;
            const reject = await this.#reject(patch, name, reverse ? patch.hunks.map(turned) : patch.hunks);
            await context.stdout.print(
              `${count} out of ${count} hunk${count === 1 ? "" : "s"} ignored${reject}\n`,
            );
            this.status = 1;
            return;
          }
        }
        await context.stdout.print(`Hunk #${i + 1} FAILED at ${hunk.oldStart}.\n`);
        rejected.push(hunk);
        continue;
      }
      if (place.offset !== 0 || place.fuzz > 0) {
        fuzzy = true;
        const fuzz = place.fuzz > 0 ? ` with fuzz ${place.fuzz}` : "";
        const moved = place.offset !== 0
          ? ` (offset ${place.offset} line${Math.abs(place.offset) === 1 ? "" : "s"})`
          : "";
        await this.#say(`Hunk #${i + 1} succeeded at ${place.at + 1 - place.skip}${fuzz}${moved}.`);
      }
      offset = place.offset;
      const part = hunk.lines.slice(place.skip, hunk.lines.length - place.drop);
      const old = part.filter((line) => line[0] !== "+");
      const replacement: string[] = [];
      let k = place.at;
      for (const line of part) {
        // Context keeps the file's own form (blanks may differ with -l).
        if (line[0] === " ") replacement.push(lines[k++]);
        else if (line[0] === "-") k++;
        else replacement.push(line.slice(1));
      }
      const atEnd = place.at + old.length === lines.length;
      lines.splice(place.at, old.length, ...replacement);
      if (atEnd && place.drop === 0) open = hunk.newOpen;
      firstLine = place.at + replacement.length;
      // Later hunks count in lines of the old file.
      const grown = replacement.length - old.length;
      for (let j = i + 1; j < patch.hunks.length; j++) {
        if (reverse) patch.hunks[j].newStart += grown;
        else patch.hunks[j].oldStart += grown;
      }
    }
    await this.#finish(patch, name, path, stat?.mode, text, lines, open, rejected, deletes, fuzzy);
  }

  async #finish(
    patch: FilePatch,
    name: string,
    path: string,
    mode: number | undefined,
    before: string,
    lines: readonly string[],
    open: boolean,
    rejected: readonly Hunk[],
    deletes: boolean,
    fuzzy: boolean,
  ): Promise<void> {
    const { options, context } = this;
    const dry = options.has("dry-run");
    if (rejected.length > 0) {
      this.status = 1;
      const saving = await this.#reject(patch, name, rejected);
      await context.stdout.print(
        `${rejected.length} out of ${patch.hunks.length} hunk${
          patch.hunks.length === 1 ? "" : "s"
        } FAILED${saving}\n`,
      );
    }
    if (dry) return;
    const output = options.value("o");
    const target = output === undefined ? path : this.at(output);
    if (
      mode !== undefined && output === undefined &&
      (options.has("b") || ((fuzzy || rejected.length > 0) && !options.has("no-backup-if-mismatch")))
    ) {
      await this.#write(`${path}${options.value("z") ?? ".orig"}`, before, mode);
    }
    if (lines.length === 0 && rejected.length === 0 && (deletes || options.has("E"))) {
      if (mode !== undefined) context.fs.unlink(path);
      return;
    }
    if (rejected.length === patch.hunks.length && patch.hunks.length > 0) return;
    const made = lines.length === 0 ? "" : lines.join("\n") + (open ? "" : "\n");
    if (mode === undefined) makeParents(context, target);
    await this.#write(target, made, mode ?? (0o666 & ~context.umask));
    if (patch.renameTo !== undefined) {
      const renamed = this.#strip(patch.renameTo);
      if (renamed !== undefined && renamed !== name && !options.has("R")) {
        makeParents(context, this.at(renamed));
        await context.fs.rename(target, this.at(renamed));
      }
    }
  }

  /** Keeps hunks that were not applied; answers what to say about it. */
  async #reject(patch: FilePatch, name: string, hunks: readonly Hunk[]): Promise<string> {
    const reject = this.options.value("r") ?? `${name}.rej`;
    if (this.options.has("dry-run") || reject === "-") return "";
    const head = `--- ${patch.oldName ?? name}\n+++ ${patch.newName ?? name}\n`;
    const text = head + hunks.map((hunk) => hunk.head + "\n" + hunk.lines.join("\n") + "\n").join("");
    await this.#write(this.at(reject), text, 0o666 & ~this.context.umask);
    return ` -- saving rejects to file ${reject}`;
  }

  async #write(path: string, text: string, mode: number): Promise<void> {
    const file = await this.context.fs.open(path, { write: true, create: true, truncate: true, mode });
    try {
      await file.write(encodeBytes(text));
    } finally {
      file.close();
    }
  }

  /** Where a hunk fits: nearest to its place, first with all context, then with less. */
  #find(
    lines: readonly string[],
    hunk: Hunk,
    offset: number,
    least: number,
  ): { at: number; offset: number; fuzz: number; skip: number; drop: number } | undefined {
    const most = Math.max(0, Number(this.options.value("F") ?? 2));
    const leading = countContext(hunk.lines), trailing = countContext([...hunk.lines].reverse());
    const same = this.options.has("l")
      ? (a: string, b: string) => squeeze(a) === squeeze(b)
      : (a: string, b: string) => a === b;
    for (let fuzz = 0; fuzz <= Math.min(most, Math.max(leading, trailing)); fuzz++) {
      const context = Math.max(leading, trailing);
      const skip = Math.max(0, Math.min(leading, fuzz + leading - context)),
        drop = Math.max(0, Math.min(trailing, fuzz + trailing - context));
      const old = hunk.lines.slice(skip, hunk.lines.length - drop).filter((line) => line[0] !== "+").map((
        line,
      ) => line.slice(1));
      const wanted = hunk.oldStart - 1 + skip + offset;
      // With less context before than after it belongs to the start of the file, and the other way round.
      const onlyStart = fuzz === 0 && leading < trailing && hunk.oldStart <= 1;
      const onlyEnd = fuzz === 0 && trailing < leading && old.length > 0;
      const fits = (at: number) =>
        at >= least && at + old.length <= lines.length && old.every((line, i) => same(lines[at + i], line));
      if (onlyStart) {
        if (fits(0)) return { at: 0, offset: 0 - (hunk.oldStart - 1 + skip), fuzz, skip, drop };
        continue;
      }
      if (onlyEnd) {
        const at = lines.length - old.length;
        if (fits(at)) return { at, offset: at - (hunk.oldStart - 1 + skip), fuzz, skip, drop };
        continue;
      }
      for (let distance = 0; distance <= lines.length + Math.abs(wanted); distance++) {
        this.context.poll();
        for (const at of distance === 0 ? [wanted] : [wanted + distance, wanted - distance]) {
          if (fits(at)) return { at, offset: at - (hunk.oldStart - 1 + skip), fuzz, skip, drop };
        }
      }
    }
    return undefined;
  }
}

function countContext(lines: readonly string[]): number {
  const at = lines.findIndex((line) => line[0] !== " ");
  return at < 0 ? lines.length : at;
}

function squeeze(text: string): string {
  return text.trim().replace(/[ \t]+/g, " ");
}

function turned(hunk: Hunk): Hunk {
  return {
    oldStart: hunk.newStart,
    newStart: hunk.oldStart,
    oldOpen: hunk.newOpen,
    newOpen: hunk.oldOpen,
    head: hunk.head,
    lines: hunk.lines.map((line) =>
      line[0] === "+" ? "-" + line.slice(1) : line[0] === "-" ? "+" + line.slice(1) : line
    ),
  };
}

function makeParents(context: UtilityContext, path: string): void {
  const parts = path.split("/");
  for (let i = 2; i < parts.length; i++) {
    const folder = parts.slice(0, i).join("/");
    if (!lstatIfThere(context, folder)) context.fs.mkdir(folder, 0o777 & ~context.umask);
  }
}
