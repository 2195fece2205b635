/** How ls writes its entries: long lines, columns, names. */
import { humanSize } from "../shared/numbers.ts";
import { modeText } from "../shared/modes.ts";
import type { Owners } from "../shared/owners.ts";
import { quote } from "../shared/report.ts";
import { formatDate } from "../../../lib/dates/format.ts";
import type { Zone } from "../../../lib/dates/zone.ts";
import type { FileStat } from "../../host.ts";

export interface Entry {
  readonly name: string;
  readonly path: string;
  readonly stat: FileStat | undefined;
  /** The kind, also where no stat was needed. */
  readonly kind: string;
  /** What the link holds and what is there. */
  readonly link?: { readonly target: string; readonly stat: FileStat | undefined };
}

export interface Format {
  readonly layout: "long" | "single" | "vertical" | "across" | "commas";
  /** Base of sizes for people. */
  readonly human: number | undefined;
  readonly indicator: "none" | "slash" | "classify" | "file-type";
  readonly inode: boolean;
  readonly blocks: boolean;
  readonly owner: boolean;
  readonly group: boolean;
  readonly author: boolean;
  readonly numeric: boolean;
  readonly quoting: string;
  readonly hideControl: boolean;
  readonly time: "mtimeMs" | "atimeMs" | "ctimeMs";
  readonly timeStyle: string;
  readonly width: number;
  readonly color: boolean;
}

export function nameText(entry: Pick<Entry, "name">, format: Format): string {
  let { name } = entry;
  switch (format.quoting) {
    case "c":
      name = JSON.stringify(name);
      break;
    case "escape":
      name = name.replace(/[\\ \n\t]/g, (c) => c === "\n" ? "\\n" : c === "\t" ? "\\t" : "\\" + c);
      break;
    case "shell":
    case "shell-escape":
      if (!/^[\w@%+=:,.\/-]+$/.test(name)) name = quote(name);
      break;
    case "shell-always":
    case "shell-escape-always":
      name = quote(name);
  }
  return format.hideControl ? name.replace(/[\x00-\x1f\x7f]/g, "?") : name;
}

function indicatorOf(kind: string, mode: number | undefined, style: Format["indicator"]): string {
  if (style === "none") return "";
  if (kind === "dir") return "/";
  if (style === "slash") return "";
  if (kind === "symlink") return "@";
  if (kind === "fifo") return "|";
  if (kind === "socket") return "=";
  return style === "classify" && kind === "file" && ((mode ?? 0) & 0o111) !== 0 ? "*" : "";
}

const COLORS: Readonly<Record<string, string>> = {
  dir: "01;34",
  symlink: "01;36",
  fifo: "33",
  socket: "01;35",
  block: "01;33",
  char: "01;33",
};

function shown(entry: Entry, format: Format): string {
  const name = nameText(entry, format);
  if (!format.color) return name;
  const color = COLORS[entry.kind] ??
    (entry.kind === "file" && ((entry.stat?.mode ?? 0) & 0o111) !== 0 ? "01;32" : undefined);
  return color ? `\x1b[${color}m${name}\x1b[0m` : name;
}

function prefix(entry: Entry, format: Format, inodeWidth: number, blockWidth: number): string {
  return (format.inode ? String(entry.stat?.ino ?? "?").padStart(inodeWidth) + " " : "") +
    (format.blocks ? blockText(entry, format).padStart(blockWidth) + " " : "");
}

function blockText(entry: Entry, format: Format): string {
  const bytes = (entry.stat?.blocks ?? 0) * 512;
  return format.human === undefined ? String(Math.ceil(bytes / 1024)) : humanSize(bytes, format.human);
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}

export function columns(entries: readonly Entry[], format: Format): string {
  const inodeWidth = format.layout === "commas"
    ? 0
    : widest(entries.map((entry) => String(entry.stat?.ino ?? "?")));
  const blockWidth = format.layout === "commas"
    ? 0
    : widest(entries.map((entry) => blockText(entry, format)));
  const tail = (entry: Entry) => indicatorOf(entry.kind, entry.stat?.mode, format.indicator);
  const cells = entries.map((entry) =>
    prefix(entry, format, inodeWidth, blockWidth) + shown(entry, format) + tail(entry)
  );
  if (format.layout === "single") return cells.join("\n") + "\n";
  const widths = entries.map((entry) =>
    [...(prefix(entry, format, inodeWidth, blockWidth) + nameText(entry, format) + tail(entry))].length
  );
  if (format.layout === "commas") return commas(cells, widths, format.width);
  return grid(cells, widths, format);
}

function commas(cells: readonly string[], widths: readonly number[], limit: number): string {
  let out = "";
  let at = 0;
  cells.forEach((cell, i) => {
    if (i > 0) {
      out += ",";
      at++;
      if (at + widths[i] + 2 > limit) {
        out += "\n";
        at = 0;
      } else {
        out += " ";
        at++;
      }
    }
    out += cell;
    at += widths[i];
  });
  return out + "\n";
}

function grid(cells: readonly string[], widths: readonly number[], format: Format): string {
  const across = format.layout === "across";
  const most = Math.max(1, Math.min(cells.length, Math.floor(format.width / 3)));
  for (let count = most; count >= 1; count--) {
    const rows = Math.ceil(cells.length / count);
    const sizes = new Array<number>(count).fill(0);
    widths.forEach((width, i) => {
      const column = across ? i % count : Math.floor(i / rows);
      const last = column === count - 1;
      sizes[column] = Math.max(sizes[column], width + (last ? 0 : 2), 3);
    });
    if (count > 1 && sizes.reduce((a, b) => a + b, 0) >= format.width) continue;
    let out = "";
    for (let row = 0; row < rows; row++) {
      let line = "";
      let at = 0;
      for (let column = 0; column < count; column++) {
        const i = across ? row * count + column : column * rows + row;
        if (i >= cells.length) break;
        const next = across ? column + 1 < count && i + 1 < cells.length : i + rows < cells.length;
        line += cells[i];
        at += widths[i];
        if (!next) break;
        const target = sizes.slice(0, column + 1).reduce((a, b) => a + b, 0);
        line += tabs(at, target);
        at = target;
      }
      out += line + "\n";
    }
    return out;
  }
  return cells.join("\n") + "\n";
}

/** GNU fills up with tabs where they reach. */
function tabs(from: number, to: number): string {
  let out = "";
  while (from < to) {
    if (Math.floor(to / 8) > Math.floor((from + 1) / 8)) {
      out += "\t";
      from += 8 - from % 8;
    } else {
      out += " ";
      from++;
    }
  }
  return out;
}

export function longLines(
  entries: readonly Entry[],
  format: Format,
  owners: Owners | undefined,
  zone: Zone,
  now: number,
): string {
  const rows = entries.map((entry) => {
    const { stat } = entry;
    if (!stat) return { entry, cells: ["??????????", "?", "?", "?", "?", "?"] };
    const device = stat.kind === "char" || stat.kind === "block";
    return {
      entry,
      cells: [
        modeText(stat.kind, stat.mode),
        String(stat.nlink),
        owners ? owners.userName(stat.uid) : String(stat.uid),
        owners ? owners.groupName(stat.gid) : String(stat.gid),
        device
          ? `${(stat.rdev >> 8) & 0xfff}, ${stat.rdev & 0xff}`
          : format.human === undefined
          ? String(stat.size)
          : humanSize(stat.size, format.human),
        timeText(stat[format.time], format.timeStyle, zone, now),
      ],
    };
  });
  const widths = [0, 1, 2, 3, 4, 5].map((column) => widest(rows.map(({ cells }) => cells[column])));
  const inodeWidth = widest(entries.map((entry) => String(entry.stat?.ino ?? "?")));
  const blockWidth = widest(entries.map((entry) => blockText(entry, format)));
  return rows.map(({ entry, cells }) => {
    const parts = [cells[0], cells[1].padStart(widths[1])];
    if (format.owner) parts.push(format.numeric ? cells[2].padStart(widths[2]) : cells[2].padEnd(widths[2]));
    if (format.group) parts.push(format.numeric ? cells[3].padStart(widths[3]) : cells[3].padEnd(widths[3]));
    if (format.author) parts.push(cells[2].padEnd(widths[2]));
    parts.push(cells[4].padStart(widths[4]), cells[5].padStart(widths[5]));
    const link = entry.link
      ? ` -> ${entry.link.target}${
        entry.link.stat ? indicatorOf(entry.link.stat.kind, entry.link.stat.mode, format.indicator) : ""
      }`
      : indicatorOf(entry.kind, entry.stat?.mode, format.indicator);
    return `${prefix(entry, format, inodeWidth, blockWidth)}${parts.join(" ")} ${
      shown(entry, format)
    }${link}\n`;
  }).join("");
}

const HALF_YEAR = 31_556_952_000 / 2;

function timeText(ms: number, style: string, zone: Zone, now: number): string {
  const recent = ms <= now && ms > now - HALF_YEAR;
  const plain = style.replace(/^posix-/, "");
  if (plain.startsWith("+")) {
    const [old, fresh] = plain.slice(1).split("\n");
    return formatDate(recent && fresh !== undefined ? fresh : old, ms, zone);
  }
  switch (plain) {
    case "full-iso":
      return formatDate("%Y-%m-%d %H:%M:%S.%N %z", ms, zone);
    case "long-iso":
      return formatDate("%Y-%m-%d %H:%M", ms, zone);
    case "iso":
      return formatDate(recent ? "%m-%d %H:%M" : "%Y-%m-%d ", ms, zone);
    default:
      return formatDate(recent ? "%b %e %H:%M" : "%b %e  %Y", ms, zone);
  }
}
