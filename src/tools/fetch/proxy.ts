/**
 * Which proxy a fetch goes through, by the variables that other programs obey
 * too: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, in small or capital
 * letters, small ones first. This machine is never reached through one.
 */
import { isAddress } from "../../lib/address.ts";

/** Spoken to in HTTP without TLS: with CONNECT for https, with the whole URL as target for http. */
export interface Proxy {
  readonly hostname: string;
  readonly port: number;
  /** The value of Proxy-Authorization, where the proxy's address holds a name. */
  readonly authorization: string | undefined;
}

/** Its settings are of no use here; the message says why. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
}

/** The proxy for a URL; undefined: none. Throws {@link ProxyError}. */
export function proxyFor(url: URL, environment: Readonly<Record<string, string>>): Proxy | undefined {
  const valueOf = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = valueOf(name) ?? valueOf("ALL_PROXY");
  if (value === undefined || isDirect(url, valueOf("NO_PROXY") ?? "")) return undefined;
  // Without a scheme it is one of HTTP.
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text)) throw new ProxyError(`the proxy that ${name} names is no URL`);
  const proxy = new URL(text);
  if (proxy.protocol !== "http:") {
    throw new ProxyError(
      `the proxy that ${name} names is reached by ${
        proxy.protocol.slice(0, -1)
      }; fetch knows only http:// ones`,
    );
  }
  const who = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return {
    hostname: bare(proxy.hostname),
    port: proxy.port === "" ? 80 : Number(proxy.port),
    authorization: who === ":" ? undefined : `Basic ${new TextEncoder().encode(who).toBase64()}`,
  };
}

/** By NO_PROXY: names with all below them, addresses, networks as `10.0.0.0/8`, each with a port or without; `*` is everything. */
function isDirect(url: URL, list: string): boolean {
  const host = bare(url.hostname).toLowerCase();
  if (host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127\.[\d.]+$/.test(host)) {
    return true;
  }
  const port = url.port === "" ? url.protocol === "https:" ? "443" : "80" : url.port;
  return list.split(/[\s,]+/).filter((entry) => entry !== "").some((entry) => {
    if (entry === "*") return true;
    const match = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry);
    if (match !== null && match[2] !== port) return false;
    const wanted = bare(match?.[1] ?? entry).toLowerCase();
    if (wanted.includes("/")) return inNetwork(host, wanted);
    if (isAddress(host)) return host === wanted;
    const name = wanted.replace(/^\*?\./, "");
    return name !== "" && (host === name || host.endsWith(`.${name}`));
  });
}

/** Only of the fourth version: networks of the sixth are hardly written there. */
function inNetwork(host: string, network: string): boolean {
  const [base, length] = network.split("/");
  const bits = Number(length);
  const [one, other] = [toNumber(host), toNumber(base)];
  if (one === undefined || other === undefined || !/^\d+$/.test(length) || bits > 32) return false;
  const size = 2 ** (32 - bits);
  return Math.floor(one / size) === Math.floor(other / size);
}

function toNumber(address: string): number | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) return undefined;
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
