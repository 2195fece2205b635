/**
 * Ready-made code for the big modules of a bundle. V8 takes 30 ms to read a
 * megabyte of script and again some for each function at its first call; with
 * a code cache it takes a tenth of that. Deno's own cache for compiled
 * programs is a file of a well-known name in the temporary folder, which
 * anybody could put there first; here the cache is embedded in the program.
 *
 * A big module becomes two: a file with its cache and its text as a classic
 * script, and a small module in the old place that runs the script with what
 * the text imports and exports what it exports. The caches are made by a
 * first compiled program (only the very runtime that reads them can make
 * them) that is put through typical work. It begins with the caches that there
 * are by then, so that in the end each holds what every piece of work needed.
 * A cache that does not fit, other
 * flags for V8 say, is passed over by V8: then the start is slower.
 *
 * Modules that the work does not load stay as they are, and so do those whose
 * shape is not the plain one that the bundler writes.
 */

/** From this size on a cache is worth the two more modules. */
const LEAST_BYTES = 5_000;

export interface Binding {
  /** What the imported module calls it; "*" for all of it. */
  readonly name: string;
  readonly local: string;
}

interface Import {
  readonly from: string;
  readonly bindings: readonly Binding[];
}

export interface Parts {
  readonly imports: readonly Import[];
  /** Specifiers of `import()`. */
  readonly lazy: readonly string[];
  readonly body: string;
  readonly exports: readonly Binding[];
}

/** Turns the big modules of a folder into scripts without caches yet; {@link keep} ends what this begins. */
export class ScriptedFolder {
  readonly #folder: string;
  readonly #originals = new Map<string, string>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** `except`: files that stay modules, the entries. */
  static async prepare(folder: string, except: readonly string[]): Promise<ScriptedFolder> {
    const made = new ScriptedFolder(folder);
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (!isFile || !name.endsWith(".js") || except.includes(name)) continue;
      const path = `${folder}/${name}`;
      if ((await Deno.stat(path)).size < LEAST_BYTES) continue;
      const text = await Deno.readTextFile(path);
      const parts = partsOf(text);
      if (parts === undefined) continue;
      made.#originals.set(name, text);
      await Deno.writeTextFile(`${path}.txt`, scriptOf(parts));
      await Deno.writeTextFile(path, loaderOf(name, parts, `${folder}/`));
    }
    return made;
  }

  /** After the work: keeps the scripts that got a cache, puts the others back. The number of those that stay. */
  async keep(): Promise<number> {
    let kept = 0;
    for (const [name, text] of this.#originals) {
      const path = `${this.#folder}/${name}`;
      const cache = await Deno.readFile(`${path}.bin`).catch(() => undefined);
      if (cache !== undefined && cache.length > 0) {
        await Deno.writeFile(`${path}.bin`, joined(cache, await Deno.readFile(`${path}.txt`)));
        await Deno.writeTextFile(path, loaderOf(name, partsOf(text)!, undefined));
        kept++;
      } else {
        await Deno.writeTextFile(path, text);
        if (cache !== undefined) await Deno.remove(`${path}.bin`);
      }
      await Deno.remove(`${path}.txt`);
    }
    return kept;
  }
}

/** The length of the cache in four bytes, little end first; the cache; the text. */
function joined(cache: Uint8Array, text: Uint8Array): Uint8Array {
  const both = new Uint8Array(4 + cache.length + text.length);
  new DataView(both.buffer).setUint32(0, cache.length, true);
  both.set(cache, 4);
  both.set(text, 4 + cache.length);
  return both;
}

/** Put before the first program's entries: main writes down the caches at its end, or the worker does with each result where the file `turn` is there. */
export const dumpInMain = (turn: string) =>
  `{const e=Deno.exit;Deno.exit=c=>{if(!(${isThere(turn)}))${DUMP_ALL};e(c)}}`;
export const dumpInWorker = (turn: string) =>
  "{const p=self.postMessage.bind(self);" +
  `self.postMessage=(m,t)=>{if(m.type==="result"&&(${isThere(turn)}))${DUMP_ALL};p(m,t)}}`;

const DUMP_ALL = "for(const d of globalThis.cc$all??[])d()";
const isThere = (file: string) => `(()=>{try{return Deno.statSync(${JSON.stringify(file)})}catch{}})()`;

/** At a module's head, and further down for what the system brings: the bundler leaves that where it was written. */
const IMPORT =
  /(?:^|(?<=[;}]))import(?: ([\w$]+)|\* ?as ([\w$]+)|\{([^{}"]*)\})?(?: ?from)? ?"(\.\/[^"]*|node:[^"]*)";?/g;

/** Takes a module of the bundler's apart; undefined for one that cannot be a script. */
export function partsOf(text: string): Parts | undefined {
  const imports: Import[] = [];
  const rest = text.replace(IMPORT, (_all, first?: string, all?: string, some?: string, from = "") => {
    const bindings: Binding[] = [];
    if (first !== undefined) bindings.push({ name: "default", local: first });
    if (all !== undefined) bindings.push({ name: "*", local: all });
    if (some !== undefined) bindings.push(...bindingsOf(some, "local"));
    imports.push({ from, bindings });
    return "";
  });
  const end = /export ?\{([^{}]*)\};?\s*$/.exec(rest);
  if (end === null) return undefined;
  const body = rest.slice(0, end.index);
  // What else imports and exports there is has a form that is not foreseen here.
  if (/import\.meta(?!\.url\b)|cc\$|(?:^|[;}])(?:im|ex)port[ {*"]/.test(body)) return undefined;
  const lazy = [...new Set([...body.matchAll(LAZY)].map((match) => match[1]))];
  // Computed ones would not be found in the compiled program.
  if (COMPUTED.test(body)) return undefined;
  return { imports, lazy, body, exports: bindingsOf(end[1], "name") };
}

const LAZY = /(?<![.\w$])import\("([^"]*)"\)/g;
/** Neither that nor a method of this name, called or defined. */
const COMPUTED = /(?<![.\w$])import\((?!"[^"]*"\)|[\w$,]*\)\{)/;

/** `a as b, c`: in an import the first is the other module's name, in an export the second is the outer one. */
function bindingsOf(list: string, second: "local" | "name"): Binding[] {
  return list.split(",").filter((one) => one.trim() !== "").map((one) => {
    const [left, right = left] = one.trim().split(/\s+as\s+/);
    return second === "local" ? { name: left, local: right } : { name: right, local: left };
  });
}

/** A module's text as a script that makes a function of what it imports. */
export function scriptOf({ imports, body, exports }: Parts): string {
  const names = imports.flatMap(({ bindings }) => bindings.map(({ local }) => local));
  const out = exports.map(({ name, local }) => `get ${name}(){return ${local}}`);
  return `(function(${["cc$import", "cc$url", ...names].join(",")}){"use strict";${
    body.replace(LAZY, 'cc$import("$1")').replaceAll("import.meta.url", "cc$url")
  }` +
    `\nreturn{${out.join(",")}}})`;
}

/** The module in the old place. `dump`: the folder into which the cache is to be written (the first program). */
function loaderOf(name: string, parts: Parts, dump: string | undefined): string {
  const { lines, values } = headOf(parts);
  if (dump !== undefined) {
    lines.push(
      `import cc$text from"./${name}.txt"with{type:"text"};`,
      `let cc$old;try{cc$old=Deno.readFileSync(${JSON.stringify(`${dump}${name}.bin`)})}catch{}`,
      `const cc$script=new cc$vm.Script(cc$text,{filename:"${name}",cachedData:cc$old});`,
    );
  } else {
    // Text and cache in one file: each module more costs a tenth of a millisecond.
    lines.push(
      `import cc$both from"./${name}.bin"with{type:"bytes"};`,
      "const cc$end=4+new DataView(cc$both.buffer,cc$both.byteOffset).getUint32(0,true);",
      "const cc$script=new cc$vm.Script(new TextDecoder().decode(cc$both.subarray(cc$end)),{" +
        `filename:"${name}",cachedData:cc$both.subarray(4,cc$end)});`,
    );
  }
  lines.push(...tailOf(parts, values));
  if (dump !== undefined) lines.push(dumpOf(name, values, parts.exports, dump));
  return lines.join("");
}

/** A module in the old place whose script is in a compressed file. Only for one whose exports never change. */
export function packedLoader(name: string, parts: Parts): string {
  const { lines, values } = headOf(parts);
  lines.push(
    `import{brotliDecompressSync as cc$unzip}from"node:zlib";`,
    `import cc$packed from"./${name}.br"with{type:"bytes"};`,
    `const cc$script=new cc$vm.Script(cc$unzip(cc$packed).toString(),{filename:"${name}"});`,
    ...tailOf(parts, values),
  );
  return lines.join("");
}

/** What the module imports, and the values of that, in the order in which the script takes them. */
function headOf({ imports }: Parts): { lines: string[]; values: string[] } {
  const lines = ['import cc$vm from"node:vm";'];
  const values: string[] = [];
  for (const { from, bindings } of imports) {
    // One by one: an object with all that a module exports is made only where it is asked for.
    const some: string[] = [];
    for (const { name } of bindings) {
      const value = `cc$${values.length}`;
      values.push(value);
      if (name === "*") lines.push(`import*as ${value} from"${from}";`);
      else some.push(`${name} as ${value}`);
    }
    if (some.length > 0) lines.push(`import{${some.join(",")}}from"${from}";`);
    else if (bindings.length === 0) lines.push(`import"${from}";`);
  }
  return { lines, values };
}

/** The script run with those values, and what it exports. */
function tailOf({ lazy, exports }: Parts, values: readonly string[]): string[] {
  return [
    `const cc$lazy={${lazy.map((from) => `"${from}":()=>import("${from}")`).join(",")}};`,
    `const cc$given=[${values.join(",")}];`,
    "const cc$made=cc$script.runInThisContext()(from=>cc$lazy[from](),import.meta.url,...cc$given);",
    ...exports.map((one, i) => `const cc$e${i}=cc$made.${one.name};`),
    `export{${exports.map((one, i) => `cc$e${i} as ${one.name}`).join(",")}};`,
  ];
}

/** What is handed over by value must still be the same after the work: nothing may change an imported or exported variable. */
function dumpOf(
  name: string,
  values: readonly string[],
  exports: readonly Binding[],
  folder: string,
): string {
  const same = [
    ...values.map((value, i) => `${value}===cc$given[${i}]`),
    ...exports.map((one, i) => `cc$made.${one.name}===cc$e${i}`),
  ].join("&&") || "true";
  return `(globalThis.cc$all??=[]).push(()=>{` +
    `if(!(${same}))throw new Error("${name}: an imported or exported variable changes");` +
    `Deno.writeFileSync(${JSON.stringify(`${folder}${name}.bin`)},cc$script.createCachedData())});`;
}
