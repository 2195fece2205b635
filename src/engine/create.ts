/**
 * The composition root of the main isolate: joins session, model, tools,
 * sheath and prompt into an engine. Construction only. What the first request
 * does not need is loaded after it has been sent.
 */
import { addSpent, NOTHING_SPENT } from "../agent/mod.ts";
import { type Config, knownSecrets, type Resolved, resolveModel, startNotices } from "../config/mod.ts";
import {
  costOf,
  isLocal,
  leastCostOfNext,
  openProvider,
  type Provider,
  record,
  type StreamEvent,
  type Thinking,
  type ToolDeclaration,
  watchingPrefix,
} from "../llm/mod.ts";
import type { ApproveMode } from "../sandbox/mod.ts";
import { type ArtifactStore, folderName, openArtifacts, openAttachments } from "../session/mod.ts";
import { fillingRequests } from "./fill_request.ts";
import { mapStream } from "../lib/map_stream.ts";
import { allTools, type MainTool } from "../tools/mod.ts";
import { sessionCheckpoints } from "./checkpoints.ts";
import { answersFor } from "./answers.ts";
import { checkRules } from "./check_settings.ts";
import type { EngineDeps, RunLimits } from "./deps.ts";
import { type Broadcast, createBroadcast, createRouter, type Engine } from "./engine.ts";
import { recordChanges } from "./file_changes.ts";
import { withKnownModel } from "./known_model.ts";
import { type LazySheath, lazySheath } from "./lazy_sheath.ts";
import { openSheathOf } from "./open_sheath.ts";
import { openChosen, type SessionChoice } from "./open_session.ts";
import { useModel } from "./model_in_use.ts";
import { createPermits } from "./permits.ts";
import { createPromptContext } from "./prompt_context.ts";
import { createQuestions } from "./questions.ts";
import { createSecretKeeper, OPEN_KEEPER } from "./secrets.ts";
import { type SessionChoices, takeUpChoices } from "./session_choices.ts";
import { createSpace, type SpaceOptions } from "./space.ts";
import { summaryRequests } from "./space_summary.ts";
import { compileChecker } from "./structured.ts";
import { titleInBackground } from "./titles.ts";
import type { ToolPorts } from "./tool_ports.ts";
import { newId } from "../lib/ids.ts";
import { chooseTools, joinTools, withHostTools } from "./tools.ts";

export { settingsProblems } from "./check_settings.ts";
export { previewPrompt, type PromptPreview } from "./preview.ts";
export type { SessionChoice } from "./open_session.ts";
export type { Engine } from "./engine.ts";
export type { RunLimits } from "./deps.ts";

/** What an engine is made of. */
export interface CreateOptions {
  readonly config: Config;
  readonly model: Resolved;
  /** Real absolute path, `/`-separated. */
  readonly cwd: string;
  readonly session: SessionChoice;
  /** With a session to take it from: a new session from that entry. */
  readonly forkEntry?: string;
  readonly limits: RunLimits;
  /** What `permissions.approve` comes down to here: "ask" only where somebody can answer. */
  readonly approve: ApproveMode;
  /** Whether a person can answer what "auto" is not sure of; default: only with "ask". */
  readonly person?: boolean;
  readonly thinking?: Thinking;
  /** What the last choice in a session that goes on decides, where there is one, in place of `model` and `thinking`. */
  readonly sessionDecides?: SessionChoices;
  /** Whether the model is asked for a title of the session, in the background. */
  readonly titles?: boolean;
  /** Exactly these tools. */
  readonly tools?: readonly string[];
  /** Tools of the host that embeds the program, beside its own; one of the same name takes the place of a built-in one. */
  readonly hostTools?: readonly MainTool[];
  /** Sections of the prompt beside the program's own; asked before each prompt, and said again where they changed. */
  readonly hostSections?: () => readonly { readonly name: string; readonly text: string }[];
  /** Names of built-in commands, which no skill and no command of the user's own may have. */
  readonly reserved?: readonly string[];
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** All variables of this process: those that hold secrets are kept from the model. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The time by the user's clock; default: the machine's. */
  readonly clock?: () => Date;
  /** What becomes of a run that was cut off: it waits for somebody to say so ("wait", the default), or goes on by itself. */
  readonly recovery?: "wait" | "resume";
  /** The entry of the sheath's worker. */
  readonly workerUrl: URL;
  /** Takes the lines of a recording of what the model says. */
  readonly record?: (line: string) => Promise<void>;
  /** Reads the recording that a model of `replay/` names. */
  readonly readRecording?: (path: string) => Promise<string>;
}

/**
 * When there is time after a request was handed to the network. A server on
 * this machine answers at once: only what takes little is done then. To make
 * the worker stops everything else for 30 ms, handshakes too: it is made when
 * the server answers, or when the bytes have surely left.
 */
const LEFT_AFTER_MS = { local: 0, remote: 150 } as const;

/** Long enough for the first calls to be done. */
const TRY_WRAPPER_AFTER_MS = 1000;

/** More than a title needs, and no more. */
const TITLE_TOKENS = 64;
/** A line for each of the outputs that it is asked about. */
const PRUNER_TOKENS = 3_000;

/** Joins an engine. Throws AppError for what must be mended before a session is made: a wrong model, tool or rule. */
export async function createEngine(given: CreateOptions): Promise<Engine> {
  const options = await withKnownModel(given);
  const { config, cwd } = options;
  const { settings } = config;
  // A wrong name must be told before a session is made.
  const people = options.approve === "ask" || options.person === true;
  const tools = chooseTools(withHostTools(allTools, options.hostTools ?? []), {
    ...settings.tools,
    only: options.tools,
    people,
  });
  await checkRules(config);
  const attachments = openAttachments(config.home.attachments);
  let warmingUp: ReturnType<typeof setTimeout> | undefined;
  const warmSoon = (local: boolean) => {
    warmingUp ??= local
      ? setTimeout(() => sheath.open(), LEFT_AFTER_MS.local)
      : setTimeout(() => sheath.warm(), LEFT_AFTER_MS.remote);
  };
  const openModel = (resolved: Resolved, onWindow: (contextWindow: number) => void = () => {}): Provider => {
    const hooks = { onWindow, sent: warmSoon, answered: () => sheath.warm(), ready: () => session.sync() };
    return { stream: fillingRequests(providerOf({ ...options, model: resolved }, hooks), attachments) };
  };
  const use = useModel({
    config,
    first: options.model,
    thinking: options.thinking,
    limits: options.limits,
    open: openModel,
  });
  const { provider } = use;
  let announced = false;
  const conversation = watchingPrefix(provider, () => {
    const was = announced;
    announced = false;
    return was;
  });
  const check = options.outputSchema === undefined ? undefined : await compileChecker(options.outputSchema);
  const place = { root: config.home.sessions, cwd, attachments };
  const opened = await openChosen(options.session, place, options.forkEntry);
  const { session } = opened;
  const { taken, told } = await takeUpChoices(session.projection, use, options.sessionDecides ?? []);

  const secrets = settings.secrets.mask
    ? createSecretKeeper(knownSecrets(config, cwd, options.environment ?? {}))
    : OPEN_KEEPER;
  const broadcast = createBroadcast(secrets.event);
  const changes = recordChanges({
    session,
    workspace: cwd,
    root: `${config.home.root}/snapshots`,
    mask: secrets.text,
    notice: (text) => broadcast.emit({ type: "notice", level: "warning", text }),
  });
  const permits = createPermits(broadcast.emit, secrets.ways(answersFor({ ...options, session })));
  // One for all, since it numbers what it keeps. Without a session on disk only the sheath's folder is there.
  const places: { temp?: string } = {};
  const artifacts = openArtifacts(async () =>
    await session.artifactsDir() ?? places.temp ?? Promise.reject(NO_FOLDER)
  );
  let trying: ReturnType<typeof setTimeout> | undefined;
  const tellWarning = (text: string | undefined): boolean => {
    if (text !== undefined) broadcast.emit({ type: "notice", level: "warning", text });
    return text !== undefined;
  };
  const sheath = lazySheath(
    () => {
      void secrets.look();
      const { emit } = broadcast;
      return openSheathOf(options, {
        permits,
        changes,
        secrets,
        artifacts,
        session,
        attachments,
        places,
        emit,
      });
    },
    (made) => {
      const told = made.warning(false).then((warning) => tellWarning(warning));
      // To try the wrapper takes time that the first calls should have; a program that comes sooner tries it itself.
      trying = setTimeout(() => {
        void told.then(async (known) => known || tellWarning(await made.warning(true)));
      }, TRY_WRAPPER_AFTER_MS);
    },
  );
  const declarations = tools.map(declarationOf);
  const questions = createQuestions(broadcast.emit);
  const spending = watchSpending(broadcast, options.limits.budgetUsd);
  let ports: ToolPorts | undefined;
  const loadPorts = async () => {
    const [{ createToolPorts }, { agentModels }] = await Promise.all([
      import("./tool_ports.ts"),
      import("./agent_models.ts"),
    ]);
    const modelOf = agentModels({
      config,
      use,
      limits: options.limits,
      open: openModel,
      words: secrets.words,
      warn: (text) => broadcast.emit({ type: "notice", level: "warning", text }),
    });
    return ports ??= createToolPorts({
      limits: { outputBytes: settings.limits.outputBytes },
      people: questions,
      checkpoints: sessionCheckpoints(session, changes),
      notesFolder: `${config.home.memory}/${folderName(cwd)}`,
      projectFolder: config.project.access === "ignore" ? undefined : cwd,
      agents: {
        tools: joined,
        systemText: () =>
          session.projection.messages.find((message) => message.role === "system")?.text ?? "",
        model: modelOf,
        budgetLeft: spending.left,
        maxSteps: options.limits.maxSteps,
        ...(session.file === undefined ? {} : { keep: artifacts.create }),
        notice: (text) => broadcast.emit({ type: "notice", level: "warning", text }),
        now: () => performance.now(),
      },
    });
  };
  const prompts = createPromptContext({
    config,
    cwd,
    session,
    tools: tools.map(({ name }) => name),
    ...(options.hostSections === undefined ? {} : { hostSections: options.hostSections }),
    reserved: options.reserved ?? [],
    clock: options.clock ?? (() => new Date()),
    warn: (text) => broadcast.emit({ type: "notice", level: "warning", text }),
    clean: secrets.text,
  });
  const joined = prompts.instructing(secrets.tools(
    changes.recording(joinTools(tools, sheath, loadPorts)),
    () => session.projection.messages,
  ));
  const space = createSpace({
    session,
    entries: tools,
    model: () => use.model,
    settings: settings.compaction,
    promptFiles: prompts.promptFiles,
    request: summaryRequests({ provider, use, tools: declarations, cacheKey: session.id }),
    keep: (text) => session.file === undefined ? Promise.resolve(undefined) : keepText(artifacts, text),
    costOf: (usage) => costOf(usage, use.model),
    ...(settings.compaction.pruner === undefined ? {} : { pruner: await prunerOf(options) }),
    announce: () => announced = true,
    emit: broadcast.emit,
  });

  const deps: EngineDeps = {
    session,
    resumed: opened.resumed,
    notices: [
      ...startNotices(config),
      ...(taken ? [] : options.model.warnings),
      ...opened.notices,
      ...told,
    ],
    use,
    tools: joined,
    limits: options.limits,
    prompts,
    space,
    ...(check === undefined ? {} : { check }),
    stream: (messages, signal) =>
      warming(
        secrets.words(conversation.stream({
          model: use.model,
          messages,
          tools: declarations,
          cacheKey: session.id,
          ...(use.thinking === undefined ? {} : { thinking: use.thinking }),
          ...(options.outputSchema === undefined ? {} : { outputSchema: options.outputSchema }),
        }, signal)),
        sheath,
      ),
    costOf: (usage) => costOf(usage, use.model),
    leastCostOfNext: (usage) => leastCostOfNext(usage, use.model),
    permits,
    permissions: { ...settings.permissions, approve: options.approve, sandbox: settings.sandbox.mode },
    questions,
    alsoSpent: () => addSpent(ports?.takeSpent() ?? NOTHING_SPENT, space.takeSpent()),
    branchPrompt: async () =>
      (await import("../context/compact/mod.ts")).summaryPrompts(prompts.promptFiles()).branch,
    undo: changes.undo,
    state: {},
    emit: broadcast.emit,
    now: () => performance.now(),
  };
  const titles = options.titles
    ? titleInBackground({
      session,
      broadcast,
      request: (messages, signal) =>
        provider.stream(
          { model: use.model, messages, tools: [], thinking: "off", maxOutput: TITLE_TOKENS },
          signal,
        ),
    })
    : undefined;
  const engine = createRouter(deps, { ...broadcast, clean: secrets.op }, {
    ...(opened.editable === undefined ? {} : { editable: opened.editable }),
    async close() {
      clearTimeout(warmingUp);
      clearTimeout(trying);
      ports?.close();
      await titles?.close();
      await sheath.close();
      await changes.close();
      await session.close();
    },
    abandon: () => sheath.abandon(),
  });
  if (options.recovery === "resume" && session.projection.run !== undefined) {
    // A moment later: whoever made the engine is to see it. How it ends, its events tell.
    setTimeout(() => void engine.submit({ type: "prompt", requestId: newId(), parts: [] }).catch(() => {}));
  }
  return engine;
}

function declarationOf({ name, description, schema }: ToolDeclaration): ToolDeclaration {
  return { name, description, schema };
}

/** The small model of `compaction.pruner`. Throws ConfigError for one that there is not. */
async function prunerOf({ config, limits }: CreateOptions): Promise<NonNullable<SpaceOptions["pruner"]>> {
  const wanted = resolveModel(config, config.settings.compaction.pruner);
  const { model: { model, provider } } = await withKnownModel({ model: wanted, limits });
  const opened = openProvider({ api: provider.api, endpoint: provider });
  return {
    ask: (messages, signal) =>
      opened.stream({ model, messages, tools: [], thinking: "off", maxOutput: PRUNER_TOKENS }, signal),
    costOf: (usage) => costOf(usage, model),
  };
}

/** What is left of a run's budget; the run's own costs come with its events. */
function watchSpending({ subscribe }: Broadcast, budget: number | undefined) {
  let spent = 0;
  subscribe((event) => {
    if (event.type === "run_start") spent = 0;
    else if (event.type === "usage") spent = event.costUsd ?? spent;
  });
  return { left: () => budget === undefined ? undefined : budget - spent };
}

function providerOf(
  { model: { model, provider }, record: sink, readRecording }: CreateOptions,
  { onWindow, sent, answered, ready }: {
    readonly onWindow: (contextWindow: number) => void;
    readonly sent: (local: boolean) => void;
    readonly answered: () => void;
    readonly ready: () => Promise<void>;
  },
): Provider {
  const local = isLocal(provider.baseUrl, provider.vendor);
  const endpoint = {
    ...provider,
    sent: () => sent(local),
    answered,
    ready,
    ...(readRecording === undefined ? {} : { recording: () => readRecording(model.id) }),
  };
  const opened = openProvider({ api: provider.api, endpoint, probe: true, onWindow });
  return sink === undefined ? opened : record(opened, sink);
}

/** Starts the sheath with an answer that comes over no network, too. */
function warming(stream: AsyncIterable<StreamEvent>, sheath: LazySheath): AsyncIterable<StreamEvent> {
  return mapStream(stream, (event) => {
    if (event.type === "start") sheath.warm();
    return event;
  });
}

/** Where a session keeps nothing, no text can be kept beside it. */
const NO_FOLDER = new Error("The session keeps nothing");

/** Writes a text to an artifact of its own; how the model names it. */
async function keepText(store: ArtifactStore, text: string): Promise<string> {
  const file = await store.create("");
  await file.write(new TextEncoder().encode(text));
  await file.close();
  return `artifact://${file.id}`;
}
