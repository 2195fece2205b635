/**
 * The way out for programs where `sandbox.net` is a list of hosts: a proxy for
 * HTTP in this process. Their own network leads nowhere else.
 *
 * Each connection is judged anew: the host by the policy, the port (80 and 443
 * unless the list names another, `example.org:22`), then the addresses that
 * the name leads to, of which none may be a private one, and the connection
 * goes to an address that was judged. A private address is reached only if the
 * list names it itself.
 *
 * `CONNECT` passes bytes through; a plain request is passed on with its head
 * put right, one per connection, so that the next one is judged, too.
 */
import { lookup } from "node:dns/promises";
import { describe } from "../../lib/errors.ts";
import { isAddress, notPublic } from "../../lib/address.ts";
import { decide } from "../decide.ts";
import type { Policy } from "../policy.ts";
import { matchesHost, parseRule } from "../rules.ts";

/** What bytes come from and go to. */
type Connection = Pick<Deno.Conn, "read" | "write" | "close" | "closeWrite">;

/** By default names are resolved and connections made by the system. */
export interface ProxyOptions {
  readonly policy: Policy;
  /** The addresses of a name. */
  resolve?(host: string): Promise<readonly string[]>;
  connect?(address: string, port: number): Promise<Connection>;
}

/** A head may have this many bytes. */
const MAX_HEAD = 64 * 1024;

/** Headers that concern one connection only, or the way to the proxy. */
const HOP = /^(proxy-\S+|connection|keep-alive|te|upgrade)$/i;

/** Serves one connection up to its end. Never throws. */
export async function serveProxy(client: Connection, options: ProxyOptions): Promise<void> {
  let server: Connection | undefined;
  try {
    const head = await readHead(client);
    if (head === undefined) return;
    const target = parseHead(head.text);
    if (typeof target === "string") return await refuse(client, 400, target);
    const address = await judge(target.host, target.port, options);
    if (typeof address !== "string") return await refuse(client, 403, address.refusal);
    try {
      server = await (options.connect ?? connectPlain)(address, target.port);
    } catch (error) {
      return await refuse(client, 502, `${target.host}: ${describe(error)}`);
    }
    if (target.passed === undefined) await writeAll(client, "HTTP/1.1 200 Connection established\r\n\r\n");
    else await writeAll(server, target.passed);
    await writeAll(server, head.rest);
    await Promise.all([pump(client, server), pump(server, client)]);
  } catch {
    // One of the two is gone: so is the other.
  } finally {
    close(client);
    if (server) close(server);
  }
}

/** An address that may be connected to, or why there is none. */
export async function judge(
  host: string,
  port: number,
  options: ProxyOptions,
): Promise<string | { readonly refusal: string }> {
  const { policy } = options;
  const named = `${host}:${port}`;
  const denied = policy.rules.deny.map(parseRule)
    .find((rule) => rule.kind === "fetch" && [host, named].some((name) => matchesHost(rule.pattern, name)));
  if (denied) return { refusal: `the rule ${denied.text} forbids ${host}` };
  const allows = (name: string) => decide(policy, { kind: "fetch", host: name }).decision === "allow";
  const usual = port === 80 || port === 443;
  if (!allows(named) && !(usual && allows(host))) {
    return { refusal: `sandbox.net does not list ${usual ? host : named}` };
  }
  const addresses = isAddress(host) ? [host] : await (options.resolve ?? resolveBySystem)(host);
  const [first] = addresses;
  if (first === undefined) return { refusal: `${host} has no address` };
  const listed = (name: string) => policy.net.includes(name) || policy.net.includes(`${name}:${port}`);
  for (const address of addresses) {
    const kind = notPublic(address);
    if (kind === undefined || listed(address) || (host === "localhost" && listed(host))) continue;
    return { refusal: host === address ? `${host} is ${kind}` : `${host} leads to ${address}, ${kind}` };
  }
  return first;
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

function connectPlain(address: string, port: number): Promise<Connection> {
  return Deno.connect({ hostname: address, port });
}

interface Head {
  readonly text: string;
  /** What came behind it already. */
  readonly rest: Uint8Array;
}

async function readHead(from: Connection): Promise<Head | undefined> {
  let bytes = new Uint8Array(0);
  const buffer = new Uint8Array(16 * 1024);
  for (;;) {
    const length = await from.read(buffer);
    if (length === null) return undefined;
    const joined = new Uint8Array(bytes.length + length);
    joined.set(bytes);
    joined.set(buffer.subarray(0, length), bytes.length);
    bytes = joined;
    // Bytes as letters: heads are ASCII, and what is not stays what it is.
    const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    const end = text.indexOf("\r\n\r\n");
    if (end >= 0) return { text: text.slice(0, end), rest: bytes.slice(end + 4) };
    if (bytes.length > MAX_HEAD) return undefined;
  }
}

interface Target {
  readonly host: string;
  readonly port: number;
  /** The head to pass on; absent for `CONNECT`. */
  readonly passed?: string;
}

/** What a head asks for, or what is wrong with it. */
export function parseHead(text: string): Target | string {
  const [first, ...headers] = text.split("\r\n");
  const [, method, target, version] = /^([A-Z]+) (\S+) HTTP\/1\.([01])$/.exec(first) ?? [];
  if (method === undefined) return "not a request to a proxy";
  const url = method === "CONNECT" ? `https://${target}` : target;
  if (!URL.canParse(url)) return `not an address: ${target.slice(0, 200)}`;
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "").toLowerCase();
  if (host === "") return "no host";
  if (method === "CONNECT") {
    // Only `host:port`, and the port is never left out.
    const given = /^(?:\[[0-9a-fA-F:.]+\]|[^\[\]:/?#@\\]+):(\d{1,5})$/.exec(target)?.[1];
    return given === undefined || Number(given) > 65535 || Number(given) === 0
      ? `not a host and a port: ${target.slice(0, 200)}`
      : { host, port: Number(given) };
  }
  if (protocol !== "http:") return "plain requests are for http:// only; others come by CONNECT";
  const kept = headers.filter((line) =>
    !HOP.test(line.slice(0, line.indexOf(":")).trim()) && !/^host:/i.test(line)
  );
  // A folded or nameless line could hide another header.
  if (headers.some((line) => /^[\s:]/.test(line) || !line.includes(":") || /[\r\n\0]/.test(line))) {
    return "a header that cannot be read";
  }
  const authority = port === "" ? hostname : `${hostname}:${port}`;
  const lines = [
    `${method} ${pathname}${search} HTTP/1.${version}`,
    `Host: ${authority}`,
    ...kept,
    "Connection: close",
  ];
  return { host, port: port === "" ? 80 : Number(port), passed: `${lines.join("\r\n")}\r\n\r\n` };
}

async function refuse(client: Connection, status: number, reason: string): Promise<void> {
  const body = `myelin: ${reason}\n`;
  const phrase = { 400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway" }[status] ?? "Error";
  await writeAll(
    client,
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: text/plain\r\nX-Myelin: ${header(reason)}\r\n` +
      `Content-Length: ${new TextEncoder().encode(body).length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const header = (text: string) => text.replace(/[^ -~]/g, "?");

async function writeAll(to: Connection, data: string | Uint8Array): Promise<void> {
  // A head is written with the bytes that it was read with.
  const bytes = typeof data === "string" ? Uint8Array.from(data, (char) => char.charCodeAt(0)) : data;
  for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
}

/** Passes bytes on up to the end of one direction; then tells the other end. */
export async function pump(from: Connection, to: Connection): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  try {
    for (;;) {
      const length = await from.read(buffer);
      if (length === null) break;
      await writeAll(to, buffer.subarray(0, length));
    }
    await to.closeWrite();
  } catch (error) {
    // Half of it is no good: the other direction would wait for ever.
    close(from);
    close(to);
    throw error;
  }
}

/** Closing twice is no error. */
export function close(connection: Pick<Connection, "close">): void {
  try {
    connection.close();
  } catch {
    // It is closed.
  }
}
