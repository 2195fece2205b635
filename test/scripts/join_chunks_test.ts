/** Modules as the bundler writes them, run, joined and run again. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Chunks, recordInMain } from "../../scripts/join_chunks.ts";

const FILES: Readonly<Record<string, string>> = {
  "main.js": 'import{b as x}from"./chunk-B.js";import"./chunk-S.js";import{a}from"./chunk-A.js";' +
    'const{late:l}=await import("./late-L.js");const all=await import("./chunk-A.js");' +
    "console.log(x,a,l(),Object.keys(all).join());Deno.exit(0);",
  "chunk-A.js": "var n=1;class E extends Error{}export{n as a,E as c};",
  "chunk-B.js":
    'import{a as n,c as E}from"./chunk-A.js";import sys from"node:process";import*as fs from"node:fs";' +
    "var a=[n+1,typeof sys.pid,typeof fs.statSync,new E instanceof Error].join();export{a as b};",
  // One that only has an effect.
  "chunk-S.js": "globalThis.side=(globalThis.side??0)+1;var none;export{none as a};",
  "late-L.js": 'import*as A from"./chunk-A.js";import{s}from"./changes-C.js";import{t}from"./waits-W.js";' +
    'import{u}from"./late-M.js";var f=()=>[A.a,s(),t,u,globalThis.side].join("-");export{f as late};',
  "late-M.js": 'import{a as n}from"./chunk-A.js";var u="m"+n,url=import.meta.url;export{u,url};',
  "changes-C.js": "var c=0;function s(){return++c}export{c as count,s};",
  "waits-W.js": "var t=await Promise.resolve(3);export{t};",
  "never-N.js": 'import{a}from"./chunk-A.js";var z=a;export{z};',
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

async function run(folder: string): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--no-lock", "--no-check", "-A", "main.js"],
    cwd: folder,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

async function joined(folder: string): Promise<number> {
  const main = await Deno.readTextFile(`${folder}/main.js`);
  const chunks = await Chunks.record(folder, ["main.js", "head.js"]);
  await Deno.writeTextFile(`${folder}/head.js`, recordInMain(`${folder}/list.json`));
  await Deno.writeTextFile(`${folder}/main.js`, `import"./head.js";${main}`);
  await run(folder);
  await Deno.writeTextFile(`${folder}/main.js`, main);
  return await chunks.join([{ file: `${folder}/list.json`, last: 0 }], [
    { file: `${folder}/main.js`, up: "./" },
  ]);
}

async function modules(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name)
    .filter((name) => name.endsWith(".js") && name !== "head.js" && name !== "main.js").sort();
}

Deno.test("Chunks.join() makes one module of what is loaded together, and the program does what it did", () =>
  withFolder(async (folder) => {
    const before = await run(folder);
    assertEquals(before, "2,number,function,true 1 1-1-3-m1-1 a,c");
    assertEquals(await joined(folder), 4);
    // One that changes what it exports, one that waits and one that nobody loads stay as they are.
    assertEquals(await modules(folder), ["changes-C.js", "joined-0.js", "never-N.js", "waits-W.js"]);
    assertEquals(await run(folder), before);
    assertStringIncludes(await Deno.readTextFile(`${folder}/never-N.js`), 'from"./joined-0.js"');
  }));

Deno.test("Chunks.join() puts together only what the same pieces of work load in the same phase", () =>
  withFolder(async (folder) => {
    const list = (phases: Record<string, number>) =>
      JSON.stringify(Object.entries(phases).map(([name, phase]) => ({ name, phase, constant: true })));
    const chunks = await Chunks.record(folder, ["main.js"]);
    await Deno.writeTextFile(`${folder}/1.json`, list({ "chunk-A.js": 0, "chunk-B.js": 0, "chunk-S.js": 0 }));
    await Deno.writeTextFile(`${folder}/2.json`, list({ "chunk-A.js": 0, "chunk-S.js": 0, "late-M.js": 2 }));
    const lists = ["1", "2"].map((name) => ({ file: `${folder}/${name}.json`, last: 1 }));
    assertEquals(await chunks.join(lists, [{ file: `${folder}/main.js`, up: "./" }]), 1);
    const left = await modules(folder);
    assert(!left.includes("chunk-A.js") && !left.includes("chunk-S.js"), left.join());
    assert(left.includes("chunk-B.js") && left.includes("late-M.js"), left.join());
    assertEquals(await run(folder), "2,number,function,true 1 1-1-3-m1-1 a,c");
  }));
