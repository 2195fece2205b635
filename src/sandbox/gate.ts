/**
 * The permission gate before each simple command of a script: it judges the
 * argument vector that will really run. It is for commands of the shell itself,
 * which pass unless a rule names them; a program is judged by the main isolate,
 * which alone can start it. Without a rule that speaks of commands there is no
 * gate, and the shell takes its short way.
 */
import { decide } from "./decide.ts";
import { baseName } from "../lib/files/paths.ts";
import type { Action, Policy } from "./policy.ts";
import type { CommandGate, GateAnswer } from "../shell/mod.ts";

interface GateOptions {
  readonly policy: Policy;
  /** Asks the main isolate; the reason where it is refused. */
  permit(action: Action): Promise<string | undefined>;
  /** Told of every refusal. */
  refused(reason: string): void;
}

const ALLOWED: GateAnswer = { allow: true };

/** Undefined where no rule could forbid a command of the shell. */
export function createGate(options: GateOptions): CommandGate | undefined {
  const { policy } = options;
  const { deny, ask, commands } = policy.rules;
  const speaks = [...deny, ...ask].some((text) => /^\s*run\(/.test(text));
  if (!speaks && commands !== "ask") return undefined;

  /** For functions: only what a rule says of their name. */
  const named: Policy = { ...policy, rules: { ...policy.rules, commands: "sandbox" } };

  function refuse(reason: string): GateAnswer {
    options.refused(reason);
    return { allow: false, reason: `Not allowed: ${reason}` };
  }

  return ({ argv, kind, name, cwd }) => {
    // The commands of a function are asked about one by one; a program, when it is to start. What is not to be
    // found is judged like what is: what a name that looks like another would have been, only the judge can say.
    if (argv.length === 0 || kind === "external") return ALLOWED;
    const called: Action = { kind: "run", argv, cwd };
    const other = name !== undefined && baseName(argv[0]) !== name;
    const real: Action = other ? { ...called, argv: [name, ...argv.slice(1)] } : called;
    // Under another name it is what it is, and a rule about that name holds as well.
    const first = decide(kind === "function" ? named : policy, called);
    const strict = other && first.decision !== "deny" ? decide(policy, real) : first;
    const verdict = other && strict.decision === "allow" ? first : strict;
    const action = verdict === first ? called : real;
    if (verdict.decision === "allow") return ALLOWED;
    if (verdict.decision === "deny") return refuse(verdict.reason);
    return options.permit(action).then((reason) => reason === undefined ? ALLOWED : refuse(reason));
  };
}
