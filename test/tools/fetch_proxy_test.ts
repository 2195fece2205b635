/** fetch through a proxy: which one, what it is told, and what stays forbidden all the same. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { createNetwork, type NetworkOptions } from "../../src/tools/fetch/network.ts";
import { proxyFor } from "../../src/tools/fetch/proxy.ts";

interface ProxyServer extends Disposable {
  readonly port: number;
  /** The heads of requests, whole. */
  readonly heads: string[];
}

/** Answers each request with what `answer` says to its head, and closes. */
function serveProxy(answer: (head: string) => string): ProxyServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const heads: string[] = [];
  void (async () => {
    for await (const conn of listener) {
      using client = conn;
      let head = "";
      const chunk = new Uint8Array(4096);
      while (!head.includes("\r\n\r\n")) {
        const length = await client.read(chunk);
        if (length === null) break;
        head += new TextDecoder().decode(chunk.subarray(0, length));
      }
      heads.push(head);
      await client.write(new TextEncoder().encode(answer(head)));
    }
  })();
  return { port: listener.addr.port, heads, [Symbol.dispose]: () => listener.close() };
}

function reply(status: number, body = ""): string {
  return `HTTP/1.1 ${status} X\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function get(url: string, environment: Record<string, string>, options: Partial<NetworkOptions> = {}) {
  const network = createNetwork({
    listed: [],
    userAgent: "myelin/1",
    now: () => 0,
    environment,
    resolve: () => Promise.reject(new Error("there are no names here")),
    ...options,
  });
  return network.get(url, () => Promise.resolve(undefined), new AbortController().signal);
}

Deno.test("fetch asks the proxy for http pages, by their whole URL and with the name it wants", async () => {
  using proxy = serveProxy((head) => head.includes("robots.txt") ? reply(404) : reply(200, "by proxy"));
  const answer = await get("http://far.example/a?b=1", {
    http_proxy: `http://me:p%40ss@127.0.0.1:${proxy.port}`,
  });
  assert(answer.ok, JSON.stringify(answer));
  assertEquals(new TextDecoder().decode(answer.fetched.body), "by proxy");
  const [robots, page] = proxy.heads;
  assertStringIncludes(robots, "GET http://far.example:80/robots.txt HTTP/1.1\r\n");
  assertStringIncludes(page, "GET http://far.example:80/a?b=1 HTTP/1.1\r\nHost: far.example\r\n");
  assertStringIncludes(page, `Proxy-Authorization: Basic ${btoa("me:p@ss")}\r\n`);
});

Deno.test("fetch asks the proxy for a tunnel to https hosts, and tells what it says to that", async () => {
  let status = 403;
  using proxy = serveProxy(() => reply(status));
  const environment = { HTTPS_PROXY: `127.0.0.1:${proxy.port}` };
  const refused = await get("https://far.example/", environment);
  assertEquals(refused, { ok: false, problem: "the proxy refuses to connect (403)" });
  assertStringIncludes(proxy.heads[0], "CONNECT far.example:443 HTTP/1.1\r\nHost: far.example:443\r\n");
  status = 407;
  const asked = await get("https://far.example/", environment);
  assert(!asked.ok);
  assertStringIncludes(asked.problem, "a name and a password");
});

Deno.test("fetch judges the true host of a proxied page, and refuses private addresses that are known", async () => {
  using proxy = serveProxy(() => reply(200, "inner"));
  const environment = { ALL_PROXY: `http://127.0.0.1:${proxy.port}` };
  const inner = await get("http://inner.example/", environment, {
    resolve: () => Promise.resolve(["10.1.2.3"]),
  });
  assert(!inner.ok && inner.denied !== undefined);
  assertStringIncludes(inner.problem, "inner.example leads to 10.1.2.3");
  const address = await get("http://169.254.169.254/latest/", environment);
  assert(!address.ok && address.denied !== undefined);
  const network = createNetwork({ listed: [], userAgent: "myelin/1", now: () => 0, environment });
  const seen: string[] = [];
  await network.get("http://far.example/", (host) => {
    seen.push(host);
    return Promise.resolve("no");
  }, new AbortController().signal);
  assertEquals(seen, ["far.example"]);
  assertEquals(proxy.heads, []);
});

Deno.test("proxyFor() obeys the variables and their exceptions as other programs do", () => {
  const host = (url: string, environment: Record<string, string>) =>
    proxyFor(new URL(url), environment)?.hostname;
  const both = { HTTP_PROXY: "http://plain:3128", HTTPS_PROXY: "http://tls:3128" };
  assertEquals(host("http://a.example/", both), "plain");
  assertEquals(host("https://a.example/", both), "tls");
  assertEquals(host("https://a.example/", { ...both, https_proxy: "http://small" }), "small");
  assertEquals(host("https://a.example/", { all_proxy: "any:1" }), "any");
  assertEquals(host("https://a.example/", { HTTPS_PROXY: "" }), undefined);
  for (const url of ["http://localhost:3000/", "http://127.0.0.1/", "http://[::1]:8080/"]) {
    assertEquals(host(url, both), undefined, url);
  }
  const excepted = (list: string, url: string) => host(url, { ...both, NO_PROXY: list }) === undefined;
  for (
    const [list, url, direct] of [
      ["*", "http://a.example/", true],
      ["b.example, a.example", "http://a.example/", true],
      [".example", "http://a.example/", true],
      ["example", "http://a.example/", true],
      ["*.example", "http://a.example/", true],
      ["ample", "http://a.example/", false],
      ["A.EXAMPLE", "http://a.example/", true],
      ["a.example:8080", "http://a.example/", false],
      ["a.example:80", "http://a.example/", true],
      ["10.0.0.0/8", "http://10.200.0.1/", true],
      ["10.0.0.0/8", "http://11.0.0.1/", false],
      ["192.0.2.7", "http://192.0.2.7/", true],
      ["[2001:db8::7]:443", "https://[2001:db8::7]/", true],
      ["", "http://a.example/", false],
    ] as const
  ) assertEquals(excepted(list, url), direct, `${list} ${url}`);
  assertThrows(() => host("https://a.example/", { HTTPS_PROXY: "socks5://x:1" }), Error, "only http://");
});
