/** The file tools through the whole program: bytes on disk, and what the model is sent. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { startChatServer } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

Deno.test("run edits files as they are: line ends, encodings, indentation and mode", async () => {
  const files: [string, string, string, string, string][] = [
    [
      "crlf.py",
      "def f():\r\n    return 1\r\n",
      "    return 1\n",
      "    x = 2\n    return x\n",
      "def f():\r\n    x = 2\r\n    return x\r\n",
    ],
    ["latin1.java", "// pr\xe9c\xe9dent\nint n = 1;\n", "n = 1", "n = 2", "// pr\xe9c\xe9dent\nint n = 2;\n"],
    ["bom.cs", "\xef\xbb\xbfint n = 1;", "n = 1", "n = 2", "\xef\xbb\xbfint n = 2;"],
    [
      "tabs.go",
      "if a {\n\treturn 1\n}\n",
      "    return 1",
      "    return 2\n    // done",
      "if a {\n\treturn 2\n\t// done\n}\n",
    ],
    ["mixed.txt", "a\nb\r\nc\n", "c", "C", "a\nb\r\nC\n"],
  ];
  const turns = files.flatMap(([path, , oldText, newText]) => [
    { calls: [{ name: "read", args: { path } }] },
    { calls: [{ name: "edit", args: { path, edits: [{ oldText, newText }] } }] },
  ]);
  const server = startChatServer({ turns: [...turns, { text: "Done." }] });
  await using project = await createProject({ url: server.url });
  for (const [path, before] of files) Deno.writeFileSync(`${project.dir}/${path}`, bytes(before));
  Deno.chmodSync(`${project.dir}/tabs.go`, 0o750);
  const ended = await project.run(["run", "mend them"]);
  assertEquals(ended.code, 0, ended.stderr);
  for (const [path, , , , after] of files) {
    assertEquals(hex(Deno.readFileSync(`${project.dir}/${path}`)), hex(bytes(after)), path);
  }
  assertEquals(Deno.statSync(`${project.dir}/tabs.go`).mode! & 0o777, 0o750);
  await server.close();
});

Deno.test("run sends a model huge and hostile files bounded and well formed", async () => {
  const server = startChatServer({
    turns: [
      { calls: [{ name: "read", args: { path: "emoji.txt" } }] },
      { calls: [{ name: "read", args: { path: "line.js" } }] },
      { calls: [{ name: "grep", args: { pattern: "NEEDLE" } }] },
      { calls: [{ name: "read", args: { path: "escape.txt" } }] },
      { calls: [{ name: "read", args: { path: "binary.bin" } }] },
      { text: "Done." },
    ],
  });
  await using project = await createProject({ url: server.url });
  await project.write("emoji.txt", "👨‍👩‍👧‍👦".repeat(20_000));
  await project.write("line.js", "x".repeat(5_000_000) + "/*NEEDLE*/" + "y".repeat(5_000_000));
  await project.write("escape.txt", "\x1b[2J\x1b]0;owned\x07\u202eevil\u202c\n");
  Deno.writeFileSync(
    `${project.dir}/binary.bin`,
    Uint8Array.from({ length: 65536 }, (_, i) => (i * 7919) & 255),
  );
  const ended = await project.run(["run", "look"]);
  assertEquals(ended.code, 0, ended.stderr);
  const results = server.requests.at(-1)!.body.messages.filter((message) => message.role === "tool")
    .map((message) => String(message.content));
  assertEquals(results.length, 5);
  for (const text of results) {
    assert(text.isWellFormed());
    assert(new TextEncoder().encode(text).length <= 33 * 1024);
    // deno-lint-ignore no-control-regex -- what must not be there
    assert(!/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/.test(text));
  }
  assertStringIncludes(results[1], "of 10,000,010 bytes; go on with offset 1, limit 1, column");
  assertStringIncludes(results[2], "x/*NEEDLE*/y");
  assertEquals(results[4], "binary.bin: binary, 65,536 bytes");
  await server.close();
});

Deno.test("run refuses to overwrite what the model has not seen, and says what to do", async () => {
  const server = startChatServer({
    turns: [
      { calls: [{ name: "write", args: { path: "notes.txt", content: "mine\n" } }] },
      { calls: [{ name: "read", args: { path: "notes.txt" } }] },
      { calls: [{ name: "write", args: { path: "notes.txt", content: "mine\n" } }] },
      { text: "Done." },
    ],
  });
  await using project = await createProject({ url: server.url });
  await project.write("notes.txt", "yours\n");
  const ended = await project.run(["run", "write"]);
  assertEquals(ended.code, 0, ended.stderr);
  const first = server.requests[1].body.messages.at(-1)!;
  assertStringIncludes(String(first.content), "read it first");
  assertEquals(await project.read("notes.txt"), "mine\n");
  await server.close();
});
