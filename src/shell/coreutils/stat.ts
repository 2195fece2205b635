/** stat: what is known about a file, in a form of choice. */
import type { UtilityContext } from "../builtin.ts";
import type { FileStat } from "../host.ts";
import { formatDate } from "../../lib/dates/format.ts";
import { modeText, rawMode } from "./shared/modes.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { type Owners, readOwners } from "./shared/owners.ts";
import { complain, quote, reason } from "./shared/report.ts";
import { type Zone, zoneOf } from "../../lib/dates/zone.ts";

const TABLE = {
  options: ["c|format=", "L|dereference", "printf=", "t|terse"],
  unsupported: ["f|file-system", "cached="],
  usage: "[OPTION]... FILE...",
};

const KINDS: Readonly<Record<string, string>> = {
  file: "regular file",
  dir: "directory",
  symlink: "symbolic link",
  fifo: "fifo",
  socket: "socket",
  char: "character special file",
  block: "block special file",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length === 0) throw new UsageError("missing operand");
  const owners = await readOwners(context);
  const zone = zoneOf(context.env);
  const printf = options.value("printf");
  let format = options.value("c") === undefined ? undefined : options.value("c")! + "\n";
  if (printf !== undefined) format = unescape(printf);
  else if (options.has("t")) format = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
  let status = 0;
  for (const name of options.operands) {
    try {
      const path = context.path(name);
      const stat = options.has("L") ? context.fs.stat(path) : context.fs.lstat(path);
      const target = stat.kind === "symlink" ? context.fs.readLink(path) : undefined;
      const device = stat.kind === "char" || stat.kind === "block";
      const whole = format ??
        `  File: ${
          target === undefined ? "%n" : "%N"
        }\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-11i Links: %h${
          device ? "     Device type: %t,%T" : ""
        }\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: -\n`;
      await context.stdout.print(fill(whole, name, stat, target, owners, zone));
    } catch (error) {
      await complain(
        context,
        `cannot ${options.has("L") ? "stat" : "statx"} ${quote(name)}: ${reason(error)}`,
      );
      status = 1;
    }
  }
  return status;
}

function fill(
  format: string,
  name: string,
  stat: FileStat,
  target: string | undefined,
  owners: Owners,
  zone: Zone,
): string {
  return format.replace(
    /%([-0#+ ']*)(\d*)(?:\.(\d*))?([HL]?[a-zA-Z%])/g,
    (all, flags: string, width: string, precision: string | undefined, letter: string) => {
      if (letter === "%") return "%";
      let text = field(letter, name, stat, target, owners, zone, flags);
      if (text === undefined) return letter === "C" ? all : "?";
      if (precision !== undefined) {
        text = /[XYZ]/.test(letter)
          ? seconds(stat[({ X: "atimeMs", Y: "mtimeMs", Z: "ctimeMs" } as const)[letter as "X"]], precision)
          : text.slice(0, Number(precision));
      }
      const size = Number(width || 0);
      if (flags.includes("-")) return text.padEnd(size);
      return text.padStart(size, flags.includes("0") ? "0" : " ");
    },
  );
}

/** Seconds with so many places (nine where none are named), cut, not rounded. */
function seconds(ms: number, precision: string): string {
  const places = precision === "" ? 9 : Math.min(9, Number(precision));
  const whole = Math.floor(ms / 1000);
  const nanos = String(Math.floor((ms - whole * 1000) * 1e6)).padStart(9, "0");
  return String(whole) + (places === 0 ? "" : "." + nanos.slice(0, places));
}

function field(
  letter: string,
  name: string,
  stat: FileStat,
  target: string | undefined,
  owners: Owners,
  zone: Zone,
  flags: string,
): string | undefined {
  const time = (ms: number) => formatDate("%Y-%m-%d %H:%M:%S.%N %z", ms, zone);
  const major = (device: number) => (device >> 8) & 0xfff;
  const minor = (device: number) => (device & 0xff) | ((device >> 12) & 0xfff00);
  switch (letter) {
    case "n":
      return name;
    case "N":
      return quote(name) + (target === undefined ? "" : ` -> ${quote(target)}`);
    case "s":
      return String(stat.size);
    case "b":
      return String(stat.blocks);
    case "B":
      return "512";
    case "o":
      return "4096";
    case "f":
      return rawMode(stat.kind, stat.mode).toString(16);
    case "F":
      return stat.kind === "file" && stat.size === 0 ? "regular empty file" : KINDS[stat.kind];
    case "a":
      return (flags.includes("#") ? "0" : "") + stat.mode.toString(8);
    case "A":
      return modeText(stat.kind, stat.mode);
    case "u":
      return String(stat.uid);
    case "U":
      return owners.userName(stat.uid);
    case "g":
      return String(stat.gid);
    case "G":
      return owners.groupName(stat.gid);
    case "h":
      return String(stat.nlink);
    case "i":
      return String(stat.ino);
    case "d":
      return String(stat.dev);
    case "D":
      return stat.dev.toString(16);
    case "Hd":
      return String(major(stat.dev));
    case "Ld":
      return String(minor(stat.dev));
    case "t":
      return major(stat.rdev).toString(16);
    case "T":
      return minor(stat.rdev).toString(16);
    case "x":
      return time(stat.atimeMs);
    case "y":
      return time(stat.mtimeMs);
    case "z":
      return time(stat.ctimeMs);
    case "X":
      return String(Math.floor(stat.atimeMs / 1000));
    case "Y":
      return String(Math.floor(stat.mtimeMs / 1000));
    case "Z":
      return String(Math.floor(stat.ctimeMs / 1000));
    case "w":
      return "-";
    case "W":
      return "0";
    case "m":
      return "/";
    default:
      return undefined;
  }
}

function unescape(text: string): string {
  const simple: Record<string, string> = {
    n: "\n",
    t: "\t",
    r: "\r",
    a: "\x07",
    b: "\b",
    f: "\f",
    v: "\v",
    "\\": "\\",
    '"': '"',
  };
  return text.replace(
    /\\([0-7]{1,3}|[^])/g,
    (_, code: string) => /^[0-7]/.test(code) ? String.fromCharCode(parseInt(code, 8)) : simple[code] ?? code,
  );
}
