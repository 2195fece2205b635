/** The door of the sandbox. */
export { ERROR_TEXT, HostError } from "../shell/host.ts";
export type { DirEntry, FileKind, FileStat, HostFile, HostFs, Later, OpenOptions } from "../shell/host.ts";
