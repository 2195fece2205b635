/**
 * Joins chunks of a bundle that are always loaded together. The bundler cuts
 * wherever one lazy import shares something with another, which makes
 * hundreds of modules of a few hundred bytes; each costs a tenth of a
 * millisecond to load, and none is big enough for a code cache. Which of them
 * belong together says a run of the program itself: what the same kinds of
 * work load in the same phase becomes one module, so nothing is loaded that
 * was not before.
 *
 * A chunk becomes a function in the joined module; what it exports is handed
 * over by value. That is right only for variables that never change after the
 * module has run, so the run also looks at each of them again at its end.
 */
import { type Binding, type Parts, partsOf, scriptOf } from "./code_cache.ts";

/** One module, loaded in one piece of work: when, and whether its variables stayed what they were. */
interface Load {
  readonly name: string;
  readonly phase: number;
  readonly constant: boolean;
}

/** Put before the first program's main entry: the phases are before and after the worker is made. `file`: where the list goes. */
export function recordInMain(file: string): string {
  return `{const L=globalThis.ld$all=[];globalThis.ld$phase=0;` +
    `const W=globalThis.Worker;globalThis.Worker=class extends W{constructor(...a){globalThis.ld$phase=1;super(...a)}};` +
    `const e=Deno.exit;Deno.exit=c=>{${writing(file)}e(c)}}`;
}

/** The same for the worker: its phases end with the first message and with each result. */
export function recordInWorker(file: string): string {
  return `{const L=globalThis.ld$all=[];globalThis.ld$phase=0;const p=self.postMessage.bind(self);` +
    `self.postMessage=(m,t)=>{if(m.type==="ready"||m.type==="result"){globalThis.ld$phase++;${
      writing(file)
    }}p(m,t)}}`;
}

const writing = (file: string) =>
  `Deno.writeTextFileSync(${JSON.stringify(file)},JSON.stringify(L.map(([name,phase,was,now])=>` +
  `({name,phase,constant:now().every((v,i)=>v===was[i])}))));`;

/** The chunks of a bundle, first made to tell when they are loaded, then joined. */
export class Chunks {
  readonly #folder: string;
  readonly #texts = new Map<string, string>();
  readonly #parts = new Map<string, Parts>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Lets every chunk tell. `except`: files that are no chunks, the entries. */
  static async record(folder: string, except: readonly string[]): Promise<Chunks> {
    const made = new Chunks(folder);
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (!isFile || !name.endsWith(".js") || except.includes(name)) continue;
      const text = await Deno.readTextFile(`${folder}/${name}`);
      made.#texts.set(name, text);
      const parts = partsOf(text);
      if (parts === undefined || !isScript(parts)) continue;
      made.#parts.set(name, parts);
      await Deno.writeTextFile(`${folder}/${name}`, telling(name, text, parts));
    }
    return made;
  }

  /**
   * Joins by the lists that the pieces of work have written, each of them read
   * up to phase `last`. `entries`: files that import chunks, with the way from
   * them to the folder. The number of modules that there are then fewer.
   */
  async join(
    lists: readonly { readonly file: string; readonly last: number }[],
    entries: readonly { readonly file: string; readonly up: string }[],
  ): Promise<number> {
    for (const [name, text] of this.#texts) await Deno.writeTextFile(`${this.#folder}/${name}`, text);
    const groups = this.#groups(
      await Promise.all(lists.map(async ({ file, last }) => {
        const loads: Load[] = JSON.parse(await Deno.readTextFile(file));
        return loads.filter(({ phase }) => phase <= last);
      })),
    );
    const places = new Map<string, Place>();
    for (const [i, names] of groups.entries()) {
      for (const [n, name] of names.entries()) places.set(name, { module: `joined-${i}.js`, as: `m${n}` });
    }
    for (const [name, text] of this.#texts) {
      if (places.has(name)) continue;
      await Deno.writeTextFile(`${this.#folder}/${name}`, redirected(text, places, "./"));
    }
    for (const { file, up } of entries) {
      await Deno.writeTextFile(file, redirected(await Deno.readTextFile(file), places, up));
    }
    for (const [i, names] of groups.entries()) {
      const text = joined(names.map((name) => [name, this.#parts.get(name)!]), places);
      await Deno.writeTextFile(`${this.#folder}/joined-${i}.js`, redirected(text, places, "./"));
      for (const name of names) await Deno.remove(`${this.#folder}/${name}`);
    }
    return places.size - groups.length;
  }

  /** Chunks with the same first phase in every list, in an order in which each comes after what it imports. */
  #groups(lists: readonly (readonly Load[])[]): string[][] {
    const spoilt = new Set(lists.flat().filter(({ constant }) => !constant).map(({ name }) => name));
    const byPhases = new Map<string, string[]>();
    // Modules have run in the order of the lists: what is imported stands before who imports it.
    for (const name of new Set(lists.flat().map(({ name }) => name))) {
      if (spoilt.has(name)) continue;
      const phases = lists.map((list) => list.find((load) => load.name === name)?.phase ?? "-").join(" ");
      const group = byPhases.get(phases);
      if (group === undefined) byPhases.set(phases, [name]);
      else group.push(name);
    }
    return [...byPhases.values()].filter((names) => names.length > 1).map((names) => this.#ordered(names));
  }

  #ordered(names: readonly string[]): string[] {
    const out: string[] = [];
    const open = new Set<string>();
    const visit = (name: string) => {
      if (out.includes(name)) return;
      if (open.has(name)) throw new Error(`${name} imports itself by others: it cannot be joined`);
      open.add(name);
      for (const { from } of this.#parts.get(name)!.imports) {
        if (names.includes(from.slice(2))) visit(from.slice(2));
      }
      out.push(name);
    };
    for (const name of names) visit(name);
    return out;
  }
}

/** Where a chunk is now: a variable of a module. */
interface Place {
  readonly module: string;
  readonly as: string;
}

/** Whether its body can be a function's: one that awaits, say, cannot. */
function isScript(parts: Parts): boolean {
  try {
    new Function(`return ${scriptOf(parts)}`);
    return true;
  } catch {
    return false;
  }
}

function telling(name: string, text: string, { imports, exports }: Parts): string {
  const values = [
    ...imports.flatMap(({ bindings }) => bindings.map(({ local }) => local)),
    ...exports.map(({ local }) => local),
  ].join(",");
  const at = text.search(/export ?\{[^{}]*\};?\s*$/);
  const tell = `;globalThis.ld$all?.push(["${name}",globalThis.ld$phase,[${values}],()=>[${values}]]);`;
  return text.slice(0, at) + tell + text.slice(at);
}

/** The text of a joined module; it still names the chunks that it imports by their old places. */
function joined(
  chunks: readonly (readonly [name: string, parts: Parts])[],
  places: ReadonlyMap<string, Place>,
): string {
  const own = places.get(chunks[0][0])!.module;
  const imports: string[] = [];
  const lines: string[] = [];
  const exports: string[] = [];
  for (const [name, parts] of chunks) {
    const { as } = places.get(name)!;
    const locals: string[] = [];
    const values: string[] = [];
    for (const { from, bindings } of parts.imports) {
      const inside = places.get(from.slice(2));
      const outer = inside?.module === own ? undefined : [] as Binding[];
      if (outer !== undefined && bindings.length === 0) imports.push(`import"${from}";`);
      for (const { name, local } of bindings) {
        locals.push(local);
        if (outer === undefined) values.push(name === "*" ? inside!.as : `${inside!.as}.${name}`);
        else {
          const value = `${as}$${values.length}`;
          values.push(value);
          if (name === "*") imports.push(`import*as ${value} from"${from}";`);
          else outer.push({ name, local: value });
        }
      }
      if (outer !== undefined && outer.length > 0) imports.push(named(outer, from));
    }
    lines.push(
      `const ${as}=((${locals.join(",")})=>{${parts.body}\n` +
        `return{${parts.exports.map(({ name, local }) => `${name}:${local}`).join(",")}}})(${
          values.join(",")
        });`,
      ...parts.exports.map(({ name }) => `const ${as}_${name}=${as}.${name};`),
    );
    exports.push(as, ...parts.exports.map(({ name }) => `${as}_${name}`));
  }
  return `${imports.join("")}${lines.join("")}export{${exports.join(",")}};`;
}

function named(bindings: readonly Binding[], from: string): string {
  return `import{${bindings.map(({ name, local }) => `${name} as ${local}`).join(",")}}from"${from}";`;
}

/** The text with every import of a joined chunk, at once or later, turned to where that is now. `up`: from the text to the folder. */
function redirected(text: string, places: ReadonlyMap<string, Place>, up: string): string {
  const way = up.replaceAll(".", "\\.");
  const atOnce = new RegExp(
    `(?<=^|[;}])import(?:\\* ?as ([\\w$]+)|\\{([^{}"]*)\\})?(?: ?from)? ?"${way}([^"/]*)";?`,
    "g",
  );
  const later = new RegExp(`(?<![.\\w$])import\\("${way}([^"/]*)"\\)`, "g");
  return text.replace(atOnce, (whole, all: string, some: string, name: string) => {
    const place = places.get(name);
    if (place === undefined) return whole;
    const from = up + place.module;
    if (all !== undefined) return `import{${place.as} as ${all}}from"${from}";`;
    if (some === undefined) return `import"${from}";`;
    const bindings = some.split(",").filter((one) => one.trim() !== "").map((one) => {
      const [outer, local = outer] = one.trim().split(/\s+as\s+/);
      return { name: `${place.as}_${outer}`, local };
    });
    return named(bindings, from);
  }).replace(later, (whole, name: string) => {
    const place = places.get(name);
    return place === undefined ? whole : `import("${up}${place.module}").then(j=>j.${place.as})`;
  });
}
