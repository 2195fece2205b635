/** df: room on file systems, as far as the host tells. */
import type { UtilityContext } from "../builtin.ts";
import { decodeBytes } from "../../lib/text/bytes.ts";
import { readAll } from "./shared/blocks.ts";
import { humanSize } from "./shared/numbers.ts";
import { parseOptions, UnsupportedOption } from "./shared/options.ts";
import { complain, quoteIfNeeded, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "a|all",
    "h|human-readable",
    "H|si",
    "k",
    "m",
    "P|portability",
    "T|print-type",
    "l|local",
    "t|type=",
    "x|exclude-type=",
  ],
  unsupported: ["B|block-size=", "i|inodes", "output=?", "sync", "no-sync", "total"],
};

interface Mount {
  readonly device: string;
  readonly folder: string;
  readonly type: string;
}

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const space = context.fs.space?.bind(context.fs);
  if (!space) throw new UnsupportedOption("(sizes of file systems)");
  const mounts = await readMounts(context);
  const chosen: { mount: Mount; path: string }[] = [];
  let status = 0;
  if (options.operands.length === 0) {
    const seen = new Set<string>();
    for (const mount of mounts) {
      if (
        !options.has("a") &&
        (!mount.device.startsWith("/") && mount.type !== "tmpfs" && mount.folder !== "/" ||
          seen.has(mount.device + mount.type))
      ) continue;
      if (mount.device.startsWith("/")) seen.add(mount.device + mount.type);
      chosen.push({ mount, path: mount.folder });
    }
  }
  for (const name of options.operands) {
    try {
      const real = context.fs.realPath(context.path(name));
      chosen.push({ mount: mountOf(mounts, real), path: real });
    } catch (error) {
      await complain(context, `${quoteIfNeeded(name)}: ${reason(error)}`);
      status = 1;
    }
  }
  const unit = options.last("h", "H", "k", "m") ?? "k";
  const show = (bytes: number) =>
    unit === "h"
      ? humanSize(bytes)
      : unit === "H"
      ? humanSize(bytes, 1000)
      : String(Math.ceil(bytes / (unit === "m" ? 1024 ** 2 : 1024)));
  const human = unit === "h" || unit === "H";
  const posix = options.has("P");
  const title = human ? "Size" : posix ? "1024-blocks" : unit === "m" ? "1M-blocks" : "1K-blocks";
  const rows = [[
    "Filesystem",
    ...(options.has("T") ? ["Type"] : []),
    title,
    "Used",
    human ? "Avail" : "Available",
    posix ? "Capacity" : "Use%",
    "Mounted on",
  ]];
  for (const { mount, path } of chosen) {
    const type = options.values("t"), not = options.values("x");
    if ((type.length > 0 && !type.includes(mount.type)) || not.includes(mount.type)) continue;
    try {
      const { size, free, available } = space(path);
      if (size === 0 && options.operands.length === 0 && !options.has("a")) continue;
      const used = size - free;
      const share = used + available === 0 ? "-" : `${Math.ceil(used / (used + available) * 100)}%`;
      rows.push([
        mount.device,
        ...(options.has("T") ? [mount.type] : []),
        show(size),
        show(used),
        show(available),
        share,
        mount.folder,
      ]);
    } catch (error) {
      if (options.operands.length === 0) reason(error);
      else {
        await complain(context, `${quoteIfNeeded(path)}: ${reason(error)}`);
        status = 1;
      }
    }
  }
  if (rows.length === 1 && status === 1) return status;
  const left = options.has("T") ? 2 : 1;
  const widths = rows[0].map((_, i) =>
    rows.reduce(
      (most, row) => Math.max(most, row[i].length),
      i === 0 ? 14 : i === left ? 5 : i > left && i < left + 3 ? 5 : 0,
    )
  );
  for (const row of rows) {
    await context.stdout.print(
      row.map((cell, i) =>
        i === row.length - 1 ? cell : i < left ? cell.padEnd(widths[i]) : cell.padStart(widths[i])
      ).join(" ") + "\n",
    );
  }
  return status;
}

function mountOf(mounts: readonly Mount[], path: string): Mount {
  let best: Mount = { device: "-", folder: "/", type: "-" };
  let length = -1;
  for (const mount of mounts) {
    const inside = mount.folder === "/" || path === mount.folder || path.startsWith(mount.folder + "/");
    // A later mount at the same folder covers the one before.
    if (inside && mount.folder.length >= length) {
      best = mount;
      length = mount.folder.length;
    }
  }
  return best;
}

async function readMounts(context: UtilityContext): Promise<Mount[]> {
  try {
    const source = await context.fs.open("/proc/self/mounts", { read: true });
    const text = decodeBytes(await readAll(source, () => context.poll(), 1 << 24));
    source.close();
    const plain = (text: string) =>
      text.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
    return text.split("\n").filter((line) => line !== "").map((line) => {
      const [device, folder, type] = line.split(" ").map(plain);
      return { device, folder, type };
    });
  } catch (error) {
    reason(error);
    return [];
  }
}
