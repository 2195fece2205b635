/** Who answers questions of the permission gate in this session, and what is kept of the answers. */
import { addProjectRule, type Config, type Resolved, resolveModel, setTrust } from "../config/mod.ts";
import { openProvider } from "../llm/mod.ts";
import type { ApproveMode } from "../sandbox/mod.ts";
import type { Session } from "../session/mod.ts";
import type { PermitWays } from "./permits.ts";

export interface AnswersOptions {
  readonly config: Config;
  readonly model: Resolved;
  readonly cwd: string;
  readonly approve: ApproveMode;
  /** Whether a person can answer; default: only where `approve` is "ask". */
  readonly person?: boolean;
  readonly session: Pick<Session, "projection" | "append">;
}

/** The ways in which questions are answered. Throws ConfigError for a judge that there is not. */
export function answersFor(options: AnswersOptions): PermitWays {
  const { config, approve } = options;
  return {
    person: options.person ?? approve === "ask",
    keep: (rule) => addProjectRule(config.home, config.project.root, rule),
    ...(approve === "auto" ? { judge: judgeOf(options) } : {}),
  };
}

function judgeOf({ config, model: own, cwd, session }: AnswersOptions): NonNullable<PermitWays["judge"]> {
  const { judge: wanted, allow, ask, deny } = config.settings.permissions;
  const { model, provider } = wanted === undefined ? own : resolveModel(config, wanted);
  let made: Promise<NonNullable<PermitWays["judge"]>> | undefined;
  const make = async () => {
    const { createJudge } = await import("./judge.ts");
    const opened = openProvider({ api: provider.api, endpoint: provider });
    return createJudge({
      facts: () => ({
        rules: { allow, ask, deny },
        sandbox: config.settings.sandbox.mode,
        workspace: cwd,
        tasks: session.projection.messages.flatMap((message) =>
          message.role === "user"
            ? message.parts.flatMap((part) => part.type === "text" ? [part.text] : [])
            : []
        ),
      }),
      stream: (messages, signal) => opened.stream({ model, messages, tools: [], thinking: "off" }, signal),
      spent: (usage) =>
        void session.append({ kind: "usage", usage, purpose: "permission" }).catch(() => {
          // The loop's own next write fails alike, and tells.
        }),
    });
  };
  return async (request, signal) => await (await (made ??= make()))(request, signal);
}

/** Keeps what a project that the user's patterns trust looks like now: a later change of it is noticed. */
export async function keepTrust({ home, project }: Config): Promise<void> {
  if (project.unrecorded === undefined) return;
  await setTrust(home, project.root, { at: new Date().toISOString(), files: project.unrecorded });
}
