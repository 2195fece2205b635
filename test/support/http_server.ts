/**
 * A small HTTP/1.1 server over raw TCP, for tests that need what a proper
 * server never does: no headers, bytes cut in the middle, silence, a reset.
 * It answers on 127.0.0.1 only, keeps connections alive, and closes at once:
 * nothing of it outlives `close()`.
 */

/** One request, its body read whole. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The answer, written piece by piece. Every method resolves when the bytes are handed to the kernel. */
export interface HttpReply {
  /** Status line and headers; the body that follows is sent in chunks. */
  head(status: number, headers?: Readonly<Record<string, string>>): Promise<void>;
  write(text: string | Uint8Array): Promise<void>;
  /** Ends the body properly. */
  end(): Promise<void>;
  /** Status, headers and body in one. */
  send(status: number, headers: Readonly<Record<string, string>>, body: string): Promise<void>;
  /** Closes the connection in mid-answer. */
  cut(): void;
  /** Bytes as they are: for answers that are not HTTP. */
  raw(text: string): Promise<void>;
  /** Resolves when the client has gone or the server closes: for answers that fall silent. */
  readonly gone: Promise<void>;
}

export interface HttpServer {
  readonly port: number;
  /** How many connections were accepted so far. */
  readonly connections: number;
  /** "http://127.0.0.1:PORT" */
  readonly origin: string;
  close(): Promise<void>;
}

export type HttpHandler = (request: HttpRequest, reply: HttpReply) => Promise<void> | void;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Starts the server; port 0 takes a free one. */
export function serveHttp(handler: HttpHandler, port = 0): HttpServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port });
  const open = new Set<Deno.TcpConn>();
  let connections = 0;
  const tasks = new Set<Promise<void>>();
  const accepting = (async () => {
    for await (const conn of listener) {
      open.add(conn);
      connections++;
      // Pieces shall travel as they are written, not 40 ms later.
      conn.setNoDelay(true);
      const task = serveConnection(conn, handler).finally(() => {
        tasks.delete(task);
        open.delete(conn);
        closeQuietly(conn);
      });
      tasks.add(task);
    }
  })();
  const bound = listener.addr.port;
  return {
    port: bound,
    get connections() {
      return connections;
    },
    origin: `http://127.0.0.1:${bound}`,
    async close() {
      listener.close();
      for (const conn of open) closeQuietly(conn);
      await accepting;
      await Promise.all(tasks);
    },
  };
}

async function serveConnection(conn: Deno.TcpConn, handler: HttpHandler): Promise<void> {
  const input = new Input(conn);
  while (true) {
    const request = await readRequest(input);
    if (request === undefined) return;
    const gone = Promise.withResolvers<void>();
    let cut = false;
    let chunked = false;
    const raw = async (text: string | Uint8Array) => {
      const bytes = typeof text === "string" ? encoder.encode(text) : text;
      for (let at = 0; at < bytes.length && !cut;) {
        try {
          at += await conn.write(bytes.subarray(at));
        } catch {
          // The client has gone; the handler learns it from `gone`.
          cut = true;
          gone.resolve();
        }
      }
    };
    const reply: HttpReply = {
      gone: gone.promise,
      raw,
      head(status, headers = {}) {
        chunked = true;
        return raw(headText(status, { ...headers, "transfer-encoding": "chunked" }));
      },
      async write(text) {
        const bytes = typeof text === "string" ? encoder.encode(text) : text;
        if (bytes.length === 0) return;
        if (chunked) await raw(`${bytes.length.toString(16)}\r\n`);
        await raw(bytes);
        if (chunked) await raw("\r\n");
      },
      async end() {
        if (chunked) await raw("0\r\n\r\n");
      },
      send(status, headers, body) {
        const length = String(encoder.encode(body).length);
        return raw(headText(status, { ...headers, "content-length": length }) + body);
      },
      cut() {
        cut = true;
        closeQuietly(conn);
        gone.resolve();
      },
    };
    // Reading on while the handler answers is how a client that goes away is noticed.
    const ahead = input.fill().then((more) => more || gone.resolve());
    try {
      await handler(request, reply);
    } catch (error) {
      // A fault of the test's own: shown to whoever asked, since nobody else listens.
      await reply.send(500, { "content-type": "text/plain" }, `the test's handler failed: ${error}`);
    }
    if (cut || request.headers.connection === "close") return;
    await ahead;
  }
}

function headText(status: number, headers: Readonly<Record<string, string>>): string {
  let text = `HTTP/1.1 ${status} ${status === 200 ? "OK" : "Status"}\r\n`;
  for (const [name, value] of Object.entries(headers)) text += `${name}: ${value}\r\n`;
  return text + "\r\n";
}

async function readRequest(input: Input): Promise<HttpRequest | undefined> {
  const head = await input.until("\r\n\r\n");
  if (head === undefined) return undefined;
  const [first, ...lines] = head.split("\r\n");
  const [method, path] = first.split(" ");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  let text: string | undefined = "";
  if (headers["transfer-encoding"] === "chunked") {
    while (true) {
      const size = await input.until("\r\n");
      if (size === undefined) return undefined;
      const chunk = await input.take(parseInt(size, 16));
      if (chunk === undefined || await input.until("\r\n") === undefined) return undefined;
      if (chunk.length === 0) break;
      text += decoder.decode(chunk);
    }
  } else {
    const bytes = await input.take(Number(headers["content-length"] ?? 0));
    if (bytes === undefined) return undefined;
    text = decoder.decode(bytes);
  }
  return { method, path, headers, text };
}

/** The bytes of a connection that have arrived and were not yet used. */
class Input {
  #bytes = new Uint8Array(0);
  #filling: Promise<boolean> | undefined;
  readonly #conn: Deno.TcpConn;

  constructor(conn: Deno.TcpConn) {
    this.#conn = conn;
  }

  /** Waits for more bytes; false at the end. Calls at the same time share one read. */
  fill(): Promise<boolean> {
    return this.#filling ??= this.#read().finally(() => this.#filling = undefined);
  }

  async #read(): Promise<boolean> {
    const buffer = new Uint8Array(65536);
    let count: number | null = null;
    try {
      count = await this.#conn.read(buffer);
    } catch {
      // A reset, or our own close: the same as the end for a test server.
    }
    if (count === null) return false;
    const joined = new Uint8Array(this.#bytes.length + count);
    joined.set(this.#bytes);
    joined.set(buffer.subarray(0, count), this.#bytes.length);
    this.#bytes = joined;
    return true;
  }

  async take(length: number): Promise<Uint8Array | undefined> {
    while (this.#bytes.length < length) if (!await this.fill()) return undefined;
    const taken = this.#bytes.slice(0, length);
    this.#bytes = this.#bytes.slice(length);
    return taken;
  }

  async until(mark: string): Promise<string | undefined> {
    while (true) {
      const at = indexOf(this.#bytes, encoder.encode(mark));
      if (at >= 0) return decoder.decode(await this.take(at + mark.length)).slice(0, -mark.length);
      if (!await this.fill()) return undefined;
    }
  }
}

function indexOf(bytes: Uint8Array, mark: Uint8Array): number {
  outer: for (let at = 0; at + mark.length <= bytes.length; at++) {
    for (let i = 0; i < mark.length; i++) if (bytes[at + i] !== mark[i]) continue outer;
    return at;
  }
  return -1;
}

function closeQuietly(conn: Deno.TcpConn): void {
  try {
    conn.close();
  } catch {
    // Closed already.
  }
}
