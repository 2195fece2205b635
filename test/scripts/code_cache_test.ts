/** Modules as the bundler writes them, turned into scripts and loaded. */
import { assert, assertEquals } from "@std/assert";
import { pathToFileURL } from "node:url";
import { ScriptedFolder } from "../../scripts/code_cache.ts";

/** Big enough to be turned into a script. */
const BIG = `var big="${"x".repeat(30_000)}";`;

const FILES = {
  "chunk-A.js": "var n=1;class E extends Error{}export{n as a,E as b};",
  "lazy-B.js": "var v=7;export{v as value};",
  "main-C.js": 'import{a as x,b as q}from"./chunk-A.js";import"./chunk-A.js";' + BIG +
    'import sys from"node:process";import*as fs from"node:fs";' +
    'class T{import(e,t){return e+t}}async function load(){return(await import("./lazy-B.js")).value}' +
    "var out={sum:new T().import(x,2),pid:typeof sys.pid,fs:typeof fs.statSync};" +
    "export{load as load,out as out,q as Err,T as default};",
  "plain-D.js": BIG + "var a=1;export{a as b};",
  "meta-E.js": BIG + "var a=import.meta.dirname;export{a as b};",
  "place-H.js": BIG + 'var a=new URL("./x",import.meta.url).href;export{a as b};',
  "computed-F.js": BIG + "var a=e=>import(e);export{a as b};",
};

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (const [name, text] of Object.entries(FILES)) await Deno.writeTextFile(`${folder}/${name}`, text);
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function scripts(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name)
    .filter((name) => name.endsWith(".txt")).sort();
}

Deno.test("ScriptedFolder.prepare() turns big plain modules into scripts, no others", () =>
  withFolder(async (folder) => {
    await ScriptedFolder.prepare(folder, ["plain-D.js"]);
    assertEquals(await scripts(folder), ["main-C.js.txt", "place-H.js.txt"]);
  }));

Deno.test("ScriptedFolder.prepare() leaves modules that import and export what they did", () =>
  withFolder(async (folder) => {
    await ScriptedFolder.prepare(folder, []);
    const loaded = await import(pathToFileURL(`${folder}/main-C.js`).href);
    const other = await import(pathToFileURL(`${folder}/chunk-A.js`).href);
    assertEquals(loaded.out, { sum: 3, pid: "number", fs: "function" });
    assertEquals(await loaded.load(), 7);
    assert(loaded.Err === other.b);
    assertEquals(new loaded.default().import(1, 1), 2);
    const place = await import(pathToFileURL(`${folder}/place-H.js`).href);
    assertEquals(place.b, pathToFileURL(`${folder}/x`).href);
  }));

Deno.test("ScriptedFolder.keep() keeps what has a cache and puts the others back", () =>
  withFolder(async (folder) => {
    const prepared = await ScriptedFolder.prepare(folder, []);
    await Deno.writeTextFile(`${folder}/main-C.js.bin`, "no cache that V8 would take");
    assertEquals(await prepared.keep(), 1);
    assertEquals(await scripts(folder), []);
    assert((await Deno.stat(`${folder}/main-C.js.bin`)).size > BIG.length);
    assertEquals(await Deno.readTextFile(`${folder}/plain-D.js`), FILES["plain-D.js"]);
    // A cache that does not fit is passed over.
    const { out } = await import(pathToFileURL(`${folder}/main-C.js`).href);
    assertEquals(out.sum, 3);
  }));

Deno.test("ScriptedFolder: the program that makes caches begins with those that are there, and passes over what is none", () =>
  withFolder(async (folder) => {
    await ScriptedFolder.prepare(folder, []);
    await Deno.writeTextFile(`${folder}/main-C.js.bin`, "no cache that V8 would take");
    const { out } = await import(pathToFileURL(`${folder}/main-C.js`).href);
    assertEquals(out.sum, 3);
  }));

Deno.test("ScriptedFolder: a variable that changes after it was exported is told when caches are written", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(
      `${folder}/changes-G.js`,
      BIG + "var a=1;function set(){a=2}export{a as a,set as set};",
    );
    await ScriptedFolder.prepare(folder, []);
    const { set } = await import(pathToFileURL(`${folder}/changes-G.js`).href);
    const global = globalThis as { cc$all?: (() => void)[] };
    const dump = global.cc$all!.at(-1)!;
    dump();
    set();
    let told = "";
    try {
      dump();
    } catch (error) {
      told = String(error);
    }
    delete global.cc$all;
    assertEquals(told, "Error: changes-G.js: an imported or exported variable changes");
    assert((await Deno.stat(`${folder}/changes-G.js.bin`)).size > 0);
  }));
