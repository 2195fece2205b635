/**
 * Makes a bundle smaller: a compiled program reads all that is embedded in it
 * at each start, at about a millisecond for a megabyte, also what it hardly
 * ever runs. The big rare parts are kept compressed until they are loaded. They
 * are named here; a name that the bundle does not have fails the build, so
 * that the list cannot rot.
 */
import { brotliCompressSync, constants } from "node:zlib";
import { packedLoader, partsOf, scriptOf } from "./code_cache.ts";

/** Chunks of plain constants, functions and classes: what they export never changes. */
const COMPRESSED = ["pdfjs", "to_markdown", "common"] as const;
/** Chunks with WebAssembly in them, as a text in base64. */
const WITH_WASM = ["scale_image"] as const;

/** Compresses the big rare parts of a bundle. */
export async function compress(folder: string): Promise<void> {
  for (const name of WITH_WASM) {
    const path = await chunk(folder, name);
    const text = await Deno.readTextFile(path);
    const found: string[] = [];
    const packed = text.replace(/[\w$]+\("(AGFzbQ[A-Za-z0-9+/=]{100000,})"\)/g, (_all, base64: string) => {
      found.push(base64);
      return "pk$unzip(pk$wasm)";
    });
    if (found.length !== 1) {
      throw new Error(`${name} has ${found.length} texts of WebAssembly, not one: see scripts/pack.ts`);
    }
    await Deno.writeFile(`${path}.br`, small(Uint8Array.fromBase64(found[0])));
    const own = path.slice(path.lastIndexOf("/") + 1);
    await Deno.writeTextFile(
      path,
      `import{brotliDecompressSync as pk$unzip}from"node:zlib";import pk$wasm from"./${own}.br"with{type:"bytes"};${packed}`,
    );
  }
  await compressChunks(folder, [...COMPRESSED, await chunkOf(folder, "runChat")]);
}

/** The name of the chunk that exports something: for those whose source is only called mod.ts. */
async function chunkOf(folder: string, exported: string): Promise<string> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith("mod-") || !name.endsWith(".js")) continue;
    const text = await Deno.readTextFile(`${folder}/${name}`);
    if (new RegExp(`export\\{[^{}]*\\b${exported}\\b[^{}]*\\};?\\s*$`).test(text)) found.push(name);
  }
  if (found.length !== 1) {
    throw new Error(`${found.length} chunks export ${exported}, not one: see scripts/pack.ts`);
  }
  return found[0];
}

async function compressChunks(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = await chunk(folder, name);
    // Nothing that is run asks a part for its own address.
    const text = (await Deno.readTextFile(path)).replaceAll("import.meta.url", '"file:///part.js"');
    // Licences stand behind the exports; they stay with the script.
    let end = text.trimEnd().length;
    while (text.slice(0, end).endsWith("*/")) {
      end = text.slice(0, text.lastIndexOf("/*", end)).trimEnd().length;
    }
    const parts = partsOf(text.slice(0, end));
    if (parts === undefined) {
      throw new Error(`${name} has a form that cannot be compressed: see scripts/pack.ts`);
    }
    await Deno.writeFile(`${path}.br`, small(new TextEncoder().encode(scriptOf(parts) + text.slice(end))));
    await Deno.writeTextFile(path, packedLoader(path.slice(path.lastIndexOf("/") + 1), parts));
  }
}

function small(bytes: Uint8Array): Uint8Array {
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

/** The file of a chunk by its own name, or by the one that its source had. */
async function chunk(folder: string, name: string): Promise<string> {
  if (name.endsWith(".js")) return `${folder}/${name}`;
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    if (new RegExp(`^${name}-[A-Z0-9]{8}\\.js$`).test(entry.name)) found.push(`${folder}/${entry.name}`);
  }
  if (found.length !== 1) {
    throw new Error(`The bundle has ${found.length} chunks named ${name}, not one: see scripts/pack.ts`);
  }
  return found[0];
}
