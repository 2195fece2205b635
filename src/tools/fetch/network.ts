/**
 * The side of `fetch` that reaches the network, in the main isolate. Each hop
 * is judged anew: its scheme, its host by the policy, then the addresses that
 * the name resolves to; the connection goes to the address that was judged.
 * Where the environment names a proxy, it is the proxy that resolves; a name
 * that is known here to lead to a private address is refused all the same.
 * What comes is bounded in size and time and handed on as it is: it is read in
 * the sheath, where it can do nothing.
 */
import { lookup } from "node:dns/promises";
import { describe } from "../../lib/errors.ts";
import type { FetchAnswer, Fetched } from "../tool.ts";
import { isAddress, notPublic } from "../../lib/address.ts";
import { exchange, ExchangeError, type ExchangeResponse } from "./exchange.ts";
import { type Proxy, ProxyError, proxyFor } from "./proxy.ts";
import { forbids } from "./robots.ts";

/** What the policy and the machine say about the network. */
export interface NetworkOptions {
  /** Hosts that the user has listed by themselves: an address in it may be a private one. */
  readonly listed: readonly string[];
  /** Sent as User-Agent; its first word is what robots.txt may name. */
  readonly userAgent: string;
  /** Addresses of a name; default: the system's. */
  resolve?(host: string): Promise<readonly string[]>;
  /** Variables that may name a proxy; default: none do. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds, from any start. */
  now(): number;
}

/** Judges a host by the policy; the reason where it is refused. */
export type PermitHost = (host: string) => Promise<string | undefined>;

/** Remembers for a while what it got, and what sites ask of programs (robots.txt). */
export interface Network {
  get(url: string, permit: PermitHost, signal: AbortSignal): Promise<FetchAnswer>;
}

const MAX_BYTES = 5 << 20;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 30_000;
/** Behind a proxy names are often not resolvable here, and that may take its time to be known. */
const LOOK_MS = 2_000;
const CACHE_MS = 15 * 60_000;
const CACHE_BYTES = 20 << 20;

interface Kept {
  readonly at: number;
  readonly answer: Fetched;
  /** Whoever was asked on the way to it. */
  readonly hosts: readonly string[];
}

/** `get` never throws: whatever goes wrong, a cancel too, is an answer that says why. */
export function createNetwork(options: NetworkOptions): Network {
  const cache = new Map<string, Kept>();
  const robots = new Map<string, { readonly at: number; readonly text: string }>();
  const agent = options.userAgent.split(/[/\s]/)[0];

  function remember(url: string, answer: Fetched, hosts: readonly string[]): void {
    cache.set(url, { at: options.now(), answer, hosts });
    let bytes = [...cache.values()].reduce((sum, entry) => sum + entry.answer.body.length, 0);
    for (const [old, entry] of cache) {
      if (bytes <= CACHE_BYTES) break;
      bytes -= entry.answer.body.length;
      cache.delete(old);
    }
  }

  /** One hop. Throws {@link Refusal} where it must not be made. */
  async function hop(
    url: URL,
    permit: PermitHost,
    signal: AbortSignal,
    maxBytes: number,
  ): Promise<ExchangeResponse> {
    const proxy = proxyFor(url, options.environment ?? {});
    const address = await addressOf(url, permit, proxy);
    return await exchange({
      address,
      ...(proxy === undefined ? {} : { proxy }),
      port: url.port === "" ? url.protocol === "https:" ? 443 : 80 : Number(url.port),
      tls: url.protocol === "https:" ? url.hostname.replace(/^\[|\]$/g, "") : undefined,
      target: url.pathname + url.search,
      headers: {
        Host: url.host,
        "User-Agent": options.userAgent,
        Accept: "text/html,application/xhtml+xml,text/plain,application/json,*/*;q=0.5",
        "Accept-Encoding": "identity",
      },
      maxBytes,
      signal,
    });
  }

  async function addressOf(url: URL, permit: PermitHost, proxy: Proxy | undefined): Promise<string> {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    await judge(host, permit);
    const resolve = options.resolve ?? resolveByTheSystem;
    const addresses = isAddress(host)
      ? [host]
      : proxy === undefined
      ? await resolve(host)
      : await withoutWaiting(resolve(host));
    if (addresses.length === 0 && proxy === undefined) throw new Refusal(`${host} has no address`);
    const own = (isAddress(host) || host === "localhost") && options.listed.includes(host);
    for (const address of addresses) {
      const kind = notPublic(address);
      if (kind !== undefined && !own) {
        const text = isAddress(host) ? `${host} is ${kind}` : `${host} leads to ${address}, ${kind}`;
        throw new Refusal(`Not allowed: ${text}`, text);
      }
    }
    return proxy === undefined ? addresses[0] : host;
  }

  async function allowedByRobots(url: URL, permit: PermitHost, signal: AbortSignal): Promise<boolean> {
    const known = robots.get(url.origin);
    let text = known !== undefined && options.now() - known.at < CACHE_MS ? known.text : undefined;
    if (text === undefined) {
      text = "";
      let at = new URL("/robots.txt", url);
      // Where there is none, or none that can be had, everything may be fetched.
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const answer = await hop(at, permit, signal, 256 * 1024);
        const location = redirectOf(answer, at);
        if (location === undefined) {
          if (answer.status === 200) text = new TextDecoder().decode(answer.body);
          break;
        }
        if (location.origin !== url.origin) break;
        at = location;
      }
      robots.set(url.origin, { at: options.now(), text });
    }
    return !forbids(text, agent, url.pathname + url.search);
  }

  async function follow(first: URL, permit: PermitHost, signal: AbortSignal): Promise<Fetched> {
    let url = first;
    for (let redirects = 0;; redirects++) {
      if (!await allowedByRobots(url, permit, signal)) {
        throw new Refusal(`${url.host} asks programs not to fetch ${url.pathname} (robots.txt)`);
      }
      const answer = await hop(url, permit, signal, MAX_BYTES);
      const location = redirectOf(answer, url);
      if (location === undefined) {
        return {
          url: url.href,
          status: answer.status,
          type: answer.headers.get("content-type") ?? "",
          body: answer.body,
          cut: answer.cut,
        };
      }
      if (redirects >= MAX_REDIRECTS) throw new Refusal(`more than ${MAX_REDIRECTS} redirects`);
      const problem = wrongUrl(location);
      if (problem !== undefined) throw new Refusal(`redirected to ${location.href}: ${problem}`);
      url = location;
    }
  }

  return {
    async get(text, permit, signal) {
      if (!URL.canParse(text)) {
        return { ok: false, problem: "not a URL: it has to begin with http:// or https://" };
      }
      const url = new URL(text);
      url.hash = "";
      const wrong = wrongUrl(url);
      if (wrong !== undefined) return { ok: false, problem: wrong };
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS);
      try {
        const known = cache.get(url.href);
        if (known !== undefined && options.now() - known.at < CACHE_MS) {
          // Rules may have changed since: each host that was asked then is judged as if it were asked now.
          for (const host of known.hosts) await judge(host, permit);
          return { ok: true, fetched: known.answer };
        }
        const hosts = new Set<string>();
        const judged: PermitHost = (host) => {
          hosts.add(host);
          return permit(host);
        };
        const fetched = await follow(url, judged, AbortSignal.any([signal, timeout.signal]));
        if (fetched.status === 200) remember(url.href, fetched, [...hosts]);
        return { ok: true, fetched };
      } catch (error) {
        if (timeout.signal.aborted) return { ok: false, problem: `no answer within ${TIMEOUT_MS / 1000} s` };
        if (signal.aborted) return { ok: false, problem: "cancelled" };
        return failed(error);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Throws {@link Refusal} where the policy refuses it. */
async function judge(host: string, permit: PermitHost): Promise<void> {
  const refusal = await permit(host);
  if (refusal !== undefined) throw new Refusal(`Not allowed: ${refusal}`, refusal);
}

/** A hop that is not made. */
class Refusal extends Error {
  constructor(message: string, readonly denied?: string) {
    super(message);
  }
}

function failed(error: unknown): FetchAnswer {
  if (error instanceof Refusal) {
    return error.denied === undefined
      ? { ok: false, problem: error.message }
      : { ok: false, problem: error.message, denied: error.denied };
  }
  if (error instanceof ExchangeError || error instanceof ProxyError) {
    return { ok: false, problem: error.message };
  }
  // What the system says about names, connections and certificates.
  return { ok: false, problem: describe(error) };
}

function wrongUrl(url: URL): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:") return "only http and https are fetched";
  if (url.username !== "" || url.password !== "") return "a URL with a name or password in it is not fetched";
  return undefined;
}

function redirectOf(answer: ExchangeResponse, from: URL): URL | undefined {
  const location = answer.headers.get("location");
  if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return undefined;
  if (!URL.canParse(location, from)) return undefined;
  const url = new URL(location, from);
  url.hash = "";
  return url;
}

async function resolveByTheSystem(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new Refusal(`${host} cannot be resolved: ${describe(error)}`);
  }
}

/** What is known of a name soon; nothing where it cannot be resolved here. */
async function withoutWaiting(addresses: Promise<readonly string[]>): Promise<readonly string[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<readonly string[]>((resolve) => timer = setTimeout(() => resolve([]), LOOK_MS));
  try {
    return await Promise.race([addresses.catch(() => []), late]);
  } finally {
    clearTimeout(timer);
  }
}
