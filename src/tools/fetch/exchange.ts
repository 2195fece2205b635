/**
 * One HTTP/1.1 request over a connection to an address that was looked at
 * before: the runtime's own client would resolve the name again, and another
 * answer could lead elsewhere. Bounded in size; ended by its signal.
 */

export interface ExchangeRequest {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
  /** The name that the certificate must be for; undefined: without TLS. */
  readonly tls: string | undefined;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

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

export async function exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
  const { signal } = request;
  signal.throwIfAborted();
  const plain = await Deno.connect({ hostname: request.address, port: request.port, transport: "tcp" });
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
      conn = await Deno.startTls(plain, { hostname: request.tls, alpnProtocols: ["http/1.1"] });
    }
    const head = [
      `GET ${request.target} HTTP/1.1`,
      ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
      "Connection: close",
      "",
      "",
    ].join("\r\n");
    await writeAll(conn, new TextEncoder().encode(head));
    return await readResponse(new Input(conn), request.maxBytes);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
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
    const body = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      body.set(chunk, at);
      at += chunk.length;
    }
    return { body, cut: this.#cut };
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
