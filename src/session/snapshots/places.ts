/**
 * How files are reached where programs may swap folders and links while they
 * are looked at: by their names, or, where the engine gives that, held by
 * descriptors of the system. Everything that is read to be kept, or written to
 * be put back, goes through here, so that it never leads out of the workspace.
 */

/**
 * Work is given a path of its own to use in place of the one that was asked
 * for, and only while it runs. Where a path leads elsewhere, both throw an
 * error with the code "EDENIED", and the work is not begun.
 */
export interface Places {
  /** Work on a name in its folder; `at` must not be followed. */
  inFolder<T>(path: string, work: (at: string) => T): T;
  /** Work on the very file or folder that stands there, never a link; `at` is to be followed. */
  toThing<T>(path: string, work: (at: string) => T): T;
}

/** By name: for systems without descriptors of places. */
export const BY_NAME: Places = {
  inFolder: (path, work) => work(path),
  toThing: (path, work) => work(path),
};

/** Whether a path could not be reached because it leads elsewhere. */
export function leadsElsewhere(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EDENIED";
}
