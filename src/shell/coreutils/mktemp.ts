/** mktemp: makes a file or folder with a name that nobody has. */
import type { UtilityContext } from "../builtin.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { joinPath } from "./shared/paths.ts";
import { cite, hasCode, reason } from "./shared/report.ts";

const TABLE = {
  options: ["d|directory", "u|dry-run", "q|quiet", "suffix=", "p=", "tmpdir=?", "t"],
  usage: "[OPTION]... [TEMPLATE]",
};

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length > 1) throw new UsageError("too many templates");
  const template = options.operands[0] ?? "tmp.XXXXXXXXXX";
  const suffix = options.value("suffix") ?? "";
  const match = /^([^]*?)(X+)([^X]*)$/.exec(template + suffix);
  const run = match?.[2] ?? "";
  if (suffix !== "" && !template.endsWith("X")) {
    throw new Failure(`with --suffix, template ${cite(template)} must end in X`);
  }
  if (run.length < 3) throw new Failure(`too few X's in template ${cite(template)}`);
  if (match![3].includes("/")) {
    throw new Failure(`invalid suffix ${cite(match![3])}, contains directory separator`);
  }
  const base = context.env.get("TMPDIR") || context.host.tempDir;
  const inTemp = options.operands.length === 0 || options.has("p", "tmpdir", "t");
  if (inTemp && options.operands.length > 0 && template.startsWith("/")) {
    throw new Failure(`invalid template, ${cite(template)}; with --tmpdir, it may not be absolute`);
  }
  const folder = options.value("p") || options.value("tmpdir") || base;
  const random = new Uint8Array(run.length);
  for (let attempt = 0; attempt < 100; attempt++) {
    context.host.random(random);
    const name = match![1] + Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join("") +
      match![3];
    const shown = inTemp ? joinPath(folder, name) : name;
    const path = context.path(shown);
    try {
      if (options.has("u")) {
        try {
          context.fs.lstat(path);
          continue;
        } catch (error) {
          if (!hasCode(error, "ENOENT")) throw error;
        }
      } else if (options.has("d")) context.fs.mkdir(path, 0o700);
      else (await context.fs.open(path, { write: true, create: true, exclusive: true, mode: 0o600 })).close();
      await context.stdout.print(shown + "\n");
      return 0;
    } catch (error) {
      if (hasCode(error, "EEXIST")) continue;
      const why = reason(error);
      if (options.has("q")) return 1;
      throw new Failure(
        `failed to create ${options.has("d") ? "directory" : "file"} via template ${
          cite(inTemp ? joinPath(folder, template + suffix) : template + suffix)
        }: ${why}`,
      );
    }
  }
  throw new Failure(`failed to create a name from ${cite(template)}`);
}
