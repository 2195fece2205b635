/**
 * What bubblewrap does, by the small tools of util-linux, for machines without
 * it: the arguments that are made for bubblewrap become a script of `mount`s,
 * run by a process that stands in namespaces of its own already. Slower by the
 * start of one `mount` for each place; the walls are the same, but that none of
 * these tools sets a filter of system calls.
 *
 * The script first puts the old root aside (`/oldroot`) and builds the new one
 * beside it, so that what is covered in the one can still be shown in the
 * other; it ends with the old root gone.
 */
import { quote } from "./launch.ts";
import { type Mount, mountOf } from "./mounts.ts";

/** Device files that every program may have. */
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];

/** The system's folders, so that its tools are found while the root is being built. */
const TOOLS = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "nix", "gnu", "etc", "proc", "dev"];

/** The script for the arguments before `--`; leaves the process in the new root, in `--chdir`'s folder, with all its rights. */
export function mountScript(args: readonly string[], mounts: readonly Mount[]): string {
  const lines = [
    "set -eu",
    "mount -t tmpfs -o nosuid,nodev,mode=755 tmpfs /tmp",
    "cd /tmp",
    "mkdir newroot oldroot",
    `for name in ${TOOLS.join(" ")}; do [ ! -e "/$name" ] || ln -s "oldroot/$name" "$name"; done`,
    "mount --bind newroot newroot",
    "pivot_root . oldroot",
    "cd /",
  ];
  let folder = "/";
  for (let i = 0; i < args.length && args[i] !== "--";) {
    const [word, first = "", second = ""] = args.slice(i, i + 3);
    switch (word) {
      case "--bind":
      case "--ro-bind":
        lines.push(...bind(first, second, word === "--ro-bind", mounts));
        i += 3;
        break;
      case "--symlink":
        lines.push(`ln -s ${quote(first)} ${quote(`/newroot${second}`)}`);
        i += 3;
        break;
      case "--tmpfs":
        lines.push(`mount -t tmpfs -o nosuid,nodev,mode=755 tmpfs ${made(first)}`);
        i += 2;
        break;
      case "--remount-ro":
        lines.push(`mount -o remount,bind,ro,nosuid,nodev ${inNew(first)}`);
        i += 2;
        break;
      case "--proc":
        lines.push(`mount -t proc -o nosuid,nodev,noexec proc ${made(first)}`);
        i += 2;
        break;
      case "--dev":
        lines.push(...devices(first));
        i += 2;
        break;
      case "--chdir":
        folder = first;
        i += 2;
        break;
      case "--cap-drop":
      case "--cap-add":
        i += 2;
        break;
      default:
        i++;
    }
  }
  lines.push("cd /newroot", "pivot_root . .", "umount -l .", `cd ${quote(folder)}`);
  return lines.join("\n");
}

/** The capabilities that the arguments leave to root, in the words of `setpriv`. */
export function keptCapabilities(args: readonly string[]): string {
  const kept = args.filter((_, i) => args[i - 1] === "--cap-add")
    .map((name) => `+${name.replace(/^CAP_/, "").toLowerCase()}`);
  return ["-all", ...kept].join(",");
}

const inNew = (path: string) => quote(`/newroot${path}`);

/** A place that may have to be made first: nothing else than the new root can be written there. */
const made = (path: string) => `"$(p=${inNew(path)}; [ -e "$p" ] || mkdir -p "$p"; echo "$p")"`;

function bind(from: string, to: string, readOnly: boolean, mounts: readonly Mount[]): string[] {
  const source = quote(`/oldroot${from === "/" ? "/" : from}`);
  const target = to === "/" ? "/newroot" : `/newroot${to}`;
  const lines = [`t=${quote(target)}`];
  if (to !== "/") {
    lines.push(
      `if [ -d ${source} ]; then [ -d "$t" ] || mkdir -p "$t"; else [ -e "$t" ] || { mkdir -p "\${t%/*}"; : > "$t"; }; fi`,
    );
  }
  lines.push(`mount --rbind ${source} "$t"`);
  const device = from.startsWith("/dev/");
  const own = mountOf(from, mounts);
  lines.push(`mount -o ${flags(own?.options ?? [], readOnly, device)} "$t"`);
  const below = from === "/" ? "/" : `${from}/`;
  const seen = new Set<string>();
  for (const { at, options } of mounts) {
    if (at === from || !at.startsWith(below) || seen.has(at)) continue;
    seen.add(at);
    const place = quote(`${target}${at.slice(from === "/" ? 0 : from.length)}`);
    const last = mounts.findLast((one) => one.at === at)?.options ?? options;
    // What cannot be made harmless is covered; what cannot be covered either must be out of reach.
    const change = `mount -o ${flags(last, readOnly, device)} ${place}`;
    lines.push(
      `${change} 2>/dev/null || mount -t tmpfs -o ro tmpfs ${place} 2>/dev/null || [ ! -e ${place} ]`,
    );
  }
  return lines;
}

/** Options that are set stay set: in a user namespace they are locked. */
function flags(options: readonly string[], readOnly: boolean, device: boolean): string {
  const kept = options.filter((option) =>
    /^(nosuid|nodev|noexec|noatime|nodiratime|relatime|ro)$/.test(option)
  );
  const all = new Set([
    "remount",
    "bind",
    ...kept,
    "nosuid",
    ...(device ? [] : ["nodev"]),
    ...(readOnly ? ["ro"] : []),
  ]);
  return [...all].join(",");
}

function devices(folder: string): string[] {
  const at = (name: string) => inNew(`${folder}/${name}`);
  return [
    `mount -t tmpfs -o nosuid,mode=755 tmpfs ${made(folder)}`,
    ...DEVICES.flatMap((name) => [`: > ${at(name)}`, `mount --bind /oldroot/dev/${name} ${at(name)}`]),
    `ln -s /proc/self/fd ${at("fd")}`,
    ...["stdin", "stdout", "stderr"].map((name, fd) => `ln -s /proc/self/fd/${fd} ${at(name)}`),
    `mkdir -m 1777 ${at("shm")}`,
    `mkdir ${at("pts")}`,
    `mount -t devpts -o newinstance,ptmxmode=0666,mode=620,nosuid,noexec devpts ${at("pts")}`,
    `ln -s pts/ptmx ${at("ptmx")}`,
  ];
}
