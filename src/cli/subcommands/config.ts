/** `myelin config`: the settings in force, where they come from, and whether they are right. */
import {
  checkConfig,
  describeIssue,
  homePaths,
  type Issue,
  loadConfig,
  settingsSchema,
  showSettings,
  unsetVariables,
} from "../../config/mod.ts";
import type { Parsed } from "../args.ts";
import { EXIT } from "../exit_codes.ts";
import { failureHint } from "../failure.ts";
import { type NestedCommand, runNested } from "../nested.ts";
import { workspaceOf } from "../workspace.ts";

const commands: readonly NestedCommand[] = [
  {
    name: "show",
    spec: {
      usage: "config show [--json]",
      summary: "the settings in force and where each comes from",
      options: [{ name: "json", help: "for scripts" }],
    },
    run: show,
  },
  {
    name: "path",
    spec: { usage: "config path", summary: "the files that are read here", options: [] },
    run: path,
  },
  {
    name: "schema",
    spec: { usage: "config schema", summary: "the JSON Schema of a settings file", options: [] },
    run: schema,
  },
  {
    name: "check",
    spec: {
      usage: "config check",
      summary: "what is wrong with the settings, with file, line and column",
      options: [],
    },
    run: check,
  },
];

export function run(args: string[]): Promise<number> {
  return runNested("config", "The settings:", commands, args);
}

async function show(parsed: Parsed): Promise<number> {
  const config = await loadConfig({ cwd: workspaceOf() });
  const rows = showSettings(config);
  if (parsed.has("json")) {
    console.log(
      JSON.stringify(
        Object.fromEntries(rows.map(({ key, value, source }) => [key, { value, source }])),
        null,
        2,
      ),
    );
    return EXIT.ok;
  }
  const width = Math.max(...rows.map((row) => row.key.length));
  for (const { key, value, source } of rows) {
    console.log(`${key.padEnd(width)}  ${JSON.stringify(value)}  (${source})`);
  }
  for (const issue of config.issues) console.error(`! ${describeIssue(issue)}`);
  return EXIT.ok;
}

async function path(): Promise<number> {
  const home = homePaths();
  console.log(`home      ${home.root}`);
  console.log(`sessions  ${home.sessions}`);
  const cwd = workspaceOf();
  const { folderName } = await import("../../session/mod.ts");
  console.log(`notes     ${home.memory}/${folderName(cwd)}`);
  const { files } = await loadConfig({ cwd });
  for (const file of files) console.log(`${file.role.padEnd(8)}  ${file.path} (${file.state})`);
  return EXIT.ok;
}

function schema(): Promise<number> {
  console.log(JSON.stringify(settingsSchema(), null, 2));
  return Promise.resolve(EXIT.ok);
}

async function check(): Promise<number> {
  const issues = await checkConfig({ cwd: workspaceOf() });
  const tell = (issue: Issue) => console.log(`${issue.severity}: ${describeIssue(issue)}`);
  issues.forEach(tell);
  if (issues.some((issue) => issue.severity === "error")) return EXIT.usage;
  const config = await loadConfig({ cwd: workspaceOf() });
  const unset = unsetVariables(config);
  unset.forEach(tell);
  // What only other layers know: rules, tools, models.
  const { settingsProblems } = await import("../../engine/create.ts");
  const problems = await settingsProblems(config);
  for (const problem of problems) {
    const hint = failureHint(problem);
    console.log(`error: ${problem.message}${hint === undefined ? "" : `. ${hint}`}`);
  }
  if (issues.length + unset.length + problems.length === 0) console.log("The settings are in order.");
  return problems.length > 0 ? EXIT.usage : EXIT.ok;
}
