/**
 * What is enforced on this machine, in words: who is bound by what, and what
 * becomes of one path or one command. It judges with the same function and
 * finds commands with the same shell as a run, so that it cannot say something
 * else; nothing is started and nothing is changed.
 */
import { HostError, type ShellHost } from "../shell/host.ts";
import { decide, summarize } from "./decide.ts";
import { isDevice } from "./devices.ts";
import { commandsMet } from "./dry_run.ts";
import { createPathGuard } from "./guard_paths.ts";
import type { WrapperSearch } from "./os/mod.ts";
import { type Action, isWrapped, type Policy, type Verdict } from "./policy.ts";
import { suggestRule } from "./rules.ts";
import { scriptCommands } from "./script_commands.ts";
import { runsText, unwrap } from "./unwrap.ts";

interface ExplainOptions {
  readonly policy: Policy;
  readonly search: WrapperSearch;
  readonly host: ShellHost;
  /** Names of the variables that commands see. */
  readonly env: readonly string[];
  /** The search path of commands. */
  readonly path: string;
}

/** One line of the table: somebody who acts for the model. */
export interface BoundRow {
  readonly who: string;
  readonly boundBy: string;
  readonly reads: string;
  readonly writes: string;
  readonly network: string;
}

/** One thing that was judged. */
export interface Judged {
  /** "read /etc/hosts", "run git push". */
  readonly action: string;
  readonly decision: Verdict["decision"];
  /** The rule or the default that decided. */
  readonly rule: string;
  readonly reason: string | null;
  /** How a command runs; null for paths. */
  readonly runs: string | null;
  /** A command that the script comes to when its words are worked out; as a text it says less. */
  readonly workedOut: boolean;
  /** The rule that would allow it; null where it is allowed, or none says just this. */
  readonly allowedBy: string | null;
}

/** The decision, what it was taken from, and what one should know besides. */
export interface SubjectExplanation {
  readonly kind: "path" | "command";
  readonly subject: string;
  readonly decision: Verdict["decision"];
  readonly judged: readonly Judged[];
  readonly notes: readonly string[];
}

/** Who is bound by what. "roots" are the folders of the policy. */
export function whoIsBound({ policy, search }: Pick<ExplainOptions, "policy" | "search">): BoundRow[] {
  const off = policy.mode === "off";
  const reads = off ? "all that you can" : "read roots";
  const writes = off ? "all that you can" : "write roots";
  const own = off ? "nothing" : "runtime, path guard";
  return [
    { who: "file tools", boundBy: own, reads, writes, network: "none" },
    { who: "shell", boundBy: off ? "rules" : `${own}, rules`, reads, writes, network: "none" },
    { who: "programs", ...programs(policy, search) },
    {
      who: "fetch",
      boundBy: "rules, public hosts",
      reads: "-",
      writes: "-",
      network: off ? "every host" : policy.net.length === 0 ? "none" : "sandbox.net",
    },
    {
      who: "MCP, hooks",
      boundBy: "not run yet",
      reads: "-",
      writes: "-",
      network: "-",
    },
  ];
}

function programs(policy: Policy, { wrapper }: WrapperSearch): Omit<BoundRow, "who"> {
  if (policy.mode !== "off" && isWrapped(policy, wrapper?.name)) {
    return {
      boundBy: `${wrapper?.name}, rules`,
      reads: "all but credentials",
      writes: "write roots",
      network: policy.net.includes("*") ? "the machine's" : policy.net.length === 0 ? "none" : "sandbox.net",
    };
  }
  const refused = policy.mode !== "off" &&
    (policy.mode === "read-only" || policy.exec === "os" || policy.exec === "deny");
  if (refused) return { boundBy: "not run", reads: "-", writes: "-", network: "-" };
  const asked = policy.mode !== "off" && policy.exec !== "allow";
  return {
    boundBy: asked ? "asked, then NOTHING" : "NOTHING",
    reads: "all that you can",
    writes: "all that you can",
    network: "the machine's",
  };
}

/** The folders that tools may read and write. */
export function rootsOf(
  policy: Policy,
): { readonly read: readonly string[]; readonly write: readonly string[] } {
  if (policy.mode === "off") return { read: ["/"], write: ["/"] };
  const own = [policy.workspace, ...policy.writeRoots];
  return {
    read: [...own, ...policy.readRoots, "/tmp (private)"],
    write: policy.mode === "read-only" ? ["/tmp (private)"] : [...own, "/tmp (private)"],
  };
}

/** What becomes of reading and writing one path. `path`: absolute. `opens`: a command opens it, and does no more. */
export function explainPath(path: string, options: ExplainOptions, opens = false): SubjectExplanation {
  const { policy, host } = options;
  const notes: string[] = [];
  if (isDevice(path)) {
    return {
      kind: "path",
      subject: path,
      decision: "allow",
      judged: [],
      notes: ["A harmless device: tools get one in memory."],
    };
  }
  let at = path;
  try {
    at = createPathGuard({ fs: host.fs, policy, places: ["/"], mayRemember: () => false }).resolve(
      path,
      true,
      true,
    );
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    notes.push(`It cannot be resolved (${error.message}): tools get the same error.`);
  }
  if (at !== path) notes.push(`It leads to ${at}, which is what is judged.`);
  const kind = kindOf(host, at);
  if (kind === "fifo" || kind === "socket" || kind === "char" || kind === "block") {
    notes.push(`It is no file (${kind}): file tools do not open it.`);
  }
  // A single file outside of the roots can be asked for where it can be held.
  const single = { kind: "write", path: at, opens: true } as const;
  const asks = host.platform === "linux" && decide(policy, single).decision === "ask";
  const judged = (["read", "write"] as const).map((kind) =>
    judge(kind === "write" && opens && asks ? single : { kind, path: at }, policy, null)
  );
  if (asks && !opens && judged[1].decision === "deny") {
    notes.push(
      "A command that opens just this file for writing (> FILE) asks first, where somebody can answer.",
    );
  }
  if (isWrapped(policy, options.search.wrapper?.name)) {
    const hidden = (policy.hiddenPaths ?? []).some((place) => at === place || at.startsWith(`${place}/`));
    notes.push(
      hidden
        ? `Programs under ${options.search.wrapper?.name} see nothing there.`
        : `Programs under ${options.search.wrapper?.name} can read it where you can, whatever is said of tools.`,
    );
  }
  return { kind: "path", subject: path, decision: judged[0].decision, judged, notes };
}

function kindOf(host: ShellHost, path: string): string | undefined {
  try {
    return host.fs.lstat(path).kind;
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** What becomes of each command of a script: as it is written, and as far as it can be worked out now, as it comes out. */
export async function explainCommand(script: string, options: ExplainOptions): Promise<SubjectExplanation> {
  const { policy, search } = options;
  const found = scriptCommands(script);
  const notes: string[] = [];
  const judged: Judged[] = [];
  let unclear = found.unclear;
  const met = unclear
    ? await commandsMet(script, { ...options, cwd: policy.workspace, env: { PATH: options.path } })
    : [];
  const written = new Set(found.vectors.map((argv) => JSON.stringify(argv)));
  const workedOut = new Set<readonly string[]>(met.filter((argv) => !written.has(JSON.stringify(argv))));
  // What has come out whole stands for its beginning.
  const known = found.vectors.filter((argv) =>
    !found.cut.has(argv) || !met.some((whole) => argv.every((word, i) => whole[i] === word))
  );
  const left = [...known, ...workedOut];
  for (let argv = left.shift(); argv !== undefined; argv = left.shift()) {
    const { kind, program } = await whereIs(argv, options);
    const confined = isWrapped(policy, search.wrapper?.name);
    const action: Action = {
      kind: "run",
      argv,
      cwd: policy.workspace,
      ...(kind === "external" && program !== undefined
        ? { program, wrapper: search.wrapper?.name, problem: search.problem }
        : {}),
    };
    const runs = kind === "external"
      ? confined
        ? `a program, under ${search.wrapper?.name}${policy.net.length === 0 ? ", without network" : ""}`
        : "a program, confined by nothing"
      : kind === "none"
      ? "there is no such command"
      : kind === "shell"
      ? "a script, run by the shell itself: its commands are judged one by one"
      : "a command of the shell itself";
    const one = judge(action, policy, runs, workedOut.has(argv));
    judged.push(one);
    if (one.decision === "deny") continue;
    // What it runs in turn is judged by itself; what a shell reads from elsewhere cannot be told.
    const chain = unwrap(argv);
    left.unshift(...chain.vectors.slice(1, 2), ...(chain.vectors.length > 1 ? [] : chain.inside));
    unclear ||= chain.unclear || (runsText(argv) && chain.inside.length === 0);
  }
  for (const [kind, paths] of [["read", found.reads], ["write", found.writes]] as const) {
    for (const path of paths) {
      const [read, write] = explainPath(absolute(path, policy), options, true).judged;
      const one = kind === "read" ? read : write;
      if (one !== undefined) judged.push(one);
    }
  }
  if (judged.some(({ runs }) => runs?.startsWith("a command of the shell"))) {
    notes.push("What commands of the shell read and write is judged path by path as they run.");
  }
  if (unclear) {
    notes.unshift(
      "Parts of it are known only when it runs; they are judged then, each command by what it has become." +
        (workedOut.size === 0 ? "" : " What is marked as worked out may come out otherwise then."),
    );
  }
  const order: readonly Verdict["decision"][] = ["deny", "ask", "allow"];
  const worst = order.find((one) => judged.some((each) => each.decision === one)) ?? "allow";
  const { deny, ask, commands } = policy.rules;
  // Nobody can say now that no rule will be met.
  const open = unclear && worst === "allow" &&
    (commands === "ask" || [...deny, ...ask].some((text) => /^\s*run\(/.test(text)));
  const decision = open ? "ask" : worst;
  return { kind: "command", subject: script, decision, judged, notes };
}

function judge(action: Action, policy: Policy, runs: string | null, workedOut = false): Judged {
  const verdict = decide(policy, action);
  // Deny comes before ask, ask before allow: no rule that allows is heard where one of those decides.
  const settled = [...policy.rules.deny, ...policy.rules.ask].includes(verdict.rule);
  const allowed = verdict.decision === "allow" || settled;
  return {
    action: summarize(action),
    decision: verdict.decision,
    rule: verdict.rule,
    reason: verdict.decision === "allow" ? null : verdict.reason,
    runs,
    workedOut,
    allowedBy: allowed ? null : suggestRule(action, policy) ?? null,
  };
}

function absolute(path: string, { workspace, home }: Policy): string {
  if (path === "~" || path.startsWith("~/")) return home + path.slice(1);
  return path.startsWith("/") ? path : `${workspace}/${path.replace(/^(\.\/)+/, "")}`;
}

/** What the shell would take a command for. Every command is refused by the gate, so that none runs. */
async function whereIs(
  argv: readonly string[],
  { policy, host, path }: ExplainOptions,
): Promise<{ kind: string; program: string | undefined }> {
  const { createShell } = await import("../shell/mod.ts");
  const quiet = { write() {}, close() {} };
  let found = { kind: "none", program: undefined as string | undefined };
  const shell = createShell({
    host,
    cwd: policy.workspace,
    env: { PATH: path },
    stdout: quiet,
    stderr: quiet,
    gate: ({ kind, program }) => {
      found = { kind, program };
      return { allow: false, reason: "only looked at" };
    },
  });
  try {
    await shell.run(argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" "));
  } finally {
    shell.close();
  }
  return found;
}
