import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { judge, parseHead, type ProxyOptions, serveProxy } from "../../../src/sandbox/os/proxy.ts";
import { openLoopback, proxyVariables } from "../../../src/sandbox/os/way_out.ts";
import type { Policy } from "../../../src/sandbox/policy.ts";

const policy = (net: string[], deny: string[] = []): Policy => ({
  mode: "workspace",
  workspace: "/w",
  readRoots: [],
  writeRoots: [],
  tempDir: "/t",
  home: "/h",
  protectedPaths: [],
  net,
  exec: "auto",
  approve: "never",
  rules: { allow: [], ask: [], deny },
});

const NAMES: Record<string, string[]> = {
  "example.org": ["93.184.216.34"],
  "sub.example.org": ["93.184.216.34"],
  "rebound.example.org": ["127.0.0.1"],
  "mixed.example.org": ["93.184.216.34", "10.0.0.1"],
  "six.example.org": ["::ffff:192.168.0.1"],
  "localhost": ["127.0.0.1"],
};
const resolve = (host: string) => Promise.resolve(NAMES[host] ?? []);

Deno.test("judge() lets a program reach the hosts and ports that are listed, and no private address behind them", async () => {
  const rows: [string[], string, number, string | RegExp][] = [
    [["example.org"], "example.org", 443, "93.184.216.34"],
    [["example.org"], "example.org", 80, "93.184.216.34"],
    [["example.org"], "example.org", 22, /does not list example.org:22/],
    [["example.org:22"], "example.org", 22, "93.184.216.34"],
    [["example.org:22"], "example.org", 443, /does not list example.org$/],
    [["example.org"], "sub.example.org", 443, /does not list/],
    [["*.example.org"], "sub.example.org", 443, "93.184.216.34"],
    [["*.example.org"], "example.org", 443, /does not list/],
    [["*.example.org"], "rebound.example.org", 443, /leads to 127.0.0.1, an address of this machine/],
    [["*.example.org"], "mixed.example.org", 443, /leads to 10.0.0.1, a private address/],
    [["*.example.org"], "six.example.org", 443, /leads to/],
    [["rebound.example.org"], "rebound.example.org", 443, /leads to 127.0.0.1/],
    [["rebound.example.org", "127.0.0.1"], "rebound.example.org", 443, "127.0.0.1"],
    [["example.org"], "93.184.216.34", 443, /does not list/],
    [["169.254.1.*"], "169.254.1.1", 80, /is a link-local address/],
    [["10.0.0.1:8080"], "10.0.0.1", 8080, "10.0.0.1"],
    [["10.0.0.1:8080"], "10.0.0.1", 80, /does not list/],
    [["localhost:5000"], "localhost", 5000, "127.0.0.1"],
    [["gone.org"], "gone.org", 443, /has no address/],
  ];
  for (const [net, host, port, wanted] of rows) {
    const got = await judge(host, port, { policy: policy(net), resolve });
    const text = typeof got === "string" ? got : got.refusal;
    if (typeof wanted === "string") assertEquals(got, wanted, `${net} ${host}:${port}`);
    else assert(typeof got !== "string" && wanted.test(text), `${net} ${host}:${port}: ${text}`);
  }
  const denied = await judge("example.org", 22, {
    policy: policy(["example.org:22"], ["fetch(example.org)"]),
    resolve,
  });
  assert(typeof denied !== "string" && denied.refusal.includes("fetch(example.org)"));
});

Deno.test("parseHead() reads what may be asked of a proxy, and nothing that could mean two things", () => {
  assertEquals(parseHead("CONNECT Example.org:443 HTTP/1.1"), { host: "example.org", port: 443 });
  assertEquals(parseHead("CONNECT 0x7f.1:80 HTTP/1.1"), { host: "127.0.0.1", port: 80 });
  assertEquals(parseHead("CONNECT [::1]:80 HTTP/1.1"), { host: "::1", port: 80 });
  assertEquals(
    parseHead(
      "GET http://example.org:81/a?b HTTP/1.1\r\nHost: evil.org\r\nProxy-Authorization: x\r\nA: b\r\nConnection: keep-alive",
    ),
    {
      host: "example.org",
      port: 81,
      passed: "GET /a?b HTTP/1.1\r\nHost: example.org:81\r\nA: b\r\nConnection: close\r\n\r\n",
    },
  );
  for (
    const head of [
      "CONNECT example.org HTTP/1.1",
      "CONNECT a@example.org:443 HTTP/1.1",
      "CONNECT example.org:443/x HTTP/1.1",
      "CONNECT example.org:0 HTTP/1.1",
      "CONNECT example.org:99999 HTTP/1.1",
      "GET /path HTTP/1.1",
      "GET https://example.org/ HTTP/1.1",
      "GET ftp://example.org/ HTTP/1.1",
      "GET http://example.org/ HTTP/1.1\r\n folded",
      "GET http://example.org/ HTTP/1.1\r\nA: b\nHost: evil.org",
      "GET http://example.org/",
      "",
    ]
  ) {
    assertEquals(typeof parseHead(head), "string", head);
  }
});

Deno.test("proxyVariables() come in both cases; only a loopback that is listed goes through the proxy", () => {
  const env = proxyVariables(policy(["example.org"]), 81);
  assertEquals(env.HTTPS_PROXY, "http://127.0.0.1:81");
  assertEquals(env.https_proxy, env.HTTPS_PROXY);
  assertEquals(env.all_proxy, env.ALL_PROXY);
  assertEquals(env.no_proxy, "localhost,127.0.0.1,::1");
  assertEquals(proxyVariables(policy(["localhost:5000"]), 81).NO_PROXY, "127.0.0.1,::1");
});

/** A server that answers with what it was asked, and the proxy before it. */
async function throughProxy(net: string[], request: string): Promise<{ answer: string; asked: string }> {
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const proxy = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let asked = "";
  const serving = (async () => {
    for await (const connection of server) {
      const buffer = new Uint8Array(5000);
      asked += new TextDecoder().decode(buffer.subarray(0, await connection.read(buffer) ?? 0));
      await connection.write(new TextEncoder().encode("answer"));
      connection.close();
    }
  })();
  const options: ProxyOptions = {
    policy: policy(net),
    resolve,
    connect: () => Deno.connect({ hostname: "127.0.0.1", port: server.addr.port }),
  };
  const proxying = proxy.accept().then((client) => serveProxy(client, options));
  const client = await Deno.connect({ hostname: "127.0.0.1", port: proxy.addr.port });
  await client.write(new TextEncoder().encode(request));
  const answer = await new Response(client.readable).text();
  await proxying;
  proxy.close();
  server.close();
  await serving;
  return { answer, asked };
}

Deno.test("serveProxy() passes a tunnel's bytes on, a plain request with its head put right, and says why it refuses", async () => {
  const tunnel = await throughProxy(
    ["example.org"],
    "CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n\x16early",
  );
  assertEquals(tunnel, { answer: "HTTP/1.1 200 Connection established\r\n\r\nanswer", asked: "\x16early" });
  const plain = await throughProxy(
    ["example.org"],
    "GET http://example.org/ HTTP/1.1\r\nHost: evil.org\r\n\r\n",
  );
  assertEquals(plain, {
    answer: "answer",
    asked: "GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n",
  });
  const refused = await throughProxy(["example.org"], "CONNECT other.org:443 HTTP/1.1\r\n\r\n");
  assertEquals(refused.asked, "");
  assert(refused.answer.startsWith("HTTP/1.1 403 "), refused.answer);
  assertStringIncludes(refused.answer, "sandbox.net does not list other.org");
});

Deno.test("openLoopback() serves the proxy that its variables name, until it is closed", async () => {
  const way = openLoopback(policy(["example.org"]));
  const port = Number(new URL(way.env.HTTP_PROXY).port);
  const client = await Deno.connect({ hostname: "127.0.0.1", port });
  await client.write(new TextEncoder().encode("CONNECT other.org:443 HTTP/1.1\r\n\r\n"));
  assertStringIncludes(await new Response(client.readable).text(), "does not list other.org");
  await way.close();
});
