/** A kept credential as the key of requests. What renews it is loaded when it is needed. */
import { changeCredential, type Credential, type LoginCredential, readCredentials } from "./store.ts";
import type { AuthDeps } from "./token.ts";

/** A token that ends within this time is renewed before it is used. */
const EARLY_MS = 120_000;

/** A kept credential as the key of requests. */
export interface KeptKey {
  /** The key, renewed where it is about to end. */
  get(): Promise<string | undefined>;
  /** A fresh one, after the server refused `get`'s; undefined where there is none to be had. */
  renew(): Promise<string | undefined>;
}

/**
 * The key that is kept for a provider. A renewal happens under the file's
 * lock; who waited for the lock takes what the other has brought.
 */
export function keptKey(path: string, provider: string, deps?: AuthDeps): KeptKey {
  const real = async () => deps ?? (await import("./token.ts")).REAL;
  const refresh = async (login: LoginCredential) =>
    await (await import("./token.ts")).refreshLogin(login, await real());
  const now = deps?.now ?? Date.now;
  let last: string | undefined;
  const secret = (credential: Credential | undefined): string | undefined =>
    last = credential?.type === "key" ? credential.key : credential?.accessToken;
  const ends = (login: LoginCredential) => login.expires !== undefined && login.expires - EARLY_MS <= now();
  return {
    async get() {
      const present = readCredentials(path)[provider];
      if (present?.type !== "login" || !ends(present) || present.refreshToken === undefined) {
        return secret(present);
      }
      return secret(
        await changeCredential(
          path,
          provider,
          (kept) => kept?.type === "login" && ends(kept) ? refresh(kept) : kept,
        ),
      );
    },
    async renew() {
      const refused = last;
      const next = await changeCredential(path, provider, (kept) => {
        if (kept?.type !== "login" || kept.refreshToken === undefined) return kept;
        // Another program has renewed it meanwhile.
        return kept.accessToken === refused || refused === undefined ? refresh(kept) : kept;
      });
      const key = secret(next);
      return key === refused ? undefined : key;
    },
  };
}
