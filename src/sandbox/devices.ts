/**
 * The harmless devices, in memory: `/dev/null`, `zero`, `full`, `random`,
 * `urandom`, and `/dev/tty`, of which there is none. The worker has no right
 * to open real ones.
 */
import { type FileStat, HostError, type HostFile } from "../shell/host.ts";

const MINOR: Readonly<Record<string, number>> = {
  "/dev/null": 3,
  "/dev/zero": 5,
  "/dev/full": 7,
  "/dev/random": 8,
  "/dev/urandom": 9,
  "/dev/tty": 0,
};

/** Whether the path names one of them. */
export function isDevice(path: string): boolean {
  return path.startsWith("/dev/") && Object.hasOwn(MINOR, path);
}

/** As Linux tells of it; device and inode are made up, and the same each time. */
export function statDevice(path: string): FileStat {
  const minor = MINOR[path];
  return {
    kind: "char",
    size: 0,
    mode: 0o666,
    uid: 0,
    gid: 0,
    dev: 5,
    ino: minor + 1,
    nlink: 1,
    rdev: (path === "/dev/tty" ? 5 : 1) * 256 + minor,
    blocks: 0,
    atimeMs: 0,
    mtimeMs: 0,
    ctimeMs: 0,
  };
}

/** Opens one. Throws ENXIO for the terminal. */
export function openDevice(path: string): HostFile {
  if (path === "/dev/tty") throw new HostError("ENXIO", path);
  return {
    terminal: false,
    read(into) {
      if (path === "/dev/null") return 0;
      if (path.endsWith("random")) {
        for (let at = 0; at < into.length; at += 65536) {
          crypto.getRandomValues(into.subarray(at, at + 65536) as Uint8Array<ArrayBuffer>);
        }
      } else {
        into.fill(0);
      }
      return into.length;
    },
    write(bytes) {
      if (path === "/dev/full" && bytes.length > 0) throw new HostError("ENOSPC", path);
    },
    seek: () => 0,
    truncate() {
      throw new HostError("EINVAL", path);
    },
    stat: () => statDevice(path),
    close() {},
  };
}
