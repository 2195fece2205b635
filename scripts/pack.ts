/**
 * Makes a bundle smaller: a compiled program reads all that is embedded in it
 * at each start, at about a millisecond for a megabyte, also what it hardly
 * ever runs. What is only ever run in the worker goes from the main bundle,
 * and the big rare parts of the worker are kept compressed until they are
 * loaded. The parts are named here; a name that the bundle does not have
 * fails the build, so that the list cannot rot.
 */
import { gzipSync } from "node:zlib";

/** Chunks that bodies of the worker's tools load, and nobody else. */
const WORKER_ONLY = ["scale_image", "pdfjs", "to_markdown"] as const;
/** Chunks of plain constants, functions and classes: what they export never changes. */
const COMPRESSED = ["pdfjs"] as const;
/** Chunks with WebAssembly in them, as a text in base64. */
const WITH_WASM = ["scale_image"] as const;

/** Takes out of the main bundle what only the worker runs. */
export async function leaveOut(folder: string): Promise<void> {
  for (const name of WORKER_ONLY) {
    const path = await chunk(folder, name);
    await Deno.writeTextFile(path, `throw new Error("${name} is a part of the worker");export{};`);
  }
}

/** Compresses the big rare parts of the worker's bundle. */
export async function compress(folder: string): Promise<void> {
  for (const name of WITH_WASM) {
    const path = await chunk(folder, name);
    const text = await Deno.readTextFile(path);
    let found = 0;
    const packed = text.replace(
      /([\w$]+)\("(AGFzbQ[A-Za-z0-9+/=]{100000,})"\)/g,
      (_all, decode: string, base64: string) => {
        found++;
        const small = gzipSync(Uint8Array.fromBase64(base64), { level: 9 });
        return `pk$unzip(${decode}("${small.toString("base64")}"))`;
      },
    );
    if (found !== 1) {
      throw new Error(`${name} has ${found} texts of WebAssembly, not one: see scripts/pack.ts`);
    }
    await Deno.writeTextFile(path, `import{gunzipSync as pk$unzip}from"node:zlib";${packed}`);
  }
  for (const name of COMPRESSED) {
    const path = await chunk(folder, name);
    const text = await Deno.readTextFile(path);
    const match = /^((?:import"\.\/[^"]*";)*)([\s\S]*?)export\{([^{}]*)\};\s*$/.exec(text);
    if (match === null || /import\.meta(?!\.url)|(?:^|[;}])import[ {*"]/.test(match[2])) {
      throw new Error(`${name} has a form that cannot be compressed: see scripts/pack.ts`);
    }
    const [, imports, body, list] = match;
    const pairs = list.split(",").filter((one) => one !== "").map((one) => {
      const [local, outer = local] = one.trim().split(/\s+as\s+/);
      return { local, outer };
    });
    const script = `(function(pk$url){"use strict";${body.replaceAll("import.meta.url", "pk$url")}\nreturn{${
      pairs.map(({ local }, at) => `e${at}:${local}`).join(",")
    }}})`;
    await Deno.writeFile(`${path}.gz`, gzipSync(script, { level: 9 }));
    const bound = pairs.map((_, at) => `e${at}:pk$${at}`).join(",");
    await Deno.writeTextFile(
      path,
      `${imports}import pk$vm from"node:vm";import{gunzipSync as pk$unzip}from"node:zlib";` +
        `import pk$text from"./${path.slice(path.lastIndexOf("/") + 1)}.gz"with{type:"bytes"};` +
        `const{${bound}}=new pk$vm.Script(pk$unzip(pk$text).toString(),{filename:"${name}"}).runInThisContext()(import.meta.url);` +
        `export{${pairs.map(({ outer }, at) => `pk$${at} as ${outer}`).join(",")}};`,
    );
  }
}

/** The file of a chunk by the name that its source had. */
async function chunk(folder: string, name: string): Promise<string> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    if (new RegExp(`^${name}-[A-Z0-9]{8}\\.js$`).test(entry.name)) found.push(`${folder}/${entry.name}`);
  }
  if (found.length !== 1) {
    throw new Error(`The bundle has ${found.length} chunks named ${name}, not one: see scripts/pack.ts`);
  }
  return found[0];
}
