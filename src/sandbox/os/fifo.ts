/**
 * Named pipes without standing still. Opening one blocks until the other end
 * is opened, even through an asynchronous call, and all jobs of a shell share
 * one thread: so it is opened without blocking, and what would have waited is
 * asked for again after a moment. The end is met when writers have been there
 * and have gone.
 */
import * as fs from "node:fs";
import { type FileStat, HostError, type HostFile, type OpenOptions } from "../../shell/host.ts";

const PAUSE_MS = 4;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS));

function code(error: unknown): string | undefined {
  const { code, name } = error as { code?: string; name?: string };
  return name === "WouldBlock" ? "EAGAIN" : code;
}

/** Opens a named pipe; `stat` tells about it, `fail` words what the system says. */
export async function openFifo(
  path: string,
  options: OpenOptions,
  stat: () => FileStat,
  fail: (error: unknown) => HostError,
): Promise<HostFile> {
  const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants;
  const both = options.read === true && options.write === true;
  const flags = (both ? O_RDWR : options.write || options.append ? O_WRONLY : O_RDONLY) | O_NONBLOCK;
  let fd: number | undefined;
  while (fd === undefined) {
    try {
      fd = fs.openSync(path, flags);
    } catch (error) {
      // A writer waits for a reader.
      if (code(error) !== "ENXIO") throw fail(error);
      await pause();
    }
  }
  const number = fd;
  let closed = false;
  /** A writer has been seen: nothing more to read then means that it is gone. */
  let met = both;
  return {
    terminal: false,
    async read(into) {
      for (;;) {
        if (closed) throw new HostError("EBADF", path);
        try {
          const length = fs.readSync(number, into, 0, into.length, null);
          if (length > 0 || met) {
            met = true;
            return length;
          }
        } catch (error) {
          if (code(error) !== "EAGAIN") throw fail(error);
          met = true;
        }
        await pause();
      }
    },
    async write(bytes) {
      for (let at = 0; at < bytes.length;) {
        try {
          at += fs.writeSync(number, bytes, at, bytes.length - at, null);
        } catch (error) {
          if (code(error) !== "EAGAIN") throw fail(error);
          await pause();
        }
      }
    },
    seek() {
      throw new HostError("ENOTSUP", path);
    },
    truncate() {
      throw new HostError("EINVAL", path);
    },
    stat,
    close() {
      if (closed) return;
      closed = true;
      fs.closeSync(number);
    },
  };
}
