/**
 * A session file from elsewhere (another machine, an export, a rescued copy)
 * as a session of this one. What can be read of it comes along; the file
 * itself is only read. Entries keep their ids, the session gets its own.
 */
import type { Damage } from "./log/format.ts";
import { SessionError } from "./errors.ts";
import { createSession, readSession } from "./store.ts";

export interface Imported {
  readonly id: string;
  readonly file: string | undefined;
  readonly entries: number;
  readonly damages: readonly Damage[];
}

/** Rejects with "damaged" where the file holds nothing that belongs to a session. */
export async function importSession(root: string, file: string, cwd: string): Promise<Imported> {
  const source = await readSession(file, { cwd });
  const entries = [...source.entries()];
  if (entries.length === 0) {
    throw new SessionError("damaged", `Cannot import "${file}": there is no entry of a session in it`, {
      hint: "It must be a file of a session, or one made by `myelin sessions export --format jsonl`",
    });
  }
  const session = await createSession({
    root,
    cwd: source.cwd === "" ? cwd : source.cwd,
    ...(source.leaf === null ? {} : { forkedFrom: { session: source.id, entry: source.leaf } }),
  });
  try {
    await session.adoptTree(entries);
    await session.sync();
    return { id: session.id, file: session.file, entries: entries.length, damages: source.damages };
  } finally {
    await session.close();
  }
}
