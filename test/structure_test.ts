/** The house keeps its rules, and each rule can tell when one is broken. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { checkSources, readSources } from "../scripts/check.ts";

const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

Deno.test("the sources keep the rules of scripts/layers.ts", () => {
  assertEquals(checkSources(readSources(ROOT)), []);
});

/** A house that is in order, as small as it can be. */
const HOUSE: Readonly<Record<string, string>> = {
  "main.ts": 'import { main } from "./src/cli/main.ts";\nDeno.exit(main());\n',
  "src/lib/text.ts": "export const x = 1;\n",
  "src/llm/mod.ts": 'export { m } from "./message.ts";\n',
  "src/llm/message.ts": 'import { x } from "../lib/text.ts";\nexport const m = x;\n',
  "src/llm/retry.ts": "export const r = 1;\n",
  "src/agent/mod.ts": 'export { l } from "./loop.ts";\n',
  "src/agent/loop.ts": 'import { m } from "../llm/mod.ts";\nexport const l = m;\n',
  "src/engine/create.ts": 'import { l } from "../agent/mod.ts";\nexport const c = l;\n',
  "src/engine/op.ts": "export type Op = 1;\n",
  "src/ui/mod.ts": 'import type { Op } from "../engine/op.ts";\nexport type U = Op;\n',
  "src/tools/mod.ts": 'import { a } from "./a/mod.ts";\nexport const list = [a];\n',
  "src/tools/a/mod.ts": "export const a = 1;\n",
  "src/tools/b/mod.ts": "export const b = 1;\n",
  "src/sheath/main.ts": "export {};\n",
  "src/cli/main.ts": 'import { c } from "../engine/create.ts";\nexport const main = () => c;\n',
};

function problems(changes: Readonly<Record<string, string>>): string[] {
  return checkSources(new Map(Object.entries({ ...HOUSE, ...changes })));
}

Deno.test("checkSources() finds nothing in a house that is in order", () => {
  assertEquals(problems({}), []);
});

const BROKEN: readonly [string, Record<string, string>, string][] = [
  [
    "an import upward",
    { "src/lib/text.ts": 'import { m } from "../llm/mod.ts";\nexport const x = m;\n' },
    "lib may not import llm",
  ],
  ["a type import upward", {
    "src/llm/retry.ts": 'import type { l } from "../agent/mod.ts";\nexport type R = typeof l;\n',
  }, "llm may not import agent"],
  [
    "a lazy import upward",
    { "src/llm/retry.ts": 'export const r = () => import("../agent/mod.ts");\n' },
    "llm may not import agent",
  ],
  [
    "an import type upward",
    { "src/llm/retry.ts": 'export type R = typeof import("../agent/mod.ts");\n' },
    "llm may not import agent",
  ],
  ["a way past the door", {
    "src/agent/loop.ts": 'import { r } from "../llm/retry.ts";\nexport const l = r;\n',
  }, "entered by its door"],
  ["an interface that sees more of the engine", {
    "src/ui/mod.ts": 'import { c } from "../engine/create.ts";\nexport const u = c;\n',
  }, "src/engine/create.ts"],
  ["peers that know each other", {
    "src/tools/a/mod.ts": 'import { b } from "../b/mod.ts";\nexport const a = b;\n',
  }, "peer"],
  ["a folder that imports its own door", {
    "src/agent/loop.ts": 'import { l as k } from "./mod.ts";\nexport const l = k;\n',
  }, "door of its own folder"],
  ["the worker's entry imported", {
    "src/cli/main.ts": 'import "../sheath/main.ts";\nexport const main = () => 1;\n',
  }, "src/sheath/main.ts"],
  ["the composition root imported from below", {
    "src/tools/a/mod.ts": 'import { c } from "../../engine/create.ts";\nexport const a = c;\n',
  }, "src/engine/create.ts"],
  [
    "Deno in the middle",
    { "src/agent/loop.ts": "export const l = Deno.cwd();\n" },
    "Deno belongs to the edges",
  ],
  [
    "Deno as a value in the middle",
    { "src/agent/loop.ts": "export const l = globalThis.Deno ?? Deno;\n" },
    "Deno belongs to the edges",
  ],
  [
    "node in the middle",
    { "src/agent/loop.ts": 'import fs from "node:fs";\nexport const l = fs;\n' },
    "node:fs belongs to the edges",
  ],
  ["export *", { "src/agent/mod.ts": 'export * from "./loop.ts";\n' }, "export *"],
  [
    "a computed import",
    { "src/agent/loop.ts": "export const l = (x: string) => import(x);\n" },
    "computed import",
  ],
  ["a file that is not there", {
    "src/agent/loop.ts": 'import { q } from "./gone.ts";\nexport const l = q;\n',
  }, "not there"],
  [
    "a file of too many lines",
    { "src/agent/loop.ts": "export const l = 1;\n".padEnd(1000, "\n") },
    "more than 900",
  ],
  ["a folder that is no layer", { "src/helpers/x.ts": "export const x = 1;\n" }, "not a layer"],
  ["a cycle", {
    "src/agent/loop.ts": 'import { p } from "./other.ts";\nexport const l = p;\n',
    "src/agent/other.ts": 'import type { l } from "./loop.ts";\nexport const p: typeof l = 1;\n',
  }, "cycle: src/agent/loop.ts -> src/agent/other.ts"],
];

for (const [name, changes, says] of BROKEN) {
  Deno.test(`checkSources() finds ${name}`, () => {
    assertStringIncludes(problems(changes).join("\n"), says);
  });
}

Deno.test("checkSources() takes comments and strings for what they are", () => {
  assertEquals(
    problems({ "src/agent/loop.ts": '// Deno.cwd(), import "node:fs"\nexport const l = "Deno.cwd()";\n' }),
    [],
  );
});
