/**
 * Checks the structure of src/ against layers.ts: who imports whom, no cycles
 * (types count), one door per folder, the system only at the edges. Prints
 * the largest files and other watch signs, which fail nothing.
 *
 * `checkSources` is pure, so that tests can feed it sources that break a rule.
 */
import ts from "typescript";
import { CONTRACTS, EDGES, EXTRA, LAYERS, NARROW, PEERS, RESERVED } from "./layers.ts";

interface Import {
  readonly to: string;
  readonly lazy: boolean;
  readonly line: number;
}

interface Scanned {
  readonly imports: readonly Import[];
  /** Lines that name `Deno` or import `node:`. */
  readonly system: readonly { readonly line: number; readonly what: string }[];
  readonly problems: readonly string[];
}

/** Reads imports and uses of the system out of one source. */
function scan(path: string, source: string): Scanned {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const imports: Import[] = [];
  const system: { line: number; what: string }[] = [];
  const problems: string[] = [];
  const lineOf = (node: ts.Node) => file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const add = (node: ts.Node, specifier: string, lazy: boolean) => {
    if (specifier.startsWith("node:")) system.push({ line: lineOf(node), what: specifier });
    else if (specifier.startsWith(".")) imports.push({ to: join(path, specifier), lazy, line: lineOf(node) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node, node.moduleSpecifier.text, false);
    } else if (ts.isExportDeclaration(node)) {
      if (node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier)) {
        add(node, node.moduleSpecifier.text, false);
        if (node.exportClause === undefined) {
          problems.push(`${path}:${lineOf(node)}: "export *" hides what a door gives`);
        }
      }
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) add(node, node.argument.literal.text, false);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument !== undefined && ts.isStringLiteral(argument)) add(node, argument.text, true);
      else problems.push(`${path}:${lineOf(node)}: a computed import() fails in the compiled program`);
    } else if (ts.isIdentifier(node) && node.text === "Deno" && !isName(node)) {
      system.push({ line: lineOf(node), what: "Deno" });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { imports, system, problems };
}

/** Whether an identifier is only a property's or a member's name (`x.Deno`). */
function isName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node);
}

function join(from: string, specifier: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** The layer of a file: the folder below src/; "main", "mod" for the two files above the layers. */
function layerOf(path: string): string {
  const parts = path.split("/");
  if (parts[0] === "prompts" || parts[0] === "docs") return parts[0];
  if (parts[0] !== "src") return "main";
  return parts.length === 2 ? "mod" : parts[1];
}

const under = (path: string, prefix: string) =>
  prefix.endsWith("/") ? path.startsWith(prefix) : path === prefix;

/** Judges one import; answers with what is wrong, if anything. */
function judge(from: string, { to, lazy }: Import, files: ReadonlySet<string>): string | undefined {
  const a = layerOf(from);
  const b = layerOf(to);
  if (!/\.tsx?$/.test(to)) return undefined;
  if (!files.has(to)) return `imports ${to}, which is not there`;
  const reserved = RESERVED.find((rule) => rule.file === to);
  if (reserved !== undefined && !reserved.by.some((prefix) => under(from, prefix))) {
    return `imports ${to}, which only ${reserved.by.join(", ") || "nobody"} may import`;
  }
  if (a === b && a !== "main") return judgeInside(from, to, files);
  if (a === "main") {
    return to === "src/cli/main.ts" || from !== "main.ts"
      ? undefined
      : `imports ${to}; only src/cli/main.ts is its business`;
  }
  if (a === "mod") return b === "ui" || b === "cli" ? `imports ${to}: embedders get no interface` : undefined;
  const extra = EXTRA.find((rule) => from.startsWith(rule.from) && rule.layers.includes(b));
  if (!LAYERS[a]?.includes(b)) {
    if (extra === undefined) return `imports ${to}: ${a} may not import ${b}`;
    if (extra.lazyOnly && !lazy) return `imports ${to}: only by a lazy import`;
  }
  const narrow = NARROW.find((rule) => rule.from.includes(a) && rule.to === b);
  if (narrow !== undefined) {
    return narrow.files.includes(to)
      ? undefined
      : `imports ${to}: of ${b} it may see only ${narrow.files.join(", ")}`;
  }
  if (b === "lib" || CONTRACTS.includes(to) || to === `src/${b}/mod.ts`) return undefined;
  return `imports ${to}: ${b} is entered by its door or a contract`;
}

/** Rules inside a layer: nobody imports the door of a folder that he stands in; a folder with a door is entered by it; peers are strangers. */
function judgeInside(from: string, to: string, files: ReadonlySet<string>): string | undefined {
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/"));
  const peers = PEERS.filter((folder) => from.startsWith(`${folder}/`) && to.startsWith(`${folder}/`)).at(-1);
  if (peers !== undefined) {
    const [x, y] = [from, to].map((path) => path.slice(peers.length + 1).split("/")[0]);
    const contract = CONTRACTS.includes(to) || y === "shared" || y === "interface.ts" || y === "section.ts";
    if (x !== y && x !== "mod.ts" && !contract) {
      return `imports its peer ${to}; share through ${peers}/shared/`;
    }
  }
  if (to.endsWith("/mod.ts") && `${from}/`.startsWith(`${folderOf(to)}/`)) {
    return `imports the door of its own folder, ${to}`;
  }
  for (let folder = folderOf(to); folder.split("/").length > 2; folder = folderOf(folder)) {
    const door = `${folder}/mod.ts`;
    if (files.has(door) && !from.startsWith(`${folder}/`) && to !== door && !CONTRACTS.includes(to)) {
      return `imports ${to}: the folder is entered by ${door}`;
    }
  }
  return undefined;
}

/** Rings of files that import each other, lazily or not, types included. Tarjan's algorithm. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    onStack.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!index.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node)!, low.get(next)!));
      } else if (onStack.has(next)) low.set(node, Math.min(low.get(node)!, index.get(next)!));
    }
    if (low.get(node) !== index.get(node)) return;
    const ring: string[] = [];
    for (;;) {
      const top = stack.pop()!;
      onStack.delete(top);
      ring.push(top);
      if (top === node) break;
    }
    if (ring.length > 1 || graph.get(node)?.includes(node)) found.push(ring.reverse());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

/** A file that is longer does more than one thing, whatever its head says. */
const MOST_LINES = 900;

const linesOf = (text: string) => text.split("\n").length - 1;

/** Every broken rule, one line each. `sources`: path from the project's root -> text. */
export function checkSources(sources: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  const files = new Set(sources.keys());
  const graph = new Map<string, string[]>();
  for (const [path, source] of sources) {
    const layer = layerOf(path);
    const lines = linesOf(source);
    if (lines > MOST_LINES) problems.push(`${path}: ${lines} lines are more than ${MOST_LINES}`);
    if (layer !== "main" && layer !== "mod" && !(layer in LAYERS)) {
      problems.push(`${path}: src/${layer}/ is not a layer of the house`);
    }
    const scanned = scan(path, source);
    problems.push(...scanned.problems);
    graph.set(path, scanned.imports.map((one) => one.to));
    for (const one of scanned.imports) {
      const wrong = judge(path, one, files);
      if (wrong !== undefined) problems.push(`${path}:${one.line}: ${wrong}`);
    }
    if (!EDGES.some((edge) => under(path, edge))) {
      for (const use of scanned.system) {
        problems.push(`${path}:${use.line}: ${use.what} belongs to the edges only`);
      }
    }
  }
  for (const ring of cycles(graph)) problems.push(`cycle: ${ring.join(" -> ")}`);
  return problems;
}

/** Reads main.ts and everything under src/. */
export function readSources(root: string): Map<string, string> {
  const sources = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of [...Deno.readDirSync(`${root}/${folder}`)].sort((a, b) => a.name < b.name ? -1 : 1)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) walk(path);
      else if (/\.ts$/.test(path) && !path.endsWith(".d.ts")) {
        sources.set(path, Deno.readTextFileSync(`${root}/${path}`));
      }
    }
  };
  sources.set("main.ts", Deno.readTextFileSync(`${root}/main.ts`));
  walk("src");
  return sources;
}

/** Signs that a file wants a second look. They fail nothing. */
export function watchSigns(sources: ReadonlyMap<string, string>): string[] {
  const largest = [...sources].map(([path, text]) => ({ path, lines: linesOf(text) }))
    .sort((a, b) => b.lines - a.lines).slice(0, 10);
  const signs = [
    "The ten largest files:",
    ...largest.map((one) => `  ${String(one.lines).padStart(5)} ${one.path}`),
  ];
  for (const [path, text] of sources) {
    const count = scan(path, text).imports.length;
    const composition = path.endsWith("/mod.ts") || path === "src/mod.ts" || path.endsWith("create.ts") ||
      path === "src/sheath/main.ts";
    if (count > 15 && !composition) signs.push(`  ${path} has ${count} imports`);
  }
  return signs;
}

if (import.meta.main) {
  const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
  const sources = readSources(root);
  const problems = checkSources(sources);
  for (const line of watchSigns(sources)) console.log(line);
  for (const problem of problems) console.error(problem);
  console.log(`${sources.size} files, ${problems.length} broken rules`);
  Deno.exit(problems.length === 0 ? 0 : 1);
}
