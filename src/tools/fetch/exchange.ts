/**
 * One HTTP/1.1 request over a connection to an address that was looked at
 * before: the runtime's own client would resolve the name again, and another
 * answer could lead elsewhere. Bounded in size; ended by its signal. Through
 * a proxy it is the proxy that connects, and says to whom.
 */
import { concatBytes } from "../../lib/bytes.ts";
import type { Proxy } from "./proxy.ts";

/** Where to connect and what to ask for: everything about it was judged before. */
interface ExchangeRequest {
  /** An IP address; through a proxy the name, which only the proxy may be able to resolve. */
  readonly address: string;
  readonly port: number;
  readonly proxy?: Proxy;
  /** The name that the certificate must be for; undefined: without TLS. */
  readonly tls: string | undefined;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Redirects are answers like others. Of the body the chunks are joined; what it is encoded in stays. */
export interface ExchangeResponse {
  readonly status: number;
  /** Names in lower case; of a repeated one the first. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
  /** There was more than `maxBytes`. */
  readonly cut: boolean;
}

/** What came was no HTTP. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
}

const MAX_HEAD = 64 * 1024;
const decoder = new TextDecoder();

/** Makes one request and closes the connection. Throws {@link ExchangeError}, the system's error where nothing could be reached, or the signal's reason. */
export async function exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
  const { signal } = request;
  signal.throwIfAborted();
  const { proxy } = request;
  const plain = await Deno.connect({
    hostname: proxy?.hostname ?? request.address,
    port: proxy?.port ?? request.port,
    transport: "tcp",
  }).catch((error: Error) => {
    throw proxy === undefined ? error : new ExchangeError(`the proxy cannot be reached: ${error.message}`);
  });
  let conn: Deno.Conn = plain;
  const close = () => {
    try {
      conn.close();
    } catch {
      // Closed already: by the other side, or by the abort.
    }
  };
  signal.addEventListener("abort", close, { once: true });
  try {
    if (request.tls !== undefined) {
      if (proxy !== undefined) await openTunnel(plain, request, proxy);
      conn = await Deno.startTls(plain, { hostname: request.tls, alpnProtocols: ["http/1.1"] });
    }
    // Without TLS it is the proxy that reads the head: it is told the whole URL, and who asks.
    const asked = proxy !== undefined && request.tls === undefined;
    await writeHead(conn, `GET ${asked ? `http://${placeOf(request)}` : ""}${request.target} HTTP/1.1`, {
      ...request.headers,
      ...(asked ? authorizationOf(proxy) : {}),
      Connection: "close",
    });
    const response = await readResponse(new Input(conn), request.maxBytes);
    if (asked && response.status === 407) throw new ExchangeError(refusedBy(407));
    return response;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}

/** Asks the proxy for a connection to the host; what is written then goes there. */
async function openTunnel(conn: Deno.Conn, request: ExchangeRequest, proxy: Proxy): Promise<void> {
  const place = placeOf(request);
  const agent = request.headers["User-Agent"];
  await writeHead(conn, `CONNECT ${place} HTTP/1.1`, {
    Host: place,
    ...(agent === undefined ? {} : { "User-Agent": agent }),
    ...authorizationOf(proxy),
  });
  // The host says nothing before it is spoken to: no byte of it can come with this answer.
  const input = new Input(conn);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(await input.line() ?? "")?.[1] ?? NaN);
  if (Number.isNaN(status)) throw new ExchangeError("the proxy's answer is not HTTP");
  await readHeaders(input);
  if (status < 200 || status > 299) throw new ExchangeError(refusedBy(status));
}

function refusedBy(status: number): string {
  return status === 407
    ? "the proxy wants a name and a password (407): http://NAME:PASSWORD@HOST:PORT in HTTPS_PROXY or HTTP_PROXY"
    : `the proxy refuses to connect (${status})`;
}

function placeOf({ address, port }: ExchangeRequest): string {
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}

function authorizationOf({ authorization }: Proxy): Readonly<Record<string, string>> {
  return authorization === undefined ? {} : { "Proxy-Authorization": authorization };
}

async function writeHead(
  conn: Deno.Conn,
  line: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  await writeAll(conn, new TextEncoder().encode([line, ...lines, "", ""].join("\r\n")));
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}

/** Bytes as they come, with a place to go back to. */
class Input {
  readonly #conn: Deno.Conn;
  #buffer = new Uint8Array(0);

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  async #more(): Promise<boolean> {
    const chunk = new Uint8Array(32 * 1024);
    let length: number | null;
    try {
      length = await this.#conn.read(chunk);
    } catch (error) {
      // Many servers end TLS without saying so.
      if (!(error instanceof Deno.errors.UnexpectedEof)) throw error;
      length = null;
    }
    if (length === null) return false;
    const joined = new Uint8Array(this.#buffer.length + length);
    joined.set(this.#buffer);
    joined.set(chunk.subarray(0, length), this.#buffer.length);
    this.#buffer = joined;
    return true;
  }

  /** A line without its end; undefined at the end of input. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const at = this.#buffer.indexOf(0x0a);
      if (at >= 0) {
        const line = decoder.decode(this.#buffer.subarray(0, at)).replace(/\r$/, "");
        this.#buffer = this.#buffer.slice(at + 1);
        return line;
      }
      if (this.#buffer.length > MAX_HEAD) throw new ExchangeError("the answer has a line without an end");
      if (!await this.#more()) return undefined;
    }
  }

  /** At most `length` bytes, at least one; none at the end. */
  async some(length: number): Promise<Uint8Array> {
    if (this.#buffer.length === 0 && !await this.#more()) return this.#buffer;
    const part = this.#buffer.slice(0, length);
    this.#buffer = this.#buffer.slice(part.length);
    return part;
  }
}

async function readResponse(input: Input, maxBytes: number): Promise<ExchangeResponse> {
  for (;;) {
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(await input.line() ?? "");
    if (status === null) throw new ExchangeError("the answer is not HTTP");
    const headers = await readHeaders(input);
    // 100 Continue and the like come before the answer itself.
    if (Number(status[1]) < 200) continue;
    const body = new Body(maxBytes);
    await readBody(input, Number(status[1]), headers, body);
    return { status: Number(status[1]), headers, ...body.end() };
  }
}

async function readHeaders(input: Input): Promise<Map<string, string>> {
  const headers = new Map<string, string>();
  let size = 0;
  for (;;) {
    const line = await input.line();
    if (line === undefined) throw new ExchangeError("the answer broke off");
    if (line === "") return headers;
    size += line.length;
    if (size > MAX_HEAD) throw new ExchangeError("the answer has too many headers");
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim().toLowerCase();
    if (colon > 0 && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
}

class Body {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #cut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False once there is enough. */
  push(bytes: Uint8Array): boolean {
    const part = bytes.subarray(0, this.#maxBytes - this.#size);
    this.#chunks.push(part);
    this.#size += part.length;
    this.#cut ||= part.length < bytes.length;
    return !this.#cut;
  }

  end(): { body: Uint8Array; cut: boolean } {
    return { body: concatBytes(this.#chunks, this.#size), cut: this.#cut };
  }
}

async function readBody(
  input: Input,
  status: number,
  headers: ReadonlyMap<string, string>,
  body: Body,
): Promise<void> {
  if (status === 204 || status === 304) return;
  if (/\bchunked\b/i.test(headers.get("transfer-encoding") ?? "")) return await readChunks(input, body);
  const length = headers.get("content-length");
  let left = length !== undefined && /^\d+$/.test(length) ? Number(length) : Infinity;
  while (left > 0) {
    const part = await input.some(Math.min(left, 64 * 1024));
    if (part.length === 0) {
      if (left !== Infinity) throw new ExchangeError("the answer broke off");
      return;
    }
    left -= part.length;
    if (!body.push(part)) return;
  }
}

async function readChunks(input: Input, body: Body): Promise<void> {
  for (;;) {
    const size = /^([0-9a-f]{1,8})\s*(;|$)/i.exec(await input.line() ?? "");
    if (size === null) throw new ExchangeError("the answer broke off");
    let left = parseInt(size[1], 16);
    if (left === 0) return;
    while (left > 0) {
      const part = await input.some(left);
      if (part.length === 0) throw new ExchangeError("the answer broke off");
      left -= part.length;
      if (!body.push(part)) return;
    }
    await input.line();
  }
}
