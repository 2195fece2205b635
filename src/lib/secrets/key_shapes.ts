/**
 * Text that is a key by its shape, whatever it is called: prefixes that
 * services give their keys, tokens, private keys, passwords in addresses, and
 * assignments to a name that says so. Nothing here goes by randomness alone,
 * so that hashes, identifiers and encoded data stay what they are.
 */

/** `start` and `end` are indexes into the text; what stands around the key is not in it. */
export interface FoundKey {
  readonly start: number;
  readonly end: number;
  /** What the mark calls it. */
  readonly name: string;
}

interface Shape {
  readonly name: string;
  /** Sticky: tried where the trigger stands. */
  readonly pattern: RegExp;
  /** A sure sign that a match is none. */
  readonly not?: RegExp;
}

const B = "(?![A-Za-z0-9_-])";

/** By the text that each begins with. */
const PREFIXED: readonly (readonly [start: string, name: string, rest: string])[] = [
  ["AKIA", "AWS_KEY_ID", "[0-9A-Z]{16}(?![0-9A-Za-z])"],
  ["ASIA", "AWS_KEY_ID", "[0-9A-Z]{16}(?![0-9A-Za-z])"],
  ["ghp_", "GITHUB_TOKEN", "[A-Za-z0-9]{36,255}"],
  ["gho_", "GITHUB_TOKEN", "[A-Za-z0-9]{36,255}"],
  ["ghu_", "GITHUB_TOKEN", "[A-Za-z0-9]{36,255}"],
  ["ghs_", "GITHUB_TOKEN", "[A-Za-z0-9]{36,255}"],
  ["ghr_", "GITHUB_TOKEN", "[A-Za-z0-9]{36,255}"],
  ["github_pat_", "GITHUB_TOKEN", "[A-Za-z0-9_]{22,255}"],
  ["glpat-", "GITLAB_TOKEN", "[A-Za-z0-9_-]{20,255}"],
  ["xoxb-", "SLACK_TOKEN", "[A-Za-z0-9-]{10,255}"],
  ["xoxp-", "SLACK_TOKEN", "[A-Za-z0-9-]{10,255}"],
  ["xoxa-", "SLACK_TOKEN", "[A-Za-z0-9-]{10,255}"],
  ["xapp-", "SLACK_TOKEN", "[A-Za-z0-9-]{10,255}"],
  ["sk-ant-", "API_KEY", "[A-Za-z0-9_-]{16,255}"],
  ["sk-proj-", "API_KEY", "[A-Za-z0-9_-]{16,255}"],
  ["sk-or-", "API_KEY", "[A-Za-z0-9_-]{16,255}"],
  // A word with hyphens is none: there is a digit early on.
  ["sk-", "API_KEY", "(?=[A-Za-z_-]{0,24}[0-9])[A-Za-z0-9_-]{20,255}"],
  ["sk_live_", "STRIPE_KEY", "[A-Za-z0-9]{16,255}"],
  ["sk_test_", "STRIPE_KEY", "[A-Za-z0-9]{16,255}"],
  ["rk_live_", "STRIPE_KEY", "[A-Za-z0-9]{16,255}"],
  ["whsec_", "WEBHOOK_SECRET", "[A-Za-z0-9+/=]{16,255}"],
  ["AIza", "GOOGLE_KEY", "[A-Za-z0-9_-]{35}" + B],
  ["ya29.", "GOOGLE_TOKEN", "[A-Za-z0-9_-]{20,2048}"],
  ["GOCSPX-", "GOOGLE_SECRET", "[A-Za-z0-9_-]{24,64}"],
  ["npm_", "NPM_TOKEN", "[A-Za-z0-9]{36}" + B],
  ["pypi-AgE", "PYPI_TOKEN", "[A-Za-z0-9_-]{40,1024}"],
  ["hf_", "HF_TOKEN", "[A-Za-z0-9]{30,64}" + B],
  ["xai-", "API_KEY", "[A-Za-z0-9]{32,255}"],
  ["gsk_", "API_KEY", "[A-Za-z0-9]{32,255}"],
  ["SG.", "SENDGRID_KEY", "[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,128}"],
  ["dop_v1_", "DIGITALOCEAN_TOKEN", "[a-f0-9]{64}"],
  ["shpat_", "SHOPIFY_TOKEN", "[a-fA-F0-9]{32}"],
  ["lin_api_", "LINEAR_KEY", "[A-Za-z0-9]{32,64}"],
  ["AGE-SECRET-KEY-1", "AGE_KEY", "[0-9A-Z]{58}"],
  ["eyJ", "TOKEN", "[A-Za-z0-9_-]{8,4096}\\.eyJ[A-Za-z0-9_-]{8,8192}\\.[A-Za-z0-9_-]{8,2048}"],
];

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\-]/g, "\\$&");

const SHAPES: ReadonlyMap<string, Shape> = new Map(
  PREFIXED.map(([start, name, rest]) => [start, { name, pattern: new RegExp(escaped(start) + rest, "y") }]),
);

/** Where one may begin. */
const TRIGGER = new RegExp(
  `${PREFIXED.map(([start]) => start).sort((a, b) => b.length - a.length).map(escaped).join("|")}`,
  "g",
);

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PRIVATE_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PRIVATE_MAX = 16 * 1024;

/** A password between the name and the host of an address. */
const IN_ADDRESS = /:\/\/[^\s/:@"'<>]{0,128}:([^\s/@"'<>]{3,256})@[\w.[-]/dg;
const BEARER = /\b(?:Bearer|Basic|Token)[ \t]+([A-Za-z0-9+/_.~-]{20,2048}={0,2})/dgi;
/** `API_KEY=…`, `"password": "…"`, `token: '…'`: a value in quotes, or one of a line in capitals. The name's beginning is looked for afterwards. */
const ASSIGNED =
  /(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|AUTH_?KEY|CREDENTIAL)S?["']?[ \t]{0,4}(?:=|:|=>)[ \t]{0,4}(?:(["'])([^\s"'\\]{12,512})\1|([^\s"'\\;,(){}<>[\]]{12,512})(?=$|[\s;,]))/gim;

/** What introduces a key that is not there yet, at the end of a text that comes in pieces. */
export const LEAD =
  /(?:(?:Bearer|Basic|Token)[ \t]+|(?:SECRET|TOKEN|PASSWORD|PASSWD|KEY|CREDENTIAL)S?["']?[ \t]{0,4}(?:=|:|=>)?[ \t]{0,4})$/i;

/** The shortest text that can hold one: `://:abc@h`. */
const SHORTEST = 9;

/** Finds what is a key by its shape. Ordered; never overlapping. */
export function findKeys(text: string): FoundKey[] {
  const found: FoundKey[] = [];
  if (text.length < SHORTEST) return found;
  privateKeys(text, found);
  TRIGGER.lastIndex = 0;
  for (let match = TRIGGER.exec(text); match !== null; match = TRIGGER.exec(text)) {
    const shape = SHAPES.get(match[0])!;
    // Not in the middle of a word.
    const end = /[A-Za-z0-9_]/.test(text[match.index - 1] ?? " ")
      ? undefined
      : endOf(shape, text, match.index);
    if (end === undefined) {
      TRIGGER.lastIndex = match.index + 1;
      continue;
    }
    found.push({ start: match.index, end, name: shape.name });
    TRIGGER.lastIndex = end;
  }
  if (text.includes("://")) groups(text, IN_ADDRESS, "PASSWORD", found, isReal);
  groups(text, BEARER, "TOKEN", found, isRandom);
  assigned(text, found);
  return disjoint(found);
}

function endOf({ pattern }: Shape, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function privateKeys(text: string, found: FoundKey[]): void {
  if (!text.includes("PRIVATE KEY")) return;
  for (const match of text.matchAll(PRIVATE_KEY)) {
    PRIVATE_END.lastIndex = match.index;
    const end = PRIVATE_END.exec(text);
    // Cut off: whatever follows is still the key.
    const to = end !== null && end.index - match.index <= PRIVATE_MAX
      ? end.index + end[0].length
      : Math.min(text.length, match.index + PRIVATE_MAX);
    found.push({ start: match.index, end: to, name: "PRIVATE_KEY" });
  }
}

function groups(
  text: string,
  pattern: RegExp,
  name: string,
  found: FoundKey[],
  counts: (value: string) => boolean,
): void {
  if (!isIn(text, pattern)) return;
  for (const match of text.matchAll(pattern)) {
    const [start, end] = match.indices![1]!;
    if (counts(match[1])) found.push({ start, end, name });
  }
}

/** Most texts hold none: `matchAll` would compile the pattern anew to find that out. */
function isIn(text: string, pattern: RegExp): boolean {
  pattern.lastIndex = 0;
  const found = pattern.test(text);
  pattern.lastIndex = 0;
  return found;
}

function assigned(text: string, found: FoundKey[]): void {
  if (!isIn(text, ASSIGNED)) return;
  for (const match of text.matchAll(ASSIGNED)) {
    const [whole, quote, quoted, bare] = match;
    let from = match.index;
    while (from > 0 && match.index - from < 40 && /[A-Za-z0-9_-]/.test(text[from - 1])) from--;
    const name = /^[A-Za-z0-9_-]*/.exec(text.slice(from, match.index + whole.length))![0];
    // Without quotes only what looks like a variable of an environment, not a line of a program.
    if (quote === undefined && name !== name.toUpperCase()) continue;
    const value = quoted ?? bare;
    if (!isRandom(value)) continue;
    const start = match.index + whole.lastIndexOf(value);
    found.push({ start, end: start + value.length, name: name.toUpperCase().replace(/[^A-Z0-9]+/g, "_") });
  }
}

/** Whether a value is one, and not the place of one. */
function isReal(value: string): boolean {
  return !/^(\$|%|<|\{|\*+$|x{3,}$|\.{3})|^\[hidden: /i.test(value) &&
    !/^(password|passwd|pass|pw|secret|token)$/i.test(value);
}

/** Letters and digits well mixed: no name, no sentence, no path, no call. */
function isRandom(value: string): boolean {
  if (!isReal(value) || !/^[A-Za-z0-9+/_=.:~@!#$%^&*-]+$/.test(value)) return false;
  const digits = value.replace(/[^0-9]/g, "").length;
  if (digits < 2 || !/[A-Za-z]/.test(value)) return false;
  if (/^(https?:|\.{0,2}\/)/.test(value) || /(^|[./])[a-z]+\.[a-z]{2,4}$/.test(value)) return false;
  return new Set(value).size >= 8;
}

function disjoint(found: FoundKey[]): FoundKey[] {
  if (found.length < 2) return found;
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const out: FoundKey[] = [];
  for (const key of found) if (out.length === 0 || key.start >= out[out.length - 1].end) out.push(key);
  return out;
}
