/** `myelin sandbox explain`: who is bound by what on this machine, and what becomes of one path or command. */
import { loadConfig, secretNames } from "../../../config/mod.ts";
import {
  commandEnvironment,
  dropPolicy,
  explainSandbox,
  isOffline,
  preparePolicy,
} from "../../../sandbox/mod.ts";
import type { SandboxMode } from "../../../sandbox/mod.ts";
import { UsageError } from "../../args.ts";
import { EXIT } from "../../exit_codes.ts";
import { explanationText, type Facts } from "./text.ts";
import { workspaceOf } from "../../workspace.ts";

const HELP = `Usage: myelin sandbox explain [options] [PATH | COMMAND…]

What is enforced here: who is bound by what, as a table. With a path or a
command: what becomes of it, and the rule that decides. Nothing is run and
nothing is changed.

Options, before the path or command:
  -C, --cwd DIR        the workspace (default: the current folder)
  --sandbox MODE       as if run with --sandbox read-only|workspace|off
  --path, --command    how to take the text that follows (default: a path where
                       it looks like one or is there)
  --json               for scripts
  -h, --help           show this text

Examples:
  myelin sandbox explain
  myelin sandbox explain ~/.ssh/id_rsa
  myelin sandbox explain git push origin main
  myelin sandbox explain 'make test && git push'
`;

interface Options {
  readonly json: boolean;
  readonly cwd?: string;
  readonly mode?: SandboxMode;
  readonly kind?: "path" | "command";
  /** The words of the subject. */
  readonly words: readonly string[];
}

export async function run(args: string[]): Promise<number> {
  const [verb, ...rest] = args;
  if (verb === "--help" || verb === "-h" || rest[0] === "--help" || rest[0] === "-h") {
    console.log(HELP.trimEnd());
    return EXIT.ok;
  }
  if (verb === undefined) {
    console.error(HELP.trimEnd());
    return EXIT.usage;
  }
  if (verb !== "explain") {
    throw new UsageError(
      `There is no "myelin sandbox ${verb}"`,
      "There is: myelin sandbox explain [PATH | COMMAND…]",
    );
  }
  const options = readOptions(rest);
  const cwd = workspaceOf(options.cwd);
  const config = await loadConfig({ cwd, overrides: { "sandbox.mode": options.mode } });
  const { sandbox, permissions, secrets } = config.settings;
  const policy = await preparePolicy({
    ...sandbox,
    workspace: cwd,
    approve: permissions.approve,
    rules: permissions,
    home: config.home.user,
    ownFolder: config.home.root,
  });
  try {
    const env = commandEnvironment({
      names: sandbox.env,
      source: Deno.env.toObject(),
      secretNames: secretNames(config),
      tempDir: policy.tempDir,
      confined: policy.mode !== "off",
      offline: isOffline(policy),
    });
    const explanation = await explainSandbox(
      policy,
      { names: sandbox.env, path: env.PATH },
      subjectOf(options, cwd, config.home.user),
    );
    const facts: Facts = {
      platform: Deno.build.os,
      mode: policy.mode,
      exec: policy.exec,
      approve: policy.approve,
      workspace: policy.workspace,
      net: policy.net,
      env: Object.keys(env).sort(),
      rules: {
        allow: permissions.allow,
        ask: permissions.ask,
        deny: permissions.deny,
        commands: permissions.commands,
      },
      project: { root: config.project.root, access: config.project.access },
      secretsMasked: secrets.mask,
    };
    console.log(
      options.json
        ? JSON.stringify({ ...facts, ...explanation }, null, 2)
        : explanationText(facts, explanation),
    );
    return EXIT.ok;
  } finally {
    await dropPolicy(policy);
  }
}

const MODES: readonly SandboxMode[] = ["read-only", "workspace", "off"];

function readOptions(args: readonly string[]): Options {
  let json = false;
  let cwd: string | undefined;
  let mode: SandboxMode | undefined;
  let kind: Options["kind"];
  let at = 0;
  for (; at < args.length; at++) {
    const [name, joined] = args[at].split(/=(.*)/s);
    const value = () => {
      const given = joined ?? args[++at];
      if (given === undefined || given === "") throw new UsageError(`Option ${name} needs a value`);
      return given;
    };
    if (name === "--json") json = true;
    else if (name === "--path" || name === "--command") kind = name === "--path" ? "path" : "command";
    else if (name === "-C" || name === "--cwd") cwd = value();
    else if (name === "--sandbox") {
      const given = value();
      mode = MODES.find((one) => one === given);
      if (mode === undefined) {
        throw new UsageError(`Option --sandbox: "${given}" is not one of ${MODES.join(", ")}`);
      }
    } else if (name === "--") {
      at++;
      break;
    } else if (name.startsWith("-")) {
      throw new UsageError(`Unknown option ${name}`, "Options: myelin sandbox explain --help");
    } else break;
  }
  return { json, cwd, mode, kind, words: args.slice(at) };
}

function subjectOf(
  { words, kind }: Options,
  cwd: string,
  home: string,
): { kind: "path" | "command"; text: string } | undefined {
  if (words.length === 0) {
    if (kind !== undefined) throw new UsageError(`Which ${kind}?`, "See: myelin sandbox explain --help");
    return undefined;
  }
  const [first] = words;
  const path = first === "~" || first.startsWith("~/")
    ? home + first.slice(1)
    : /^([A-Za-z]:)?[\\/]/.test(first)
    ? first.replaceAll("\\", "/")
    : `${cwd}/${first.replace(/^(\.\/)+/, "")}`;
  const looksLike = words.length === 1 &&
    (/^(\.{0,2}\/|~|\.\.?$)/.test(first) && !/\s/.test(first) || isThere(path));
  if (kind === "path" || (kind === undefined && looksLike)) return { kind: "path", text: path };
  // Several words are a command as it was typed; one is a script.
  const text = words.length === 1
    ? first
    : words.map((word) => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`).join(
      " ",
    );
  return { kind: "command", text };
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false; // then it is a command's name
  }
}
