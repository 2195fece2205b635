/**
 * The permission gate before each simple command of a script: it judges the
 * argument vector that will really run. Commands of the shell itself pass
 * unless a rule names them; a program is judged here, so that nothing of its
 * command (a redirection that empties a file) has happened when it is refused,
 * and once more by the main isolate, which starts it.
 */
import { type Action, changedLoaders, decide, type Policy } from "../sandbox/mod.ts";
import type { CommandGate, GateAnswer } from "../shell/mod.ts";

export interface GateOptions {
  readonly policy: Policy;
  readonly env: Readonly<Record<string, string>>;
  /** The name of what confines programs here. */
  wrapper(): Promise<string | undefined>;
  /** Asks the main isolate; the reason where it is refused. */
  permit(action: Action): Promise<string | undefined>;
  /** Told of every refusal. */
  refused(reason: string): void;
}

const ALLOWED: GateAnswer = { allow: true };

export function createGate(options: GateOptions): CommandGate {
  const { policy } = options;
  /** Rules that could forbid a command of the shell; without any there is nothing to judge. */
  const speaksOfCommands = [...policy.rules.deny, ...policy.rules.ask].some((text) => /^\s*run\(/.test(text));
  let wrapper: { readonly name: string | undefined } | undefined;

  function judge(action: Action): GateAnswer | Promise<GateAnswer> {
    const verdict = decide(policy, action);
    if (verdict.decision === "allow") return ALLOWED;
    if (verdict.decision === "deny") return refuse(verdict.reason);
    return options.permit(action).then((reason) => reason === undefined ? ALLOWED : refuse(reason));
  }

  function refuse(reason: string): GateAnswer {
    options.refused(reason);
    return { allow: false, reason: `Not allowed: ${reason}` };
  }

  return ({ argv, kind, program, assignments, cwd }) => {
    if (argv.length === 0) return ALLOWED;
    if (kind !== "external") return speaksOfCommands ? judge({ kind: "run", argv, cwd }) : ALLOWED;
    // What cannot be found or started fails by itself.
    if (program === undefined) return ALLOWED;
    const loaded = changedLoaders(assignments, options.env);
    const action = (name: string | undefined): Action => ({
      kind: "run",
      argv,
      program,
      cwd,
      wrapper: name,
      loaded,
    });
    if (wrapper) return judge(action(wrapper.name));
    return options.wrapper().then((name) => {
      wrapper = { name };
      return judge(action(name));
    });
  };
}
