/** `myelin trust`: lets a project's settings do what only trusted ones may, for the files as they are now. */
import { fingerprint, homePaths, loadConfig, readProjects, setTrust, storePath } from "../../config/mod.ts";
import { stripControls } from "../../lib/text/control.ts";
import { type CommandSpec, helpText, parseCommand, UsageError } from "../args.ts";
import { EXIT } from "../exit_codes.ts";
import { workspaceOf } from "../workspace.ts";

const SPEC: CommandSpec = {
  usage: "trust [options]",
  summary:
    "Trusts the project of the current folder: commands in its settings (for keys, development shells),\n" +
    "addresses of providers and wider permissions load from now on. Hooks and MCP servers of a project are for\n" +
    "a later version: this one starts none, trusted or not. The trust is for the files as they are: when one\n" +
    "that can run code changes, it ends.",
  options: [
    { name: "list", help: "show what is trusted, and change nothing" },
    { name: "show", help: "show which files of this project can run code, and change nothing" },
    { name: "forget", help: "take the trust back" },
  ],
  ownWords: true,
  more:
    'Kept in projects.json of the home folder. Patterns for many projects: "project.paths" in your settings.',
};

export async function run(args: string[]): Promise<number> {
  const parsed = parseCommand(SPEC, args);
  if (parsed.has("help")) {
    console.log(helpText(SPEC).trimEnd());
    return EXIT.ok;
  }
  if (parsed.positionals.length > 0) {
    throw new UsageError(`"${parsed.positionals[0]}" is too much: trust is for the current folder's project`);
  }
  const home = homePaths();
  if (parsed.has("list")) {
    const known = Object.entries(readProjects(home)).filter(([, { trusted }]) => trusted !== undefined);
    for (const [root, { trusted }] of known) console.log(stripControls(`${root}  (${trusted?.at})`));
    if (known.length === 0) console.log("No project is trusted by itself.");
    return EXIT.ok;
  }
  const { project } = await loadConfig({ cwd: workspaceOf() });
  if (parsed.has("forget")) {
    await setTrust(home, project.root, undefined);
    console.log(stripControls(`Not trusted by itself any more: ${project.root}`));
    return EXIT.ok;
  }
  const files = await fingerprint(project.root);
  const names = Object.keys(files);
  console.log(stripControls(project.root));
  for (const name of names) {
    console.log(
      stripControls(`  ${name}${project.changed.includes(name) ? "  (changed since it was trusted)" : ""}`),
    );
  }
  if (names.length === 0) console.log("  no file of it can run code");
  if (parsed.has("show")) return EXIT.ok;
  if (project.access === "ignore") {
    throw new UsageError(
      "The project is ignored: nothing of it is read",
      'Your settings say so: change "project.access" or "project.paths" there',
    );
  }
  await setTrust(home, project.root, { at: new Date().toISOString(), files });
  console.log(`Trusted as it is now (kept in ${storePath(home)}). "myelin trust --forget" takes it back.`);
  return EXIT.ok;
}
