/**
 * The door of what the operating system does for the sandbox: wrappers for
 * external programs, their start, named pipes, what a policy needs of the disk.
 */
export { createConfinement, missingWrapper } from "./confinement.ts";
export type { Confinement } from "./confinement.ts";
export { openFifo } from "./fifo.ts";
export { findMarked, MARK } from "./marked.ts";
export { relay } from "./relay.ts";
export { spawnProgram } from "./spawn.ts";
export type { KnownFile } from "./spawn.ts";
export { preparePolicy, removeTemp } from "./prepare.ts";
export type { PolicySettings } from "./prepare.ts";
export { captureDevShell, type DevShell, type DevShellOptions } from "./dev_shell.ts";
export { sweep } from "./sweep.ts";
export type { Command, Wrapper, WrapperSearch } from "./wrapper.ts";
