/**
 * What the model is told beside the conversation, kept true while the session
 * goes on: sections are rendered anew for each prompt, and only those that
 * changed are said again; instructions of a folder that a tool touches come
 * with that tool's result, once.
 */
import type { Tools } from "../agent/tool.ts";
import type { Config } from "../config/mod.ts";
import {
  changedSections,
  type CustomCommand,
  digestSections,
  DOC_NAMES,
  expandCommand,
  expandSkill,
  foldersFromRoot,
  inForce,
  type InstructionLoader,
  type Instructions,
  joinSections,
  loadCustomCommands,
  loadSkills,
  openInstructions,
  type PromptFiles,
  type PromptInput,
  readGitState,
  readPromptFiles,
  type RenderedSection,
  renderSections,
  sections,
  type Skills,
} from "../context/mod.ts";
import { listNotes } from "../lib/files/notes.ts";
import { resolvePath } from "../lib/files/paths.ts";
import { type ContentPart, type Message, textOf } from "../llm/message.ts";
import { folderName, isKnown, type Payload, type PromptPart, type Session } from "../session/mod.ts";
import { touchedPath } from "./file_use.ts";
import { messageOf } from "./prompt_parts.ts";

/** Where its parts come from. */
export interface PromptContextOptions {
  readonly config: Config;
  readonly cwd: string;
  readonly session: Session;
  /** Names of the tools on offer. */
  readonly tools: readonly string[];
  /** Sections of the program that embeds this one. */
  readonly hostSections?: () => readonly RenderedSection[];
  /** Names of built-in commands, which no skill may have. */
  readonly reserved: readonly string[];
  readonly clock: () => Date;
  readonly warn: (text: string) => void;
  /** Takes out of a text what the model may not see. */
  readonly clean: (text: string) => string;
}

/** What the model sees beside the conversation. */
export interface PromptContext {
  /** What has to be said before the next prompt: all sections, or those that changed; undefined: nothing. */
  news(): Promise<Payload & { kind: "system" } | undefined>;
  /** What the model gets of a prompt: `/name words` of a skill or a command of the user's own comes with its text. */
  message(parts: readonly PromptPart[]): Promise<ContentPart[]>;
  /** All sections as they are now. */
  render(): Promise<readonly RenderedSection[]>;
  /** The same tools; a result brings the instructions of the folder that it is about. */
  instructing(tools: Tools): Tools;
  skills(): Promise<Skills["skills"]>;
  customCommands(): Promise<readonly CustomCommand[]>;
  promptFiles(): PromptFiles;
}

/** What the model is told about its bounds. */
const SANDBOX_TEXT = {
  "read-only": "read-only: nothing in the folder can be changed, no network",
  workspace: "workspace: tools read and write below the folder and in /tmp only, no network",
  off: "off: tools reach what the user can reach",
} as const;

const PLATFORM = { linux: "Linux", darwin: "macOS", windows: "Windows" } as const;

const SCHEMES = [
  "artifact://N: a full text that this session keeps; read and grep take it",
  "local://NAME: what the user handed over with a message; read takes it",
];

const SKILL_FOLDERS = [".agents/skills", ".myelin/skills", ".claude/skills"];

const SECTION_NAME = /^[a-z][a-z0-9_-]*$/;

const SHOWN_FILE = /^<file path="([^"\n]+)">$/gm;

/** Reads nothing before it is asked. */
export function createPromptContext(options: PromptContextOptions): PromptContext {
  const { config, cwd, session } = options;
  const project = config.project.access !== "ignore";
  const told = new Set<string>();
  let loader: InstructionLoader | undefined;
  let instructions: Instructions = { files: [], warnings: [] };
  let found: Promise<Skills> | undefined;
  let files: PromptFiles | undefined;
  let commands: readonly CustomCommand[] | undefined;

  function tell(warnings: readonly string[]): void {
    for (const text of warnings) {
      if (!told.has(text)) options.warn(text);
      told.add(text);
    }
  }

  /** The loader; what a resumed session shows already is not loaded again. */
  function open(): InstructionLoader {
    if (loader !== undefined) return loader;
    loader = openInstructions({
      cwd,
      homes: [config.home.root, ...(config.settings.homeAgents ? [`${config.home.user}/.agents`] : [])],
      names: config.settings.contextFiles,
      project,
      home: config.home.user,
    });
    instructions = loader.initial();
    tell(instructions.warnings);
    loader.known(shownFiles(session.projection.messages));
    return loader;
  }

  function promptFiles(): PromptFiles {
    if (files !== undefined) return files;
    const folders = [...(project ? [`${cwd}/.myelin/prompts`] : []), config.home.prompts];
    const read = readPromptFiles(folders);
    tell(read.warnings);
    return files = read.files;
  }

  function skills(): Promise<Skills> {
    return found ??= loadSkills({
      folders: [
        // The nearest folder first, since the first one wins.
        ...(project ? foldersFromRoot(cwd).reverse() : []).flatMap((folder) =>
          SKILL_FOLDERS.map((name) => ({ path: `${folder}/${name}`, from: "project" as const }))
        ),
        { path: config.home.skills, from: "user" as const },
        ...(config.settings.homeAgents
          ? [{ path: `${config.home.user}/.agents/skills`, from: "user" as const }]
          : []),
      ],
      reserved: options.reserved,
    }).then((loaded) => {
      tell(loaded.warnings);
      for (const skill of loaded.skills) {
        const command = customCommands().find(({ name }) => name === skill.name);
        if (command !== undefined) {
          tell([
            `/${skill.name} is the command ${command.path}; the skill ${skill.path} is only read on demand`,
          ]);
        }
      }
      return loaded;
    });
  }

  function customCommands(): readonly CustomCommand[] {
    if (commands !== undefined) return commands;
    const loaded = loadCustomCommands({
      folders: [...(project ? [`${cwd}/.myelin/commands`] : []), config.home.commands],
      reserved: options.reserved,
    });
    tell(loaded.warnings);
    return commands = loaded.commands;
  }

  async function render(): Promise<readonly RenderedSection[]> {
    open();
    const own = renderSections(sections, {
      cwd,
      platform: PLATFORM[platform()],
      date: localDate(options.clock()),
      sandbox: SANDBOX_TEXT[config.settings.sandbox.mode],
      instructions: instructions.files,
      skills: (await skills()).skills,
      ...(project ? { git: readGitState(cwd) } : {}),
      ...devShell(),
      notes: notes(),
      docs: DOC_NAMES,
      tools: options.tools,
      schemes: SCHEMES,
      files: promptFiles(),
    }).map(({ name, text }) => ({ name, text: options.clean(text) }));
    return [...own, ...hostSections(own)];
  }

  /** Those of the embedding program, as they are now; none may pass for one of the program's own. */
  function hostSections(own: readonly RenderedSection[]): readonly RenderedSection[] {
    const taken = new Set([...sections, ...own].map(({ name }) => name));
    return (options.hostSections?.() ?? []).filter(({ name, text }) => {
      const fits = SECTION_NAME.test(name) && !taken.has(name);
      if (!fits) tell([`A section of the host is left out: "${name}" is taken, or no name`]);
      taken.add(name);
      return fits && text.trim() !== "";
    }).map(({ name, text }) => ({ name, text: options.clean(text.trim()) }));
  }

  /** Only where commands do run in it: a project that is not trusted has none, whatever the settings say. */
  function devShell(): Pick<PromptInput, "devShell"> {
    const kind = config.settings.bash.devShell;
    return kind === "off" || config.project.access !== "trust" ? {} : { devShell: kind };
  }

  /** Titles of what earlier sessions noted, where the model can read them. */
  function notes(): readonly string[] {
    if (!options.tools.includes("memory")) return [];
    return listNotes(`${config.home.memory}/${folderName(cwd)}`).map((note) => note.title);
  }

  return {
    render,
    promptFiles,
    skills: async () => (await skills()).skills,
    customCommands: () => Promise.resolve(customCommands()),
    async message(parts) {
      const [first] = parts;
      const typed = first?.type === "text" ? /^\/([\w.:-]+)(?:\s+([\s\S]*))?$/.exec(first.text.trim()) : null;
      if (typed === null) return messageOf(parts);
      const [, name, words = ""] = typed;
      const custom = customCommands().find((command) => command.name === name);
      const skill = custom === undefined
        ? (await skills()).skills.find((one) => one.name === name)
        : undefined;
      const text = custom !== undefined
        ? expandCommand(custom.body, words)
        : skill !== undefined
        ? expandSkill(skill, words)
        : undefined;
      if (text === undefined) return messageOf(parts);
      return messageOf([{ type: "text", text: options.clean(text) }, ...parts.slice(1)]);
    },
    async news() {
      const now = await render();
      const said = [];
      for (const entry of session.path()) {
        if (!isKnown(entry) || entry.kind !== "system") continue;
        // A session of a version that did not say which sections it sent keeps the ones that it has.
        if (entry.sections === undefined) return undefined;
        said.push(entry.sections);
      }
      const changed = changedSections(inForce(said), now);
      if (changed.length === 0) return undefined;
      return { kind: "system", text: joinSections(changed), sections: digestSections(changed) };
    },
    instructing: (tools) => ({
      entries: tools.entries,
      async run(name, args, context) {
        const result = await tools.run(name, args, context);
        const path = touchedPath(tools.entries, name, args);
        if (path === undefined || result.isError || !project) return result;
        const absolute = resolvePath(path, cwd, config.home.user);
        const { files, warnings } = open().touched(absolute);
        tell(warnings);
        if (files.length === 0) return result;
        const shown = files.map(({ path, text }) => `<file path="${path}">\n${text.trim()}\n</file>`).join(
          "\n",
        );
        const text = options.clean(`<project_context>\n${shown}\n</project_context>`);
        return { ...result, parts: [...result.parts, { type: "text", text }] };
      },
    }),
  };
}

/** The files of instructions that results in the conversation brought. */
function shownFiles(messages: readonly Message[]): string[] {
  const paths: string[] = [];
  for (const message of messages) {
    if (message.role !== "tool_result" && message.role !== "user") continue;
    const text = textOf(message.parts);
    if (!text.includes("<project_context>\n")) continue;
    for (const [, path] of text.matchAll(SHOWN_FILE)) paths.push(path);
  }
  return paths;
}

function platform(): keyof typeof PLATFORM {
  const agent = navigator.platform.toLowerCase();
  return agent.startsWith("win") ? "windows" : agent.startsWith("mac") ? "darwin" : "linux";
}

function localDate(now: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
