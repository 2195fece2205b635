/**
 * The judge: one pure function from a policy and an action to a verdict with
 * the rule that decided and, where it is not "allow", a reason that names what
 * a user can do about it. Order: a rule that denies, a rule that asks, a rule
 * that allows, then the default of the mode. Three things no rule opens: files
 * for writing in `read-only` mode, and programs without a wrapper in that mode
 * and under `exec: "os"`.
 */
import { baseName } from "../lib/files/paths.ts";
import { isWithin } from "./glob.ts";
import { foldCase } from "./names.ts";
import { type PlaceSet, placeSet } from "./place_set.ts";
import {
  absolutePattern,
  applies,
  behind,
  matchesHost,
  namesOf,
  parseRule,
  type Rule,
  ruleName,
  suggestRule,
} from "./rules.ts";
import { runsText } from "./unwrap.ts";
import { type Action, isWrapped, type Policy, type Verdict } from "./policy.ts";
import type { Given } from "./variables.ts";

type PathAction = Extract<Action, { kind: "read" | "write" }>;
type RunAction = Extract<Action, { kind: "run" }>;

interface Prepared {
  readonly deny: ByKind;
  readonly ask: ByKind;
  readonly allow: ByKind;
  readonly protected: PlaceSet;
  readonly hidden: PlaceSet;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Whether a rule could forbid a command. */
  readonly speaksOfCommands: boolean;
}

/** Rules by what they speak of: a path is not held against rules about commands. */
type ByKind = Readonly<Record<Action["kind"], readonly Rule[]>>;

const prepared = new WeakMap<Policy, Prepared>();

/** Judges an action. Throws RuleError where the policy holds a rule that cannot be read. */
export function decide(policy: Policy, action: Action): Verdict {
  const rules = prepare(policy);
  // A rule that names a command speaks of that name only: most are passed over by a look at it.
  const names = action.kind === "run" ? namesOf(action) : undefined;
  const mayMean = (rule: Rule) =>
    names === undefined || rule.name === undefined || names.has(rule.name) || rule.name.includes("/");
  const denied = rules.deny[action.kind].find((rule) => mayMean(rule) && applies(rule, action, policy, true));
  if (denied) {
    return {
      decision: "deny",
      rule: denied.text,
      reason: `the rule "${denied.text}" in permissions.deny forbids it`,
    };
  }
  const asked = rules.ask[action.kind].find((rule) => mayMean(rule) && applies(rule, action, policy, true));
  if (asked) {
    return {
      decision: "ask",
      rule: asked.text,
      reason: `the rule "${asked.text}" in permissions.ask wants it to be asked`,
    };
  }
  const allowed = rules.allow[action.kind].find((rule) =>
    mayMean(rule) && applies(rule, action, policy, false) && reaches(rule, action, rules, policy)
  );
  if (action.kind === "run" && !allowed) {
    const open = leftOpen(policy, rules, action);
    if (open) return open;
  }
  switch (action.kind) {
    case "read":
    case "write":
      return allowed && writesAtAll(policy, action)
        ? { decision: "allow", rule: allowed.text }
        : decidePath(policy, rules, action);
    case "run":
      return decideRun(policy, action, allowed);
    case "fetch":
      return decideHost(policy, action.host, allowed);
    case "mcp":
      return decideTool(policy, action, allowed);
  }
}

/** Commands that concern nothing but the shell itself, or only run what is asked about by itself. */
const HARMLESS = new Set(
  (": true false [ test break continue return exit export set shift local declare typeset readonly unset " +
    "getopts let wait jobs bg fg disown pwd printf echo read cd pushd popd dirs type hash umask shopt alias " +
    "unalias times eval trap exec command builtin mapfile readarray caller suspend logout history").split(
      " ",
    ),
);

/** Whether a command of the shell does nothing but run others, which are asked about by themselves. */
function onlyRuns(action: RunAction): boolean {
  const { vectors, opaque } = behind(action);
  // A file is asked about as such; the text of -c or of the input is not.
  return runsText(vectors[vectors.length - 1]) || (vectors.length > 1 && !opaque);
}

/** Commands that rules do not settle: where each is asked for, and where it cannot be told what would run. */
function leftOpen(policy: Policy, rules: Prepared, action: RunAction): Verdict | undefined {
  const name = baseName(action.argv[0] ?? action.program ?? "");
  if (
    action.program !== undefined && rules.speaksOfCommands &&
    behind(action).unclear
  ) {
    const by = behind(action).by;
    return {
      decision: "ask",
      rule: "unclear command",
      reason: `what ${name} would run${by === undefined ? "" : ` with ${by}`} cannot be told beforehand, ` +
        `and there are rules about commands`,
    };
  }
  if (policy.rules.commands !== "ask") return undefined;
  if (action.program === undefined && (HARMLESS.has(action.argv[0] ?? "") || onlyRuns(action))) {
    return undefined;
  }
  return {
    decision: "ask",
    rule: "permissions.commands ask",
    reason: `no rule allows ${name}, and permissions.commands is "ask"`,
  };
}

/** A delicate place is opened only by a rule that names it: `read(~/**)` is not meant for `~/.ssh`. */
function reaches(rule: Rule, action: Action, rules: Prepared, policy: Policy): boolean {
  if (action.kind !== "read" && action.kind !== "write") return true;
  const named = foldCase(absolutePattern(rule.pattern, policy)).replace(/\/\*+$/, "");
  const sets = action.kind === "read" ? [rules.hidden] : [rules.hidden, rules.protected];
  return sets.every((set) => isNamed(set, named, action));
}

function isNamed(places: PlaceSet, named: string, action: PathAction): boolean {
  const path = foldCase(action.path);
  if (places.holds(path)) return places.holds(named);
  // The folder around such a place: by its own name only.
  return !concerns(places, path, action) || baseName(named) === baseName(path);
}

/** In `read-only` mode no rule opens a file for writing. */
function writesAtAll(policy: Policy, action: PathAction): boolean {
  return action.kind === "read" || policy.mode !== "read-only";
}

function byKind(texts: readonly string[]): ByKind {
  const all: Record<Action["kind"], Rule[]> = { run: [], read: [], write: [], fetch: [], mcp: [] };
  for (const text of texts) {
    const rule = parseRule(text);
    all[rule.kind].push(rule);
  }
  return all;
}

function prepare(policy: Policy): Prepared {
  const known = prepared.get(policy);
  if (known) return known;
  const made: Prepared = {
    deny: byKind(policy.rules.deny),
    ask: byKind(policy.rules.ask),
    allow: byKind(policy.rules.allow),
    protected: placeSet(policy.protectedPaths),
    hidden: placeSet(policy.hiddenPaths ?? []),
    readable: [policy.workspace, policy.tempDir, ...policy.readRoots, ...policy.writeRoots],
    writable: policy.mode === "read-only"
      ? [policy.tempDir]
      : [policy.workspace, policy.tempDir, ...policy.writeRoots],
    speaksOfCommands: [...policy.rules.deny, ...policy.rules.ask].some((text) =>
      parseRule(text).kind === "run"
    ),
  };
  prepared.set(policy, made);
  return made;
}

function decidePath(policy: Policy, rules: Prepared, action: PathAction): Verdict {
  const { path, kind } = action;
  if (policy.mode === "off") return { decision: "allow", rule: "sandbox.mode off" };
  const lower = foldCase(path);
  const inTemp = isWithin(policy.tempDir, path);
  if (!inTemp && concerns(rules.hidden, lower, action)) {
    return {
      decision: "deny",
      rule: "hidden paths",
      reason: `${path} is ${rules.hidden.holds(lower) ? "" : "around "}a place for credentials, ` +
        `which tools do not touch. ` +
        `A user who wants it can add "${kind}(${path})" to permissions.allow`,
    };
  }
  if (kind === "read") {
    if (rules.readable.some((root) => isWithin(root, path))) return { decision: "allow", rule: "roots" };
    return {
      decision: "deny",
      rule: "roots",
      reason:
        `${path} is outside the workspace ${policy.workspace}. To let tools read it, add its folder to ` +
        `sandbox.readRoots${
          toWrite(policy)
        } or "read(${path})" to permissions.allow, or run with --sandbox off`,
    };
  }
  if (!rules.writable.some((root) => isWithin(root, path))) {
    if (policy.mode === "read-only") {
      return {
        decision: "deny",
        rule: "sandbox.mode read-only",
        reason:
          `the sandbox is read-only, ${path} cannot be written. Run with --sandbox workspace to change files`,
      };
    }
    const outside = `${path} is outside the workspace ${policy.workspace}`;
    // A person may say yes to this one file; no general yes covers it.
    if (action.opens && policy.approve === "ask") {
      const later = concerns(rules.protected, lower, action) ? `, and ${RUNS_LATER}` : "";
      return { decision: "ask", rule: "roots", reason: outside + later };
    }
    return {
      decision: "deny",
      rule: "roots",
      reason: `${outside}. To let tools write there, add its folder to ` +
        `sandbox.writeRoots or "write(${path})" to permissions.allow, or run with --sandbox off`,
    };
  }
  if (!inTemp && concerns(rules.protected, lower, action)) {
    const reason = `${path} is protected: ${RUNS_LATER}`;
    // A person may say yes to it; no general yes covers it.
    if (policy.approve === "ask") return { decision: "ask", rule: "protected paths", reason };
    return {
      decision: "deny",
      rule: "protected paths",
      reason: `${reason}. A user who wants it can add "write(${path})" to permissions.allow`,
    };
  }
  return { decision: "allow", rule: "roots" };
}

const RUNS_LATER = "what stands there can run code outside the sandbox later";

/**
 * Whether an action touches one of the places. A move of `.git` would take its
 * hooks along, and a file of that name says where else they are: with `tree`,
 * a folder whose name leads to a place counts too.
 */
function concerns(places: PlaceSet, path: string, action: PathAction): boolean {
  return places.holds(path) || (action.tree === true && places.leadsTo(path));
}

/** A look is often the first step of writing, and then what opens it for reading is of no use. */
function toWrite({ mode }: Policy): string {
  return mode === "read-only" ? "" : " (to sandbox.writeRoots to let them write there, too)";
}

function decideRun(policy: Policy, action: RunAction, allowed: Rule | undefined): Verdict {
  if (action.program === undefined) {
    return { decision: "allow", rule: allowed?.text ?? "commands of the shell" };
  }
  const name = baseName(action.argv[0] ?? action.program);
  const wrapped = isWrapped(policy, action.wrapper);
  if (policy.mode === "off") {
    if (allowed) return { decision: "allow", rule: allowed.text };
    if (policy.exec === "deny") return denyPrograms(name);
    if (policy.exec === "ask") return askProgram(name, policy, 'sandbox.exec is "ask"');
    return { decision: "allow", rule: "sandbox.mode off" };
  }
  if (policy.mode === "read-only" && !wrapped) {
    return {
      decision: "deny",
      rule: "sandbox.mode read-only",
      reason:
        `in read-only mode external programs (here: ${name}) run only confined, and nothing confines them here: ` +
        `install bubblewrap (Linux), or run with --sandbox workspace`,
    };
  }
  if (policy.exec === "os" && !wrapped) {
    return {
      decision: "deny",
      rule: "sandbox.exec os",
      reason:
        `sandbox.exec is "os", so external programs (here: ${name}) run only confined, and nothing confines them ` +
        `here: install bubblewrap (Linux), or set sandbox.exec to "auto" or "ask"`,
    };
  }
  if (allowed) return { decision: "allow", rule: allowed.text, wrapped };
  switch (policy.exec) {
    case "deny":
      return denyPrograms(name);
    case "allow":
      return { decision: "allow", rule: "sandbox.exec allow", wrapped };
    case "os":
      return { decision: "allow", rule: "sandbox.exec os", wrapped };
    case "ask":
      return askProgram(name, policy, 'sandbox.exec is "ask"');
    case "auto":
      if (wrapped) return { decision: "allow", rule: "sandbox.exec auto", wrapped };
      return askProgram(name, policy, "nothing on this machine confines external programs");
  }
}

function denyPrograms(name: string): Verdict {
  return {
    decision: "deny",
    rule: "sandbox.exec deny",
    reason: `sandbox.exec is "deny": external programs (here: ${name}) do not run. ` +
      `"run(${name} *)" in permissions.allow would allow this one`,
  };
}

function askProgram(name: string, policy: Policy, why: string): Verdict {
  return {
    decision: "ask",
    rule: `sandbox.exec ${policy.exec}`,
    reason: `${name} is an external program, and ${why}`,
  };
}

function decideHost(policy: Policy, host: string, allowed: Rule | undefined): Verdict {
  if (allowed) return { decision: "allow", rule: allowed.text };
  if (policy.mode === "off") return { decision: "allow", rule: "sandbox.mode off" };
  if (policy.net.some((pattern) => matchesHost(pattern, host))) {
    return { decision: "allow", rule: "sandbox.net" };
  }
  const reason = `${host} is not in sandbox.net`;
  if (policy.approve === "ask" || policy.approve === "auto") {
    return { decision: "ask", rule: "sandbox.net", reason };
  }
  return {
    decision: "deny",
    rule: "sandbox.net",
    reason: `${reason}. Add it there, or "fetch(${host})" to permissions.allow`,
  };
}

function decideTool(
  policy: Policy,
  { server, tool }: Extract<Action, { kind: "mcp" }>,
  allowed: Rule | undefined,
): Verdict {
  if (allowed) return { decision: "allow", rule: allowed.text };
  if (policy.mode === "off") return { decision: "allow", rule: "sandbox.mode off" };
  return {
    decision: "ask",
    rule: "mcp",
    reason: `${server} is a program outside of the sandbox, and no rule allows its tool ${tool}`,
  };
}

/** What a model is told where a question has nobody to answer it. */
export function withoutAnswer(action: Action, reason: string, policy: Policy): string {
  if (action.kind !== "run" || action.program === undefined) {
    const rule = suggestRule(action, policy);
    return `${reason}, and nobody can be asked here (--approve never)` +
      (rule === undefined ? "" : `. The user can add "${rule}" to permissions.allow`);
  }
  const name = ruleName(action, policy);
  return `${reason}; nobody can be asked here (--approve never). The user can install bubblewrap (Linux), ` +
    `add "run(${name} *)" to permissions.allow, use --sandbox off, or --approve ask in the chat. ` +
    `The shell's own commands (ls, cat, grep, sed, find, …) need no permission`;
}

/** An action in one line, for questions and logs. */
export function summarize(action: Action): string {
  switch (action.kind) {
    case "read":
    case "write":
      return `${action.kind} ${action.path}`;
    case "fetch":
      return `fetch from ${action.host}`;
    case "mcp":
      return `call ${action.tool} of ${action.server}`;
    case "run":
      return `run ${[...(action.given ?? []).map(assignment), ...action.argv.map(quote)].join(" ")}`;
  }
}

/** Whoever is asked sees what a program is given; a long value by its beginning. */
function assignment({ name, value }: Given): string {
  if (value === undefined) return `${name}=`;
  return `${name}=${quote(value.length > VALUE ? `${value.slice(0, VALUE)}…` : value)}`;
}

const VALUE = 80;

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
