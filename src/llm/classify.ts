/**
 * From what a server said to one LlmError: by status first, by words where a
 * status has two meanings. Every message names the provider and is one line.
 */
import { isRecord } from "../lib/json.ts";
import { type Asked, LATER, publicUrl, quote } from "./asked.ts";
import { LlmError, type LlmErrorCode } from "./errors.ts";
import { saysOverflow } from "./overflow.ts";

/** The error of an answer with a status of 400 or more. `body` is its text, perhaps cut. */
export function httpError(
  asked: Asked,
  status: number,
  headers: Headers,
  body: string,
  now: number = Date.now(),
): LlmError {
  const said = bodyError(body);
  const text = quote(said.message, asked);
  // A firewall, a login page, a wrong address: nothing that a key would change.
  if (status === 403 && /^\s*</.test(body)) {
    return new LlmError(
      "auth",
      `A web page answers in place of provider "${asked.provider}" (403: ${text})`,
      {
        status,
        hint: `Check baseUrl (${
          publicUrl(asked.url)
        }), and whether a firewall, a proxy or a VPN is in between.`,
      },
    );
  }
  return classified(asked, status, `${status}${text === "" ? "" : `: ${text}`}`, said, {
    retryAfterMs: retryAfter(headers, now) ?? (status === 429 ? waitInWords(said.message) : undefined),
  });
}

/** The error of an object that a server put into a stream which had begun well. */
export function streamError(asked: Asked, error: unknown): LlmError {
  const said = objectError(error);
  const text = quote(said.message, asked) || "no reason given";
  const retryAfterMs = waitInWords(said.message);
  return classified(asked, said.status ?? statusOfType(said.type), text, said, {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Milliseconds that `retry-after` asks for, as seconds or as an HTTP date; undefined where it says nothing. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const exact = Number(headers.get("retry-after-ms") ?? NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers.get("retry-after")?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** "Please try again in 1.2s", "in 340ms", "in 1m30s": what a text asks to wait. */
function waitInWords(text: string): number | undefined {
  const match = /(?:try again|retry) in (?:(\d+)m(?!s))?\s*(?:(\d+(?:\.\d+)?) ?(ms|s)\b)?/i.exec(text);
  if (match === null || (match[1] === undefined && match[2] === undefined)) return undefined;
  const rest = Number(match[2] ?? 0) * (match[3]?.toLowerCase() === "ms" ? 1 : 1000);
  return Number(match[1] ?? 0) * 60_000 + rest;
}

interface Said {
  readonly message: string;
  /** Codes and types, joined, for telling kinds apart. */
  readonly type: string;
  readonly status?: number;
}

function classified(
  asked: Asked,
  status: number,
  text: string,
  said: Said,
  options: { readonly retryAfterMs?: number },
): LlmError {
  const { provider } = asked;
  const common = { status, ...(options.retryAfterMs === undefined ? {} : options) };
  const words = `${said.type} ${said.message}`;
  if (status === 401 || status === 403) return authError(asked, status, text);
  if (status === 400 && /\b(?:API[ _]key[ _](?:not valid|invalid)|invalid[ _]api[ _]key)\b/i.test(words)) {
    return authError(asked, status, text);
  }
  if (
    /insufficient_quota|billing|credit balance|insufficient (?:balance|credits)/i.test(words) ||
    status === 402
  ) {
    return new LlmError("rate_limit", `Provider "${provider}" wants to be paid first (${text})`, {
      ...common,
      retryable: false,
      hint: "Check the plan and the credit of the account, or use another model.",
    });
  }
  if (status !== 429 && (status === 413 || saysOverflow(words))) {
    const whom = saysOverflow(words) ? "the model of provider" : "the server of provider";
    return new LlmError(
      "overflow",
      `The request is too large for ${whom} "${provider}" (${text})`,
      {
        ...common,
        hint: "Start a new session, or use a model with a larger context window.",
      },
    );
  }
  const [code, verb] = byStatus(status);
  const hint = /(?:does not|doesn't|not) support(?:ed)? (?:tools|tool use|function call)/i.test(words)
    ? "Use a model that can call tools, or --no-tools for a question without them."
    : status === 404 || status === 405
    ? `Check the model's name (myelin models --live ${provider}) and baseUrl in the settings; asked was ${
      publicUrl(asked.url)
    }.`
    : status === 407
    ? "Put the proxy's name and password into HTTPS_PROXY: http://NAME:PASSWORD@HOST:PORT."
    : code === "bad_request"
    ? 'What the server does not take can be changed or, with null, left out by "options" of the model in the settings.'
    : LATER;
  return new LlmError(code, `Provider "${provider}" ${verb} (${text})`, { ...common, hint });
}

function byStatus(status: number): readonly [LlmErrorCode, string] {
  if (status === 429) return ["rate_limit", "limits requests"];
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return ["overloaded", "cannot answer now"];
  }
  return ["bad_request", "refuses the request"];
}

function authError(asked: Asked, status: number, text: string): LlmError {
  const sent = asked.secrets.length > 0;
  const what = status === 403
    ? "denies access"
    : sent
    ? "refuses the API key"
    : "wants an API key and none is set";
  const where = asked.keySource ?? `apiKey of "${asked.provider}" in the settings`;
  return new LlmError("auth", `Provider "${asked.provider}" ${what} (${text})`, {
    status,
    hint: status === 403
      ? `Check that the key (${where}) may use this model.`
      : sent
      ? `Correct ${where}.`
      : where.startsWith("myelin ")
      ? `Log in: ${where}.`
      : `Set ${where}.`,
  });
}

/** The status that a named kind of error stands for; 503, which is tried again, where the name says nothing. */
function statusOfType(type: string): number {
  if (/auth|permission|invalid_api_key/i.test(type)) return 401;
  if (/rate_?limit|quota|too_many/i.test(type)) return 429;
  if (/not_found/i.test(type)) return 404;
  if (/invalid_request|bad_?request|invalid_argument|context_length/i.test(type)) return 400;
  return 503;
}

function bodyError(body: string): Said {
  try {
    return objectError(JSON.parse(body));
  } catch {
    // Not JSON: a page of a proxy, or plain text.
  }
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1];
  const visible = body.replace(/<(style|script)\b[\s\S]*?<\/\1\s*>/gi, " ").replace(/<[^>]*>/g, " ");
  return { message: title ?? visible, type: "" };
}

/** Reads the many shapes of an error object: {error: {…}}, {error: "…"}, {message}, {detail}, [{error}]. */
function objectError(value: unknown): Said {
  if (typeof value === "string") return { message: value, type: "" };
  if (Array.isArray(value)) return value.length > 0 ? objectError(value[0]) : { message: "", type: "" };
  if (!isRecord(value)) return { message: "", type: "" };
  if (value.error !== undefined && value.error !== null) {
    const inner = objectError(value.error);
    return inner.message === "" && typeof value.message === "string"
      ? { ...inner, message: value.message }
      : inner;
  }
  const metadata = isRecord(value.metadata) ? value.metadata : {};
  const raw = typeof metadata.raw === "string" ? metadata.raw : "";
  const detail = typeof value.detail === "string"
    ? value.detail
    : Array.isArray(value.detail)
    ? value.detail.map((item) => isRecord(item) && typeof item.msg === "string" ? item.msg : "").join("; ")
    : "";
  const message = typeof value.message === "string" ? value.message : detail;
  const type = [value.type, value.code, value.status, metadata.error_type]
    .filter((part) => typeof part === "string").join(" ");
  const status = [value.code, value.status, value.status_code].map(Number)
    .find((code) => code >= 400 && code < 600);
  return {
    // OpenRouter and other gateways hide the real reason behind a general one.
    message: raw !== "" && raw !== message ? `${message}: ${raw}` : message,
    type,
    ...(status === undefined ? {} : { status }),
  };
}
