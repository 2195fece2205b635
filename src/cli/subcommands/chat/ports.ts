/** The chat's ports, filled: engine, sessions, models, settings, files and the user's own programs. */
import {
  type Config,
  fingerprint,
  loadConfig,
  namedModel,
  providers,
  resolveModel,
  setTrust,
  showSettings,
} from "../../../config/mod.ts";
import { commandNames } from "../../../commands/names.ts";
import { createEngine } from "../../../engine/create.ts";
import { AppError } from "../../../lib/errors.ts";
import { listCatalog, modelName } from "../../../llm/mod.ts";
import { VERSION } from "../../../release/mod.ts";
import {
  findSession,
  listSessions,
  openSession,
  readSession,
  removeSession,
  searchSessions,
  shortId,
  toHtml,
  toJsonl,
  toMarkdown,
} from "../../../session/mod.ts";
import type { Chat, ChatPorts, ChatWish, ModelRow, SessionRow } from "../../../ui/mod.ts";
import { WORKER_URL } from "../../worker_url.ts";
import { walkFiles } from "./files.ts";
import { openDrafts } from "./drafts.ts";
import type { ChatOptions } from "./options.ts";
import { pastOf } from "./past.ts";
import { editText, readBranch, readClipboardImage, runShell } from "./programs.ts";

export function createPorts(options: ChatOptions, config: Config): ChatPorts {
  const { cwd } = options;
  const { home, settings, project } = config;
  const kept = openDrafts(`${home.root}/cache`, cwd);
  let approve = options.approve ?? settings.permissions.approve;
  const fileOf = (id: string) => findSession(home.sessions, id, cwd);

  async function open(wish: ChatWish): Promise<Chat> {
    const wanted = wish.model ?? options.model;
    // Settings are read once for each agent: what was changed meanwhile holds for the next one.
    const own = await loadConfig({
      cwd,
      overrides: { model: wanted, "sandbox.mode": options.sandbox, "limits.maxSteps": options.maxSteps },
    });
    const model = resolveModel(own, await namedModel(own, wanted));
    approve = wish.approve ?? approve;
    const thinking = wish.thinking ?? options.thinking;
    const engine = await createEngine({
      config: own,
      model,
      cwd,
      session: wish.choice,
      ...(wish.fork === undefined ? {} : { forkEntry: wish.fork }),
      limits: {
        maxSteps: own.settings.limits.maxSteps,
        ...(options.budgetUsd === undefined ? {} : { budgetUsd: options.budgetUsd }),
      },
      approve: approve as "ask" | "auto" | "never" | "always",
      person: true,
      // The scripted model knows one thing to say.
      titles: modelName(model.model) !== "demo/tour",
      reserved: commandNames,
      // What another conversation of this chat had chosen yields to the session's own; the command line does not.
      sessionDecides: [
        ...(options.model === undefined || wanted !== options.model ? ["model" as const] : []),
        ...(options.thinking === undefined || thinking !== options.thinking ? ["thinking" as const] : []),
      ],
      ...(thinking === undefined ? {} : { thinking: thinking as "off" | "low" | "medium" | "high" }),
      ...(options.tools === undefined ? {} : { tools: options.tools }),
      environment: Deno.env.toObject(),
      workerUrl: WORKER_URL,
      readRecording: (path) => Deno.readTextFile(path),
    });
    try {
      const fresh = wish.choice.kind === "new" || wish.choice.kind === "none";
      let id = "";
      engine.subscribe((event) => {
        if (event.type === "run_start") id = event.sessionId;
      });
      const snapshot = async () => {
        const shot = await engine.snapshot();
        id = shot.session.id;
        return shot;
      };
      const shot = fresh && wish.fork === undefined ? undefined : await snapshot();
      const file = shot?.session.file ?? undefined;
      return {
        engine: {
          get unfinished() {
            return engine.unfinished;
          },
          submit: engine.submit,
          subscribe: engine.subscribe,
          snapshot,
          tree: engine.tree,
        },
        get sessionId() {
          return id;
        },
        model: shot?.model ?? modelName(model.model),
        contextWindow: shot?.context.contextWindow ?? model.model.contextWindow,
        past: file === undefined ? [] : pastOf(await readSession(file)),
        title: shot?.session.title ?? "",
        notices: engine.takeNotices(),
        ...(engine.editable === undefined ? {} : { editable: engine.editable }),
        close: () => engine.close(),
        abandon: () => engine.abandon(),
      };
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  return {
    open,
    cwd,
    version: VERSION,
    home: home.user,
    look: {
      theme: config.sources.has("chat.theme") ? settings.chat.theme : kept.theme() ?? settings.chat.theme,
      screen: settings.chat.screen,
      keys: settings.chat.keys,
      status: settings.chat.status,
      notify: settings.chat.notify,
    },
    environment: Deno.env.toObject(),
    branch: () => readBranch(cwd),
    sandbox: settings.sandbox.mode,
    approve,
    sessions: {
      list: () =>
        Promise.resolve(
          listSessions({ root: home.sessions, cwd }).filter((one) =>
            one.title !== "" || one.problem !== undefined
          )
            .map((one) => ({ ...one, shortId: shortId(one.id) })),
        ),
      async search(text) {
        const found = new Map<string, SessionRow & { readonly excerpt: string }>();
        for await (const { session, excerpt } of searchSessions({ root: home.sessions, cwd }, text)) {
          if (found.has(session.id)) continue;
          found.set(session.id, { ...session, shortId: shortId(session.id), excerpt });
          if (found.size >= 100) break;
        }
        return [...found.values()];
      },
      preview: async (id) => pastOf(await readSession(fileOf(id))),
      async rename(id, title) {
        await using session = await openSession(fileOf(id));
        await session.append({ kind: "title", title }, { sync: true });
      },
      async remove(id) {
        await removeSession(home.sessions, fileOf(id));
      },
      async export(id, path) {
        const session = await readSession(fileOf(id));
        const target = path ?? `session-${shortId(id)}.md`;
        const full = target.startsWith("/") ? target : `${cwd}/${target}`;
        const text = /\.html?$/.test(full)
          ? toHtml(session)
          : full.endsWith(".jsonl")
          ? toJsonl(session)
          : toMarkdown(session);
        await Deno.writeTextFile(full, text, { createNew: true }).catch((error) => {
          if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
          throw new AppError("usage", `"${target}" is there already`, {
            hint: "Name another file: /export FILE",
          });
        });
        return full;
      },
    },
    models: () => modelRows(config),
    settings: () =>
      Promise.resolve(
        showSettings(config).map(({ key, value, source }) => ({
          name: key,
          text: `${JSON.stringify(value)}  (${source})`,
        })),
      ),
    servers: () =>
      Promise.resolve(
        Object.entries(settings.mcpServers).map(([name, { command, url }]) => ({
          name,
          // Listed because they are set up; saying no more would look as if they ran.
          text: `not started: this version does not connect to servers of tools  (${command ?? url ?? ""})`,
        })),
      ),
    files: () => walkFiles(cwd),
    attach: async (paths) =>
      await (await import("../../attach.ts")).readAttachments(
        paths.map((path) =>
          path.startsWith("~/") ? home.user + path.slice(1) : path.startsWith("/") ? path : `${cwd}/${path}`
        ),
      ),
    clipboardImage: readClipboardImage,
    shell: (command, output, signal) => runShell(command, cwd, output, signal),
    edit: (text) => editText(text, cwd),
    history: kept,
    trust: {
      wanted: async () => project.access === "read" ? Object.keys(await fingerprint(project.root)) : [],
      give: async () =>
        await setTrust(home, project.root, {
          at: new Date().toISOString(),
          files: await fingerprint(project.root),
        }),
    },
    saveLook: (name, value) => kept.saveLook(name, value),
  };
}

/** The models of the providers that are set up. */
async function modelRows(config: Config): Promise<ModelRow[]> {
  const set = providers(config);
  const { models } = await listCatalog();
  const rows = new Map<string, ModelRow>();
  for (const model of models) {
    if (!set.has(model.provider)) continue;
    const { contextWindow, cost, reasoning } = model;
    rows.set(modelName(model), {
      name: modelName(model),
      contextWindow,
      price: cost === undefined ? undefined : [cost.input, cost.output],
      reasoning: reasoning === true,
    });
  }
  for (const entry of set.values()) {
    for (const [id, own] of Object.entries({ ...entry.described, ...entry.models })) {
      const name = `${entry.name}/${id}`;
      const known = rows.get(name);
      const cost = own.cost;
      rows.set(name, {
        name,
        contextWindow: own.contextWindow ?? known?.contextWindow,
        price: cost?.input !== undefined && cost.output !== undefined
          ? [cost.input, cost.output]
          : known?.price,
        reasoning: own.reasoning ?? known?.reasoning ?? false,
      });
    }
  }
  return [...rows.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}
