/**
 * The errors of requests whose answer did not come, or not whole: what the
 * runtime says of the network is put into words with a remedy, and tried again
 * only where that helps.
 */
import { describe } from "../lib/errors.ts";
import { type Asked, LATER, publicUrl, quote } from "./asked.ts";
import { LlmError } from "./errors.ts";

/** The error of a request that got no answer. `cause` is what `fetch` threw. */
export function networkError(asked: Asked, cause: unknown): LlmError {
  const text = causes(cause).replaceAll(asked.url, publicUrl(asked.url));
  if (/invalid url|scheme .* not supported|relative url/i.test(text)) {
    return new LlmError(
      "bad_request",
      `baseUrl of provider "${asked.provider}" is no URL: ${publicUrl(asked.url)}`,
      {
        hint: "It should begin with http:// or https://.",
      },
    );
  }
  if (/port \d+ (?:is|are) blocked/i.test(text)) {
    return new LlmError(
      "bad_request",
      `The port of provider "${asked.provider}" is one that the runtime never connects to: ${
        publicUrl(asked.url)
      }`,
      { hint: "Let the server listen on another port, such as 8080, and correct baseUrl in the settings." },
    );
  }
  const fault = FAULTS.find(({ wording }) => wording.test(text));
  const what = fault?.what ?? quote(lastClause(text), asked, 160);
  const detail = fault?.quoted ? ` (${quote(lastClause(text), asked, 120)})` : "";
  return new LlmError(
    "network",
    `Cannot reach provider "${asked.provider}" at ${publicUrl(asked.url)}: ${what}${detail}`,
    {
      cause: withoutUrl(cause, text, asked),
      hint: fault?.hint ?? "Check the network and baseUrl in the settings.",
      ...(fault?.retries === undefined
        ? {}
        : fault.retries === 0
        ? { retryable: false }
        : { retryLimit: fault.retries }),
    },
  );
}

interface NetworkFault {
  readonly wording: RegExp;
  readonly what: string;
  /** What the runtime says is worth showing too. */
  readonly quoted?: true;
  readonly hint?: string;
  /** How often it is worth another try; absent: as often as any. */
  readonly retries?: number;
}

/** What the runtime says when no connection comes to be, the first that fits. */
const FAULTS: readonly NetworkFault[] = [
  {
    wording: /proxy auth/i,
    what: "the proxy wants a name and a password",
    hint: "Put them into HTTPS_PROXY: http://NAME:PASSWORD@HOST:PORT.",
    retries: 0,
  },
  {
    // A server that is not there seldom appears within a minute.
    wording: /refused|ECONNREFUSED/i,
    what: "connection refused",
    hint: "Start the server, or correct baseUrl in the settings (or HTTPS_PROXY, where one is set).",
    retries: 2,
  },
  { wording: /dns|ENOTFOUND|lookup|name or service/i, what: "the host name is not known", retries: 2 },
  {
    wording: /peer certificate|UnknownIssuer/i,
    what: "no trusted connection",
    quoted: true,
    hint:
      "Where a company or a server of your own has signed it, name the file with that certificate in DENO_CERT.",
    retries: 0,
  },
  {
    wording: /InvalidContentType|wrong version number/i,
    what: "it does not speak https",
    hint: "Try http:// in baseUrl in the settings.",
    retries: 0,
  },
  {
    wording: /invalid HTTP version|HTTP\/0\.9/i,
    what: "it does not speak http",
    hint: "Try https:// in baseUrl in the settings.",
    retries: 0,
  },
  { wording: /certificate|tls|ssl/i, what: "no trusted connection", quoted: true, retries: 2 },
  {
    wording: /proxy|tunnel/i,
    what: "the proxy refuses",
    quoted: true,
    hint: "Check HTTPS_PROXY.",
    retries: 2,
  },
];

/** The error of a stream that broke off: the connection went, or the data ended before the answer did. */
export function brokenStream(asked: Asked, what: string, cause?: unknown): LlmError {
  return new LlmError("network", `Provider "${asked.provider}": ${what}`, {
    hint: LATER,
    ...(cause === undefined ? {} : { cause: withoutUrl(cause, causes(cause), asked) }),
  });
}

/** The messages of an error and its causes, outermost first. */
function causes(error: unknown): string {
  const texts: string[] = [];
  for (
    let at = error;
    at !== undefined && texts.length < 5;
    at = at instanceof Error ? at.cause : undefined
  ) {
    texts.push(describe(at));
  }
  return texts.join(": ");
}

/** What a chain such as "error sending request for url (…): client error (Connect): X" ends with. */
function lastClause(text: string): string {
  return text.replace(/^.*?\(https?:[^)]*\):?\s*/s, "").replace(/^.*?client error \(\w+\):\s*/s, "");
}

/** The runtime puts the whole URL into its message, and a key may be in that: such a cause is replaced. */
function withoutUrl(cause: unknown, text: string, asked: Asked): unknown {
  return /https?:|@|\?/.test(text) || asked.secrets.some((secret) => text.includes(secret))
    ? new Error(quote(lastClause(text), asked))
    : cause;
}
