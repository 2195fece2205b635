/**
 * Credentials that the program itself keeps: `auth.json` of the home folder,
 * mode 600, replaced in one step. Who changes it holds a lock on a file of its
 * own beside it, across processes, from the reading to the writing: so two
 * programs never refresh one login at once, which would end it for both.
 */
import { isRecord } from "../../lib/json.ts";
import { ConfigError } from "../errors.ts";
import { readIfThere } from "../file.ts";

export interface KeyCredential {
  readonly type: "key";
  readonly key: string;
}

export interface LoginCredential {
  readonly type: "login";
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since 1970; absent: nobody said. */
  readonly expires?: number;
  /** Where the login was made: what refreshes it. */
  readonly clientId: string;
  readonly tokenUrl: string;
  /** Who is logged in, for people. */
  readonly account?: string;
}

export type Credential = KeyCredential | LoginCredential;
export type Credentials = Readonly<Record<string, Credential>>;

/** All credentials, by provider. Throws ConfigError where the file cannot be understood. */
export function readCredentials(path: string): Credentials {
  const bytes = readIfThere(path);
  if (bytes === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // Not the cause: a parser quotes what it read.
    throw damaged(path);
  }
  const providers = isRecord(value) ? value.providers : undefined;
  if (!isRecord(providers)) throw damaged(path);
  const out: Record<string, Credential> = {};
  for (const [name, raw] of Object.entries(providers)) {
    const credential = asCredential(raw);
    if (credential !== undefined) out[name] = credential;
  }
  return out;
}

/**
 * Changes the credential of one provider under the lock. `change` gets the
 * present one and answers with the new one, the same one (nothing is written)
 * or undefined (it is removed); it may take its time.
 */
export async function changeCredential(
  path: string,
  provider: string,
  change: (present: Credential | undefined) => Promise<Credential | undefined> | Credential | undefined,
): Promise<Credential | undefined> {
  const folder = path.slice(0, path.lastIndexOf("/"));
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  using lock = await Deno.open(`${path}.lock`, { write: true, create: true, mode: 0o600 });
  await lock.lock(true);
  const all = readCredentials(path);
  const present = Object.hasOwn(all, provider) ? all[provider] : undefined;
  const next = await change(present);
  if (next === present) return next;
  const { [provider]: _, ...others } = all;
  await replace(path, next === undefined ? others : { ...others, [provider]: next });
  return next;
}

async function replace(path: string, providers: Credentials): Promise<void> {
  const next = `${path}.${crypto.randomUUID()}.new`;
  const text = `${JSON.stringify({ version: 1, providers }, null, 2)}\n`;
  try {
    await Deno.writeTextFile(next, text, { mode: 0o600, createNew: true });
    await Deno.rename(next, path);
  } catch (cause) {
    await Deno.remove(next).catch(() => {});
    throw new ConfigError("io", "Cannot write the credentials", { file: path, cause });
  }
}

function asCredential(raw: unknown): Credential | undefined {
  if (!isRecord(raw)) return undefined;
  if (raw.type === "key") return typeof raw.key === "string" ? { type: "key", key: raw.key } : undefined;
  const { type, accessToken, refreshToken, expires, clientId, tokenUrl, account } = raw;
  if (type !== "login" || typeof accessToken !== "string") return undefined;
  if (typeof clientId !== "string" || typeof tokenUrl !== "string") return undefined;
  return {
    type,
    accessToken,
    clientId,
    tokenUrl,
    ...(typeof refreshToken === "string" ? { refreshToken } : {}),
    ...(typeof expires === "number" ? { expires } : {}),
    ...(typeof account === "string" ? { account } : {}),
  };
}

function damaged(path: string): ConfigError {
  return new ConfigError("syntax", "The credentials cannot be understood", {
    file: path,
    hint: "Move the file away and log in again: myelin auth login",
  });
}
