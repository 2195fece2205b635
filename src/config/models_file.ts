/**
 * `models.jsonc` of the home folder: what the user knows of models, beside the
 * settings and over the catalog: `{"PROVIDER": {"ID": {…}}}`, each model with
 * the members that it has under "providers" in the settings, which win.
 */
import { ConfigError, type Issue, quoted } from "./errors.ts";
import { readSettings } from "./file.ts";
import type { HomePaths } from "./paths.ts";
import { type ModelSettings, modelShape } from "./settings.ts";
import { mapOf } from "./shape.ts";

/** Provider -> id -> what is said of the model. */
export type ModelsFile = Readonly<Record<string, Readonly<Record<string, ModelSettings>>>>;

const shape = mapOf(mapOf(modelShape));

/** What the file says; nothing where there is none. What is wrong with it goes to `issues`. */
export async function readModels(home: Pick<HomePaths, "root">, issues: Issue[]): Promise<ModelsFile> {
  try {
    const { file } = await readSettings(`${home.root}/models`);
    if (file === undefined) return {};
    const { $schema: _, ...value } = file.value;
    const problem = (
      severity: Issue["severity"],
      code: Issue["code"],
      path: readonly string[],
      message: string,
    ) => issues.push({ severity, code, key: path.join("."), message, file: file.path });
    return shape.read(value, [], {
      error: (path, message) => problem("error", "type", path, `${quoted(path.join("."))} ${message}`),
      unknown: (path, near) =>
        problem(
          "warning",
          "unknown_key",
          path,
          `Unknown setting ${quoted(path.join("."))}${near === undefined ? "" : `; did you mean "${near}"?`}`,
        ),
    }) ?? {};
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { file, line, column, code, hint, plain } = error;
    issues.push({ severity: "error", code, key: "", message: plain, hint, file, line, column });
    return {};
  }
}
