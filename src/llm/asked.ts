/**
 * What messages about a server say of it. Every text that came from outside is
 * cut, flattened, and freed of the secrets that went out with the request:
 * servers like to echo keys.
 */

/** Who was asked, for messages; `secrets` never appear in one. */
export interface Asked {
  /** Name of the provider entry in the settings. */
  readonly provider: string;
  /** Messages show it through {@link publicUrl}. */
  readonly url: string;
  readonly secrets: readonly string[];
  readonly keySource?: string;
}

/** A URL without what may be secret in it. */
export function publicUrl(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/@]*@/i, "$1").replace(/[?#].*$/s, "");
}

/** Text from outside on one line, short, without the secrets. */
export function quote(text: string, asked: Asked, max = 300): string {
  let clean = text;
  for (const secret of asked.secrets) {
    if (secret.length >= 6) clean = clean.replaceAll(secret, "[secret]");
  }
  clean = clean.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return clean.length > max ? `${clean.slice(0, max)}…` : clean;
}

/** The remedy for what is only so for now. */
export const LATER = "Try again later, or use another model.";
