/**
 * Variables that providers want and that nobody has set: for `config check`.
 * Apart from loading, which reads no keys.
 */
import type { Issue } from "./errors.ts";
import { readIfThere } from "./file.ts";
import type { Config } from "./load.ts";
import { locate } from "./locate.ts";
import { providers } from "./providers.ts";
import { envName } from "./secrets.ts";

/** A warning for each of them, with its place where a settings file names it. Requests go without it all the same. */
export function unsetVariables(config: Config): Issue[] {
  const issues: Issue[] = [];
  for (const { name, missing } of providers(config).values()) {
    for (const variable of missing) {
      const path = settingOf(config, name, variable);
      const key = path?.join(".") ?? "";
      issues.push({
        severity: "warning",
        code: "unset",
        key,
        message: `Provider "${name}" wants ${variable}, which is not set: requests go without it`,
        hint: path === undefined
          ? `Set ${variable}`
          : `Set ${variable} in the environment or in ${config.home.dotEnv}, or change "${key}"`,
        ...(path === undefined ? {} : placeOf(config, path)),
      });
    }
  }
  return issues;
}

/** The setting that names the variable; undefined: the program itself looks for it. */
function settingOf({ settings }: Config, provider: string, variable: string): string[] | undefined {
  const own = settings.providers[provider];
  const names = (value: string | undefined) => value !== undefined && envName(value) === variable;
  if (names(own?.apiKey)) return ["providers", provider, "apiKey"];
  const header = Object.entries(own?.headers ?? {}).find(([, value]) => names(value))?.[0];
  return header === undefined ? undefined : ["providers", provider, "headers", header];
}

function placeOf({ sources }: Config, path: readonly string[]): Pick<Issue, "file" | "line" | "column"> {
  const file = sources.get(path.slice(0, 2).join("."));
  const bytes = file === undefined ? undefined : readIfThere(file);
  if (file === undefined || bytes === undefined) return {};
  const format = /\.ya?ml$/.test(file) ? "yaml" : "json";
  return { file, ...locate(new TextDecoder().decode(bytes), format, path) };
}
