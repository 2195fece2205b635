/**
 * What the settings name that only other layers know: rules, tools, the
 * model. Checked before a session is made, so that a mistake costs nothing.
 */
import { type Config, resolveModel } from "../config/mod.ts";
import { allTools } from "../tools/mod.ts";
import { chooseTools } from "./tools.ts";

/** Throws RuleError for the first permission rule that cannot be read. Loads the sandbox only where there is a rule. */
export async function checkRules({ settings }: Config): Promise<void> {
  const { allow, ask, deny } = settings.permissions;
  const rules = [...allow, ...ask, ...deny];
  if (rules.length === 0) return;
  const { parseRule } = await import("../sandbox/mod.ts");
  for (const rule of rules) parseRule(rule);
}

/** Everything that is wrong, as errors: for `config check`. */
export async function settingsProblems(config: Config): Promise<Error[]> {
  const problems: Error[] = [];
  const attempt = async (check: () => unknown) => {
    try {
      await check();
    } catch (error) {
      problems.push(error instanceof Error ? error : new Error(String(error)));
    }
  };
  await attempt(() => checkRules(config));
  await attempt(() => chooseTools(allTools, config.settings.tools));
  if (config.settings.model !== undefined) await attempt(() => resolveModel(config));
  return problems;
}
