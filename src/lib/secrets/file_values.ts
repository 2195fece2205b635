/**
 * The values in a file that holds secrets: `.env` and its kin, INI, YAML, JSON,
 * netrc, keys. Not every value of such a file is a secret (`PORT=3000`), and
 * one that is met everywhere must not be taken for one.
 */
import type { Secret } from "./vault.ts";

/** Names whose values are secret whatever they look like. */
export const SECRET_NAME =
  /(^|[_.-]|[a-z](?=[A-Z]))(API_?KEY|KEY|TOKEN|SECRET|SECRETS|PASS|PASSWD|PASSWORD|PASSPHRASE|PWD|PAT|CREDENTIALS?|AUTH|COOKIE|SALT|DSN|WEBHOOK|ACCESS_?KEY(_ID)?|PRIVATE_?KEY|CONNECTION_?STRING|DATABASE_URL|REDIS_URL|MONGO(DB)?_UR[IL])$/i;

/** Values that say that there is none, or that it is to be filled in. */
const PLACEHOLDER =
  /^(development|production|staging|localhost|postgres|postgresql|mysql|mariadb|mongo|mongodb|redis|rabbitmq|root|admin|user|username|guest|nobody|anonymous|public|private|true|false|null|none|undefined|yes|no|on|off|changeme|change[-_]?me|password|passwd|secret|token|example|test|testing|dummy|default|placeholder|todo|tbd|x{3,}|\*{3,}|\.{3,}|<.*>|\$\{.*\}|\$[A-Z_]+|your[-_ ].*|my[-_]?(secret|password|key|token))$/i;

/** Words, hosts, versions, places: what settings hold beside secrets. */
function isOrdinary(value: string): boolean {
  if (/^[\d.,:_+-]+(ms|s|m|h|d|[kmg]i?b?|%)?$/i.test(value)) return true;
  if (/^[a-z]+([-_./: ][a-z0-9]{1,12})*$/.test(value) && value.replace(/\D/g, "").length <= 3) return true;
  // Names of things: letters alone, and not many.
  if (/^[A-Za-z]+([-_. ][A-Za-z]+)*$/.test(value) && value.length <= 24) return true;
  if (/^(\.{0,2}|~)\/|^[A-Za-z]:[\\/]/.test(value) && !/\s/.test(value)) return true;
  if (/^[a-z][a-z0-9+.-]*:\/\/[^@]*$/i.test(value)) return true;
  if (/^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(value)) return true;
  return /^([\w-]+\.)+[a-z]{2,}(:\d+)?$/.test(value);
}

/**
 * Whether a value under that name is to be kept back. `strict`: only for its
 * name; else also a value that looks like nothing ordinary.
 */
export function isSecretValue(name: string, value: string, strict = false): boolean {
  if (value.length < 6 || PLACEHOLDER.test(value)) return false;
  if (SECRET_NAME.test(name)) return !/^\d{1,5}$|^(\.{0,2}|~)\//.test(value);
  return !strict && value.length >= 8 && !isOrdinary(value);
}

const LINE = /^\s*(?:export\s+)?["']?([A-Za-z_][\w.-]*)["']?\s*[:=]\s*(.*?)\s*,?\s*$/;
const IN_ADDRESS = /:\/\/[^\s/:@]*:([^\s/@]{3,})@/;

/** Files that hold little but secrets: there an odd value is one, whatever its name. */
const ONLY_SECRETS = /^(\.env(\..+)?|.+\.env|\.dev\.vars|\.?secrets?\..+)$/i;

/** The secrets in the text of a file of that name. */
export function secretsIn(text: string, fileName: string): Secret[] {
  const strict = !ONLY_SECRETS.test(fileName);
  const out: Secret[] = [];
  const add = (name: string, value: string) => {
    const password = IN_ADDRESS.exec(value)?.[1];
    if (password !== undefined) out.push({ name: `${name} PASSWORD`, value: password });
    if (isSecretValue(name, value, strict)) out.push({ name, value });
  };
  const lines = text.split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (/^-----BEGIN [A-Z0-9 ]*PRIVATE KEY/.test(line)) {
      i = privateKey(lines, i, out);
      continue;
    }
    if (/^\s*(#|;|\/\/)/.test(line)) continue;
    const match = /^[a-z+]+:\/\//.test(line) ? null : LINE.exec(line);
    if (match !== null) {
      const value = unquoted(match[2], lines, i);
      add(match[1], value);
      continue;
    }
    // netrc: `machine x login y password z`; git-credentials: an address a line.
    for (const [, kind, value] of line.matchAll(/\b(password|_authToken)[= \t]+(\S+)/g)) {
      add(kind.toUpperCase(), value);
    }
    const password = IN_ADDRESS.exec(line)?.[1];
    if (password !== undefined) out.push({ name: "PASSWORD", value: password });
  }
  // npm writes names that are addresses.
  for (const [, value] of text.matchAll(/_(?:authToken|auth|password)\s*=\s*"?([^\s"]+)/g)) {
    if (!PLACEHOLDER.test(value)) out.push({ name: "NPM_TOKEN", value });
  }
  if (/^\s*[[{]/.test(text)) json(text, add);
  return out;
}

function unquoted(raw: string, lines: readonly string[], at: number): string {
  const quote = raw[0];
  if (quote === '"' || quote === "'" || quote === "`") {
    const end = raw.indexOf(quote, 1);
    if (end > 0) {
      return quote === '"'
        ? raw.slice(1, end).replace(/\\n/g, "\n").replace(/\\(.)/g, "$1")
        : raw.slice(1, end);
    }
    // A value of several lines.
    let value = raw.slice(1);
    for (let i = at + 1; i < Math.min(lines.length, at + 100); i++) {
      const stop = lines[i].indexOf(quote);
      if (stop >= 0) return `${value}\n${lines[i].slice(0, stop)}`;
      value += `\n${lines[i]}`;
    }
    return raw;
  }
  return raw.replace(/\s+#.*$/, "").trim();
}

/** The lines of a private key, each by itself: any of them may be shown alone. */
function privateKey(lines: readonly string[], from: number, out: Secret[]): number {
  let i = from + 1;
  for (; i < lines.length && !lines[i].startsWith("-----END "); i++) {
    const line = lines[i].trim();
    if (line.length >= 24 && /^[A-Za-z0-9+/=]+$/.test(line)) out.push({ name: "PRIVATE_KEY", value: line });
  }
  return i;
}

function json(text: string, add: (name: string, value: string) => void): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return; // its lines were read already
  }
  const walk = (node: unknown, name: string, depth: number): void => {
    if (depth > 12) return;
    if (typeof node === "string") add(name, node);
    else if (Array.isArray(node)) node.forEach((item) => walk(item, name, depth + 1));
    else if (typeof node === "object" && node !== null) {
      for (const [key, item] of Object.entries(node)) walk(item, key, depth + 1);
    }
  };
  walk(value, "SECRET", 0);
}

/** Names of files that hold secrets, wherever they stand. */
const SECRET_FILE =
  /^(\.env(\..+)?|.+\.env|\.envrc|\.dev\.vars|\.?secrets?\.(env|ya?ml|json|toml|ini|txt)|credentials(\.(json|ya?ml|ini|toml))?|.*service[-_]?account.*\.json|\.npmrc|\.netrc|_netrc|\.pypirc|\.pgpass|\.git-credentials|.+\.tfvars|id_(rsa|dsa|ecdsa|ed25519)|.+\.(pem|key|ppk))$/i;
/** Of those: examples to be copied. */
const EXAMPLE =
  /\.(example|sample|template|dist|defaults?|tpl)$|(^|[._-])(example|sample|template)([._-]|$)/i;

/** Whether a file of that name holds secrets. */
export function isSecretFile(name: string): boolean {
  return SECRET_FILE.test(name) && !EXAMPLE.test(name) && !/\.(pub|md)$/i.test(name);
}
