import { assert, assertEquals, assertFalse } from "@std/assert";
import fc from "fast-check";
import { createVault, type Vault } from "../../../src/lib/secrets/mod.ts";

/** Put together, so that no text here is one. */
const key = (...parts: string[]) => parts.join("");
const GITHUB = key("ghp", "_", "0123456789abcdefghijABCDEFGHIJ012345");
const PEM = `-----BEGIN RSA ${"PRIVATE"} KEY-----\n${
  "MIIEpAIBAAKCAQEA0Z3VS5\n".repeat(4)
}-----END RSA ${"PRIVATE"} KEY-----`;

function vaultOf(values: Record<string, string>): Vault {
  const vault = createVault();
  vault.learn(Object.entries(values).map(([name, value]) => ({ name, value })));
  return vault;
}

const KNOWN = {
  DB_PASSWORD: "hunter2-CANARY",
  SHORT: "s3cret",
  PHRASE: "correct horse battery staple",
  INNER: "CANARY-inner-value",
  OUTER: "xx-CANARY-inner-value-yy",
};

Deno.test("mask() puts marks in the place of values, restore() puts them back, and all else stays", () => {
  const vault = vaultOf(KNOWN);
  const text =
    "pw=hunter2-CANARY; phrase 'correct horse battery staple' s3cret xs3crety xx-CANARY-inner-value-yy";
  const masked = vault.mask(text);
  assertEquals(
    masked,
    "pw=[hidden: DB_PASSWORD]; phrase '[hidden: PHRASE]' [hidden: SHORT] xs3crety [hidden: OUTER]",
  );
  assertEquals(vault.restore(masked), text);
  assertEquals(vault.restore("[hidden: NOBODY] x"), "[hidden: NOBODY] x");
  assertEquals(vault.unknownMarks("[hidden: NOBODY] [hidden: SHORT]"), ["[hidden: NOBODY]"]);
});

Deno.test("mask() finds a value where it is encoded", () => {
  const vault = vaultOf({ TOKEN: 'a"b\\c/CANARY+é=1' });
  const value = 'a"b\\c/CANARY+é=1';
  const bytes = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));
  for (
    const text of [
      JSON.stringify({ x: value }),
      `https://h/?t=${encodeURIComponent(value)}`,
      ...["", "x", "xy", "xyz"].map((before) => btoa(bytes(before + value + "tail"))),
    ]
  ) {
    const masked = vault.mask(text);
    assert(masked.includes("[hidden: TOKEN"), text);
    assertEquals(vault.restore(masked), text);
  }
});

Deno.test("mask() gives two values of one name two marks, and one value of two names one", () => {
  const vault = vaultOf({ A: "value-number-1" });
  vault.learn([{ name: "A", value: "value-number-2" }, { name: "B", value: "value-number-1" }]);
  assertEquals(vault.mask("value-number-1 value-number-2"), "[hidden: A] [hidden: A 2]");
});

Deno.test("mask() knows keys by their shape, and remembers what they were", () => {
  const vault = createVault();
  const table: [string, string][] = [
    [`token ${GITHUB} end`, "token [hidden: GITHUB_TOKEN] end"],
    [key("AKIA", "IOSFODNN7EXAMPLX"), "[hidden: AWS_KEY_ID]"],
    [`Authorization: Bearer ${key("abc123def456", "ghi789jkl012")}`, "Authorization: Bearer [hidden: TOKEN]"],
    ["postgres://app:Tr0ub4dor@db.example.org/x", "postgres://app:[hidden: PASSWORD]@db.example.org/x"],
    [`API_KEY=${key("9f8e7d6c5b4a", "3f2e1d0c")}`, "API_KEY=[hidden: API_KEY]"],
    [`"clientSecret": "${key("9f8e7d6c5b4a", "3f2e1dzz")}"`, `"clientSecret": "[hidden: CLIENTSECRET]"`],
    [`before\n${PEM}\nafter`, "before\n[hidden: PRIVATE_KEY]\nafter"],
  ];
  for (const [text, wanted] of table) {
    assertEquals(vault.mask(text), wanted);
    assertEquals(vault.restore(vault.mask(text)), text);
  }
  assertFalse(vault.mask(PEM.slice(0, 100)).includes("MIIE"), "a key that is cut off is one");
});

Deno.test("mask() leaves alone what is no key", () => {
  const vault = vaultOf({ PORT: "3000" });
  const texts = [
    "commit 9f8e7d6c5b4a3f2e1d0c9f8e7d6c5b4a3f2e1d0c",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "const token = await getTokenFromRequest(request2, options1);",
    "password: string; secret?: string; apiKey: process.env.API_KEY1",
    'const API_KEY = process.env["API_KEY_22"];',
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "sk-learn is imported as sklearn; task-runner-for-everyone",
    "http://user:$PASSWORD@host http://user:***@host http://user:<password>@host",
    "PASSWORD=changeme TOKEN=your-token-here SECRET_KEY=${SECRET_KEY_BASE}",
    "export default { tokenType: 'Bearer', tokenUrl: 'https://example.org/oauth2/token1' }",
    "AKIAIOSFODNN7 ghp_short eyJhbGciOi xoxb-1",
    "localhost:3000",
  ];
  for (const text of texts) assertEquals(vault.mask(text), text);
});

Deno.test("maskAll() and restoreAll() go through plain data and leave what has nothing in it as it is", () => {
  const vault = vaultOf(KNOWN);
  const data = { a: ["x", { b: "is hunter2-CANARY" }], n: 1, none: null };
  assertEquals(vault.maskAll(data), { a: ["x", { b: "is [hidden: DB_PASSWORD]" }], n: 1, none: null });
  assertEquals(vault.restoreAll(vault.maskAll(data)), data);
  const clean = { a: ["x"] };
  assert(vault.maskAll(clean) === clean);
});

const pieces = [
  ...Object.values(KNOWN),
  GITHUB,
  PEM,
  `API_KEY = "${key("9f8e7d6c5b4a", "3f2e1d0czz")}"`,
  `Bearer ${key("abc123def456", "ghi789jkl012")}`,
  "postgres://app:Tr0ub4dor@db.example.org/x",
  "plain words, ",
  "\n",
  " ",
  "...............",
  "é€😀",
];

Deno.test("stream() lets nothing through that mask() keeps back, however the text is cut", () => {
  fc.assert(fc.property(
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }),
    fc.array(fc.nat(40), { minLength: 1, maxLength: 40 }),
    (parts, cuts) => {
      const text = parts.join("");
      const vault = vaultOf(KNOWN);
      const whole = vault.mask(text);
      const stream = vault.stream();
      let out = "";
      let at = 0;
      for (let i = 0; at < text.length; i++) {
        const length = Math.max(1, cuts[i % cuts.length]);
        out += stream.push(text.slice(at, at + length));
        at += length;
      }
      out += stream.end();
      assertEquals(vault.restore(out), text);
      for (const secret of [...Object.values(KNOWN), GITHUB, "Tr0ub4dor", "MIIEpAIBAAKCAQEA0Z3VS5"]) {
        if (!whole.includes(secret)) assertFalse(out.includes(secret), `${secret} in ${out}`);
      }
    },
  ));
});

Deno.test("byteStream() masks bytes and keeps all others, valid text or not", () => {
  const vault = vaultOf({ NAME: "gehéim-CANARY-1" });
  const before = new Uint8Array([0xff, 0xfe, 0, 0x80, 0x20]);
  const value = new TextEncoder().encode("gehéim-CANARY-1");
  const all = new Uint8Array([...before, ...value, 0x20, 0xc3]);
  for (let cut = 0; cut <= all.length; cut++) {
    const stream = vault.byteStream();
    const out = [...stream.push(all.slice(0, cut)), ...stream.push(all.slice(cut)), ...stream.end()];
    assertEquals(out.slice(0, 5), [...before]);
    assertEquals(new TextDecoder().decode(new Uint8Array(out.slice(5, -2))), "[hidden: NAME]");
    assertEquals(out.at(-1), 0xc3);
  }
});

Deno.test("stream() does not hold text without end: a line of any length comes out", () => {
  const stream = vaultOf(KNOWN).stream();
  let out = "";
  for (let i = 0; i < 200; i++) out += stream.push("x".repeat(1000));
  assert(out.length > 180_000);
  assertEquals((out + stream.end()).length, 200_000);
});

Deno.test("liveStream() lets no known value through wherever it is cut, and holds back no more than its beginning", () => {
  const vault = createVault();
  vault.learn([{ name: "LONG", value: "abc-def-ghi-jkl" }, { name: "SHORT", value: "abcdef1" }]);
  const texts = [
    "x abc-def-ghi-jkl y",
    "abcdef1",
    "abcdef12 xabcdef1 abcdef1",
    "abc-def-ghi-jkabc-def-ghi-jkl",
    "abcabcabc-def-ghi-jkl-abcdef1",
  ];
  for (const text of texts) {
    for (let size = 1; size <= text.length; size++) {
      const live = vault.liveStream();
      let out = "";
      for (let at = 0; at < text.length; at += size) out += live.push(text.slice(at, at + size));
      assertEquals(out + live.end(), vault.mask(text, { shapes: false }), `${text} by ${size}`);
    }
  }
  const live = vault.liveStream();
  assertEquals(live.push("hello, ab"), "hello, ");
  assertEquals(live.push("out"), "about");
});
