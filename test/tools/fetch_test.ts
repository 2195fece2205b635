/** fetch against servers of this machine, through the network's own side with a table in place of name resolution. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { notPublic } from "../../src/lib/address.ts";
import { create } from "../../src/tools/fetch/body.ts";
import { createNetwork, type NetworkOptions, type PermitHost } from "../../src/tools/fetch/network.ts";
import { forbids } from "../../src/tools/fetch/robots.ts";
import { Bench, call } from "../support/host_fs.ts";

interface Site extends AsyncDisposable {
  readonly port: number;
  readonly seen: { path: string; agent: string | null }[];
}

function serve(answer: (path: string, request: Request) => Response | Promise<Response>): Site {
  const seen: Site["seen"] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    seen.push({ path: pathname + search, agent: request.headers.get("user-agent") });
    return pathname === "/robots.txt" && search === ""
      ? new Response("User-agent: *\nDisallow: /secret\n")
      : answer(pathname + search, request);
  });
  return { port: server.addr.port, seen, [Symbol.asyncDispose]: () => server.shutdown() };
}

const allow: PermitHost = () => Promise.resolve(undefined);

/** A tool whose network may reach 127.0.0.1, and other names as the table says. */
function tool(
  bench: Bench,
  { permit = allow, ...options }: Partial<NetworkOptions> & { permit?: PermitHost } = {},
) {
  const network = createNetwork({
    listed: ["127.0.0.1"],
    userAgent: "myelin/1 (test)",
    now: () => performance.now(),
    ...options,
  });
  const signal = new AbortController().signal;
  return create({ ...bench.deps, fetch: (url) => network.get(url, permit, signal) });
}

Deno.test("fetch gives HTML as markdown, with absolute links and without scripts", async () => {
  await using site = serve(() =>
    new Response(
      "<html><head><title>A &amp; B</title><script>evil()</script></head><body><h2>Heading</h2>" +
        "<p>Some <b>bold</b> text, <a href='/next?x=1'>a link</a>.</p><pre><code>let x = 1;</code></pre>" +
        "<ul><li>one</li><li>two</li></ul><img alt='a cat' src='data:image/png;base64,AAAA'></body></html>",
      { headers: { "content-type": "text/html; charset=utf-8" } },
    )
  );
  using bench = new Bench();
  const { text, isError } = await call(tool(bench), { url: `http://127.0.0.1:${site.port}/page` });
  assert(!isError, text);
  assertStringIncludes(text, `http://127.0.0.1:${site.port}/page: 200, text/html; charset=utf-8`);
  assertStringIncludes(text, "# A & B");
  assertStringIncludes(text, "## Heading");
  assertStringIncludes(text, `**bold** text, [a link](http://127.0.0.1:${site.port}/next?x=1)`);
  assertStringIncludes(text, "```\nlet x = 1;\n```");
  assertStringIncludes(text, "[picture: a cat]");
  assert(!text.includes("evil") && !text.includes("base64"));
  assertEquals(site.seen.map(({ path }) => path), ["/robots.txt", "/page"]);
  assertEquals(site.seen[1].agent, "myelin/1 (test)");
});

Deno.test("fetch gives text and JSON as they are, free of control sequences, and reads on by offset", async () => {
  await using site = serve((path) =>
    path === "/json"
      ? Response.json({ a: [1, 2] })
      : new Response("\x1b[2Jred\u202e " + "🙂".repeat(2000), { headers: { "content-type": "text/plain" } })
  );
  using bench = new Bench({ outputBytes: 2048 });
  const body = tool(bench);
  assertStringIncludes((await call(body, { url: `http://127.0.0.1:${site.port}/json` })).text, '{"a":[1,2]}');
  const first = (await call(body, { url: `http://127.0.0.1:${site.port}/text` })).text;
  assert(first.isWellFormed() && !first.includes("\x1b") && !first.includes("\u202e"));
  const next = Number(/offset (\d+) reads on/.exec(first)?.[1]);
  const second = (await call(body, { url: `http://127.0.0.1:${site.port}/text`, offset: next })).text;
  assertStringIncludes(second, "🙂🙂");
  // The second look came from the cache.
  assertEquals(site.seen.filter(({ path }) => path === "/text").length, 1);
});

Deno.test("fetch follows redirects, and judges each of them anew", async () => {
  await using site = serve((path) => {
    if (path === "/start") return new Response(null, { status: 302, headers: { location: "/end" } });
    if (path === "/away") {
      return new Response(null, { status: 301, headers: { location: "http://internal.example/" } });
    }
    if (path === "/file") {
      return new Response(null, { status: 302, headers: { location: "file:///etc/passwd" } });
    }
    if (path === "/loop") return new Response(null, { status: 302, headers: { location: "/loop" } });
    return new Response("arrived", { headers: { "content-type": "text/plain" } });
  });
  using bench = new Bench();
  const asked: string[] = [];
  const body = tool(bench, {
    permit(host) {
      asked.push(host);
      return Promise.resolve(host === "127.0.0.1" ? undefined : `${host} is not in sandbox.net`);
    },
  });
  const at = (path: string) => call(body, { url: `http://127.0.0.1:${site.port}${path}` });
  assertStringIncludes((await at("/start")).text, "arrived");
  const away = await at("/away");
  assert(away.isError && away.denied !== undefined);
  assertStringIncludes(away.text, "internal.example is not in sandbox.net");
  assert(asked.includes("internal.example"));
  assertStringIncludes((await at("/file")).text, "only http and https");
  assertStringIncludes((await at("/loop")).text, "more than 5 redirects");
});

Deno.test("fetch judges the hosts of what it has kept, too, those behind a redirect with them", async () => {
  await using site = serve((path) =>
    path === "/start"
      ? new Response(null, { status: 302, headers: { location: `http://localhost:${site.port}/end` } })
      : new Response("arrived", { headers: { "content-type": "text/plain" } })
  );
  using bench = new Bench();
  let refused = "";
  const body = tool(bench, {
    listed: ["127.0.0.1", "localhost"],
    resolve: () => Promise.resolve(["127.0.0.1"]),
    permit: (host) => Promise.resolve(host === refused ? `${host} is denied` : undefined),
  });
  const get = () => call(body, { url: `http://127.0.0.1:${site.port}/start` });
  const requests = () => site.seen.filter(({ path }) => path === "/start").length;
  assertStringIncludes((await get()).text, "arrived");
  assertStringIncludes((await get()).text, "arrived");
  assertEquals(requests(), 1);
  for (refused of ["127.0.0.1", "localhost"]) {
    const answer = await get();
    assert(answer.isError && answer.denied !== undefined, answer.text);
    assertStringIncludes(answer.text, `${refused} is denied`);
  }
  refused = "";
  assertStringIncludes((await get()).text, "arrived");
  assertEquals(requests(), 1);
});

Deno.test("fetch refuses names that lead to private addresses, whoever allowed the name", async () => {
  await using site = serve(() => new Response("inner page"));
  using bench = new Bench();
  for (
    const address of ["127.0.0.1", "10.0.0.8", "169.254.169.254", "::1", "::ffff:192.168.1.1", "fd00::1"]
  ) {
    const body = tool(bench, { listed: ["*", "public.example"], resolve: () => Promise.resolve([address]) });
    const { text, isError } = await call(body, { url: `http://public.example:${site.port}/` });
    assert(isError, address);
    assertStringIncludes(text, `public.example leads to ${address}`);
  }
  // Written as a number or in another form it is the same address.
  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "localhost"]) {
    const body = tool(bench, { listed: ["*"] });
    assert((await call(body, { url: `http://${host}:${site.port}/` })).isError, host);
  }
  assertEquals(site.seen, []);
});

Deno.test("fetch heeds robots.txt", async () => {
  await using site = serve(() => new Response("x"));
  using bench = new Bench();
  const { text, isError } = await call(tool(bench), { url: `http://127.0.0.1:${site.port}/secret/plan` });
  assert(isError);
  assertStringIncludes(text, "robots.txt");
});

Deno.test("fetch bounds what it takes, names what is binary, and shows what a failure says", async () => {
  await using site = serve((path) => {
    if (path === "/big") {
      return new Response(new Uint8Array(6 << 20).fill(97), { headers: { "content-type": "text/plain" } });
    }
    if (path === "/bin") {
      return new Response(new Uint8Array([0, 1, 2]), { headers: { "content-type": "image/png" } });
    }
    return new Response("no such thing", { status: 404, headers: { "content-type": "text/plain" } });
  });
  using bench = new Bench();
  const at = (path: string) => call(tool(bench), { url: `http://127.0.0.1:${site.port}${path}` });
  assertStringIncludes((await at("/big")).text, "5,242,880 bytes (cut there)");
  assertStringIncludes((await at("/bin")).text, "binary, not shown");
  const missing = await at("/else");
  assert(missing.isError);
  assertStringIncludes(missing.text, "404");
  assertStringIncludes(missing.text, "no such thing");
});

Deno.test("fetch says why a URL is none, and takes one without a scheme for https", async () => {
  using bench = new Bench();
  assertStringIncludes((await call(tool(bench), { url: "ftp://example.org/" })).text, "only http and https");
  assertStringIncludes(
    (await call(tool(bench), { url: "http://u:p@example.org/" })).text,
    "name or password",
  );
  const asked: string[] = [];
  const body = tool(bench, { permit: (host) => (asked.push(host), Promise.resolve("no")) });
  assertStringIncludes((await call(body, { url: "example.org/page" })).text, "Not allowed: no");
  assertEquals(asked, ["example.org"]);
});

Deno.test("fetch ends at once when the call is cancelled", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: arrived, resolve: here } = Promise.withResolvers<void>();
  await using site = serve(async () => {
    here();
    await held;
    return new Response("late");
  });
  const network = createNetwork({
    listed: ["127.0.0.1"],
    userAgent: "myelin/1",
    now: () => 0,
  });
  const abort = new AbortController();
  const answer = network.get(`http://127.0.0.1:${site.port}/`, allow, abort.signal);
  await arrived;
  abort.abort();
  assertEquals(await answer, { ok: false, problem: "cancelled" });
  release();
});

Deno.test("notPublic() knows public addresses from others", () => {
  for (const address of ["8.8.8.8", "172.32.0.1", "2606:4700::1111", "100.128.0.1", "2002:808:808::1"]) {
    assertEquals(notPublic(address), undefined, address);
  }
  for (
    const address of [
      "0.0.0.0",
      "172.16.0.1",
      "100.64.0.1",
      "198.18.0.1",
      "224.0.0.1",
      "255.255.255.255",
      "::",
      "fe80::1%eth0",
      "64:ff9b::a00:1",
      "2002:7f00:1::",
      "2001:0:1::1",
      "ff02::1",
      "not an address",
    ]
  ) assert(notPublic(address) !== undefined, address);
});

Deno.test("forbids() reads robots.txt as it is meant", () => {
  const robots = [
    "User-agent: other",
    "Disallow: /",
    "",
    "User-agent: a",
    "User-agent: myelin # this one",
    "Disallow: /private",
    "Allow: /private/open",
    "Disallow: /*.pdf$",
    "",
    "User-agent: *",
    "Disallow: /",
  ].join("\n");
  const judged = (path: string) => forbids(robots, "myelin", path);
  assertEquals(["/", "/private/x", "/private/open/x", "/a.pdf", "/a.pdf?x"].map(judged), [
    false,
    true,
    false,
    true,
    false,
  ]);
  assertEquals(forbids(robots, "unknown", "/"), true);
  assertEquals(forbids("User-agent: *\nDisallow:\n", "myelin", "/x"), false);
});
