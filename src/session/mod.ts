/** The door of the session layer: durable sessions, what they hold, and what a model sees of them. */
export { asEntry, FORMAT_VERSION, isKnown } from "./entry.ts";
export type { AnyEntry, Entry, HeaderEntry, Payload, PromptPart, UnknownEntry } from "./entry.ts";
export { SessionError } from "./errors.ts";
export type { SessionErrorCode } from "./errors.ts";
export { describeDamage } from "./log/format.ts";
export type { Damage } from "./log/format.ts";
export { findSession, listSessions, newestSession, removeSession } from "./list.ts";
export type { ListOptions, SessionSummary } from "./list.ts";
export { noteMessage, project, Projection } from "./project.ts";
export type { OpenCall, OpenRun } from "./project.ts";
export { cancelledText, planRecovery } from "./recover.ts";
export type { RecoverCall, RecoveryPlan } from "./recover.ts";
export { createMemorySession, createSession, openSession, readSession } from "./store.ts";
export type { CreateOptions, OpenOptions, Session, SessionView } from "./store.ts";
export { artifactsPath, shortId } from "./paths.ts";
