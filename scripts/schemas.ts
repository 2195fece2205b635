/**
 * Writes `schema.json` of every tool folder from its zod schema in `args.ts`,
 * so that a declaration loads without a schema library; `schemas.json`, by the
 * names of the exports, where a folder holds several tools. What those leave
 * out for the model's sake (bounds, say) is in `args.json`. `--check` writes
 * nothing and fails where a file is not what it would write.
 */
import { toJSONSchema, type ZodMiniType } from "zod/mini";
import { toJsonSchema } from "../src/lib/schema.ts";

const root = new URL("../src/tools/", import.meta.url);
const check = Deno.args.includes("--check");
let stale = 0;
for (const folder of Deno.readDirSync(root)) {
  const source = new URL(`${folder.name}/args.ts`, root);
  if (!folder.isDirectory || !exists(source)) continue;
  const { args, ...others } = await import(source.href);
  if (args !== undefined) write(folder.name, "schema.json", toJsonSchema(args));
  write(folder.name, "args.json", wholeOf(args === undefined ? others : { args, ...others }));
  const several = Object.entries<ZodMiniType>(others).map(([name, type]) => [name, toJsonSchema(type)]);
  if (several.length > 0) write(folder.name, "schemas.json", Object.fromEntries(several));
}
if (check && stale > 0) Deno.exit(1);

/** All that the schemas of a folder say, for the quick look at what came (`src/lib/plain_json.ts`). */
function wholeOf(types: Record<string, ZodMiniType>): unknown {
  return Object.fromEntries(
    Object.entries(types).map(([name, type]) => {
      const { $schema: _, ...schema } = toJSONSchema(type, { io: "input" });
      return [name, schema];
    }),
  );
}

function write(folder: string, name: string, value: unknown): void {
  const text = JSON.stringify(value);
  const target = new URL(`${folder}/${name}`, root);
  if (exists(target) && sameJson(Deno.readTextFileSync(target), text)) return;
  stale++;
  if (check) {
    console.error(`src/tools/${folder}/${name} is not what args.ts says; run scripts/schemas.ts`);
  } else Deno.writeTextFileSync(target, JSON.stringify(JSON.parse(text), null, 2) + "\n");
}

/** Layout aside: the formatter has its own. */
function sameJson(a: string, b: string): boolean {
  return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
}

function exists(url: URL): boolean {
  try {
    Deno.lstatSync(url);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
