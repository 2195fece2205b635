/**
 * Descriptors of the system's own, which Deno does not give: a folder that is
 * held open stays the same folder whatever becomes of its name. Through the C
 * library, on Linux only, loaded by the first use.
 *
 * Every descriptor is one of a place (O_PATH): nothing is read, written or
 * waited for by opening it, and what stands in the last place is not followed.
 */
import { describe } from "../lib/errors.ts";
import { HostError } from "../shell/host.ts";
import { systemError } from "./host_error.ts";

/** What may stand where a place is opened. */
type PlaceKind = "folder" | "anything";

interface PlaceDescriptors {
  /**
   * Opens a place: an absolute path, or a name in a folder that is held. A
   * link at its end is never followed, links before that are. Throws
   * HostError; ENOTDIR for a link where a folder is wanted.
   */
  open(folder: number | undefined, path: string, kind: PlaceKind): number;
  /** Opens where the path leads, links and all. */
  follow(path: string): number;
  close(descriptor: number): void;
  /** Lets go of the library. Descriptors stay. */
  unload(): void;
}

const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;
const [O_DIRECTORY, O_NOFOLLOW] = Deno.build.arch === "aarch64" ? [0o40000, 0o100000] : [0o200000, 0o400000];
const AT_FDCWD = -100;

let loaded: PlaceDescriptors | undefined;

/** Throws HostError EDENIED where the C library cannot be used. */
export function placeDescriptors(): PlaceDescriptors {
  return loaded ??= load();
}

/** Lets go of what the use of descriptors has loaded; the next use loads it again. */
export function unloadPlaceDescriptors(): void {
  loaded?.unload();
  loaded = undefined;
}

function load(): PlaceDescriptors {
  const library = openLibrary();
  const { openat, close, __errno_location } = library.symbols;
  const location = __errno_location();
  if (location === null) throw unavailable("it tells no errors");
  const errno = new Deno.UnsafePointerView(location);
  const encoder = new TextEncoder();

  function open(folder: number | undefined, path: string, flags: number): number {
    if (path.includes("\0")) throw new HostError("EINVAL", path);
    const descriptor = openat(folder ?? AT_FDCWD, encoder.encode(`${path}\0`), flags | O_PATH | O_CLOEXEC, 0);
    if (descriptor >= 0) return descriptor;
    throw systemError(errno.getInt32(), path);
  }
  return {
    open: (folder, path, kind) => open(folder, path, O_NOFOLLOW | (kind === "folder" ? O_DIRECTORY : 0)),
    follow: (path) => open(undefined, path, 0),
    close: (descriptor) => void close(descriptor),
    unload: () => library.close(),
  };
}

function openLibrary() {
  // Asking for the right would wait for an answer at a terminal.
  if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") {
    throw unavailable("this process may not call it");
  }
  try {
    return Deno.dlopen("libc.so.6", {
      openat: { parameters: ["i32", "buffer", "i32", "u32"], result: "i32" },
      close: { parameters: ["i32"], result: "i32" },
      __errno_location: { parameters: [], result: "pointer" },
    });
  } catch (error) {
    throw unavailable(describe(error));
  }
}

function unavailable(why: string): HostError {
  return new HostError(
    "EDENIED",
    undefined,
    `Not allowed: while programs run, files are reached through libc.so.6 only, and ${why}; ` +
      `wait for the programs to end`,
  );
}
