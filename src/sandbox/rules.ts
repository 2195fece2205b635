/**
 * The rules of the settings: `run(git log *)`, `read(~/notes/**)`,
 * `write(./docs/**)`, `fetch(example.org)`. Here they are parsed (once per
 * text) and compared with an action; `decide.ts` orders them.
 *
 * Commands are compared by argument vector, never by text, so that quotes
 * decide nothing. A rule that forbids reads widely (any way to the program,
 * flags in any order, wrappers such as `env` looked through), a rule that
 * allows reads narrowly.
 */
import { baseName } from "../lib/files/paths.ts";
import { AppError } from "../lib/errors.ts";
import { isWithin, matchPath, matchWord } from "./glob.ts";
import { foldCase } from "./names.ts";
import { withoutGlobalOptions } from "./git_words.ts";
import { unwrap, type Unwrapped, unwrapText } from "./unwrap.ts";
import { type Given, isListed, isPlace, kindFor } from "./variables.ts";
import { type Action, isWrapped, type Policy } from "./policy.ts";

/** Mistakes in a rule's text. */
export class RuleError extends AppError<"bad_rule"> {
  override readonly name = "RuleError";
}

/** A rule of the settings, read. */
export interface Rule {
  /** As the settings have it. */
  readonly text: string;
  readonly kind: "run" | "read" | "write" | "fetch" | "mcp";
  /** What stands in the parentheses. */
  readonly pattern: string;
  /** Words of a `run` pattern. */
  readonly words: readonly string[];
  /** A `run` pattern that ends in `*`: any more arguments may follow. */
  readonly open: boolean;
  /** The first word of a `run` pattern where it stands for itself: the rule speaks of no other name. */
  readonly name?: string;
  /** Letters of a `run` pattern's short flags. */
  readonly flags: string;
  /** Assignments before a `run` pattern, `NODE_OPTIONS=*`: name and pattern of the value. */
  readonly given: readonly (readonly [name: string, value: string])[];
}

const SHORT_FLAGS = /^-[A-Za-z]+$/;
const KINDS = new Set(["run", "read", "write", "fetch", "mcp"]);
const parsed = new Map<string, Rule>();

/** Parses one rule; throws RuleError with what is wrong. */
export function parseRule(text: string): Rule {
  const known = parsed.get(text);
  if (known) return known;
  const match = /^\s*([a-z]+)\(([\s\S]*)\)\s*$/.exec(text);
  const kind = match?.[1] ?? "";
  const pattern = match?.[2].trim() ?? "";
  if (!match || !KINDS.has(kind) || pattern === "") {
    throw new RuleError("bad_rule", `Cannot read the rule "${text}"`, {
      hint:
        "Write it as run(git log *), read(~/notes/**), write(./docs/**), fetch(example.org) or mcp(server/tool).",
    });
  }
  const { given, words } = splitGiven(kind, pattern.split(/\s+/));
  if (words.length === 0) {
    throw new RuleError("bad_rule", `Cannot read the rule "${text}": it names no command`, {
      hint: "Write the command after the variables: run(NODE_OPTIONS=* npm test *), or * for every one.",
    });
  }
  const unknown = given.find(([name]) => !isListed(name));
  if (unknown) {
    throw new RuleError("bad_rule", `Cannot read the rule "${text}": ${unknown[0]} needs none`, {
      hint: "Rules name only variables that can make a program run something else. Leave it out.",
    });
  }
  const rule: Rule = {
    text,
    kind: kind as Rule["kind"],
    pattern,
    words,
    open: words[words.length - 1].endsWith("*"),
    ...(/[*?]/.test(words[0]) ? {} : { name: words[0] }),
    flags: words.slice(1).filter((word) => SHORT_FLAGS.test(word)).join("").replaceAll("-", "").toLowerCase(),
    given,
  };
  parsed.set(text, rule);
  return rule;
}

function splitGiven(kind: string, all: readonly string[]): Pick<Rule, "given" | "words"> {
  const first = kind === "run" ? all.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word)) : 0;
  const count = first < 0 ? all.length : first;
  return {
    given: all.slice(0, count).map((word) => {
      const cut = word.indexOf("=");
      return [word.slice(0, cut), word.slice(cut + 1)];
    }),
    words: all.slice(count),
  };
}

/** The absolute form of a path pattern. */
export function absolutePattern(pattern: string, policy: Pick<Policy, "workspace" | "home">): string {
  if (pattern === "**" || pattern === "*") return "/**";
  if (pattern === "~") return policy.home;
  if (pattern.startsWith("~/")) return policy.home + pattern.slice(1);
  if (pattern.startsWith("**/")) return `/${pattern}`;
  if (pattern.startsWith("/") || /^[A-Za-z]:\//.test(pattern)) return pattern;
  if (pattern === ".") return policy.workspace;
  return `${policy.workspace}/${pattern.startsWith("./") ? pattern.slice(2) : pattern}`;
}

/** The folder that an absolute pattern cannot leave: its part before the first wildcard. */
export function fixedPart(pattern: string): string {
  const star = pattern.search(/[*?]/);
  if (star < 0) return pattern;
  const fixed = pattern.slice(0, pattern.lastIndexOf("/", star));
  return fixed === "" ? "/" : fixed;
}

/** What an argument vector leads to; worked out once for an action, however many rules there are. */
const unwrapped = new WeakMap<Action, Behind>();

interface Behind extends Unwrapped {
  /** The variable that makes it unclear. */
  readonly by?: string;
}

/** The commands that a command runs. */
export function behind(action: Extract<Action, { kind: "run" }>): Behind {
  const known = unwrapped.get(action);
  if (known) return known;
  const plain = withScript(unwrap(action.argv), action.script);
  const made = action.given === undefined || action.given.length === 0 || action.program === undefined
    ? plain
    : withGiven(plain, action.given, plainNames(plain, action.program));
  unwrapped.set(action, made);
  return made;
}

/** Also the interpreter of a script. */
function withScript(plain: Unwrapped, script: readonly string[] | undefined): Unwrapped {
  if (script === undefined) return plain;
  const { vectors, inside, unclear } = unwrap(script);
  return {
    ...plain,
    inside: [...plain.inside, ...vectors, ...inside],
    unclear: plain.unclear || unclear,
  };
}

/** Also what the program would run by its environment. */
function withGiven(plain: Unwrapped, given: readonly Given[], names: ReadonlySet<string>): Behind {
  let made: Behind = plain;
  for (const one of given) {
    const kind = kindFor(one, names);
    if (kind === undefined || kind === "search") continue;
    const found = kind === "command" ? unwrapText(one.value ?? "") : undefined;
    made = {
      ...made,
      inside: [...made.inside, ...found?.inside ?? []],
      ...(found === undefined || found.unclear ? { unclear: true, by: one.name } : {}),
    };
  }
  return made;
}

function plainNames({ vectors, inside }: Unwrapped, program: string): ReadonlySet<string> {
  const names = [...vectors, ...inside].map((argv) => baseName(argv[0] ?? ""));
  return new Set([...names, baseName(program)]);
}

/** Every name under which an action's commands could be spoken of. */
export function namesOf(action: Extract<Action, { kind: "run" }>): ReadonlySet<string> {
  const { vectors, inside } = behind(action);
  const names = new Set<string>();
  const add = (name: string | undefined) => {
    if (name === undefined) return;
    names.add(name);
    const cut = name.lastIndexOf("/");
    if (cut >= 0) names.add(name.slice(cut + 1));
  };
  for (const argv of vectors) add(argv[0]);
  for (const argv of inside) add(argv[0]);
  add(action.program);
  return names;
}

/** Whether a rule speaks of the action. `wide`: as a rule that forbids or asks reads it. */
export function applies(rule: Rule, action: Action, policy: Policy, wide: boolean): boolean {
  if (action.kind !== rule.kind) return false;
  switch (action.kind) {
    case "read":
    case "write": {
      const pattern = absolutePattern(rule.pattern, policy);
      return wide ? matchPath(foldCase(pattern), foldCase(action.path)) : matchPath(pattern, action.path);
    }
    case "fetch":
      return matchesHost(rule.pattern, action.host);
    case "mcp":
      return matchesTool(rule.pattern, action.server, action.tool, wide);
    case "run":
      return wide ? forbids(rule, action) : permits(rule, action, policy);
  }
}

/** `example.org` is that host, `*.example.org` every one below it, `*` every one. */
export function matchesHost(pattern: string, host: string): boolean {
  return matchWord(pattern.toLowerCase(), host.toLowerCase().replace(/\.$/, ""));
}

/** `server/tool`; `server` alone is all of its tools, `*` in either part any characters. */
function matchesTool(pattern: string, server: string, tool: string, wide: boolean): boolean {
  const slash = pattern.indexOf("/");
  const fits = (want: string, have: string) =>
    wide ? matchWord(want.toLowerCase(), have.toLowerCase()) : matchWord(want, have);
  if (slash < 0) return fits(pattern, server);
  return fits(pattern.slice(0, slash), server) && fits(pattern.slice(slash + 1), tool);
}

type Run = Extract<Action, { kind: "run" }>;

function forbids(rule: Rule, action: Run): boolean {
  const isGiven = ([name, value]: readonly [string, string]) =>
    action.given?.some((one) => one.name === name && matchWord(value, one.value ?? "")) === true;
  if (!rule.given.every(isGiven)) return false;
  const { vectors, inside } = behind(action);
  // What our own shell runs of a text it is asked about as it comes: not every branch is taken.
  for (const argv of action.program === undefined ? vectors : [...vectors, ...inside]) {
    const names = [argv[0] ?? "", baseName(argv[0] ?? "")];
    if (argv === action.argv && action.program) names.push(action.program, baseName(action.program));
    if (wordsMatch(rule, argv, names) || flagsMatch(rule, argv, names)) return true;
    const plain = withoutGlobalOptions(argv);
    if (plain.changed && (wordsMatch(rule, plain.argv, names) || flagsMatch(rule, plain.argv, names))) {
      return true;
    }
  }
  return false;
}

/**
 * Words with which a program does something else than its name says: a rule
 * that allows it in general does not mean them. `find *` is no leave to delete.
 */
const OTHER_USES: Readonly<Record<string, RegExp>> = {
  find: /^-(delete|fprint0?|fprintf|fls|exec|execdir|ok|okdir)$/,
  fd: /^(-x|-X|--exec|--exec-batch)$/,
  rg: /^--pre(=.*)?$/,
  git:
    /^(--output(=.*)?|--ext-diff|--textconv|--upload-pack(=.*)?|--receive-pack(=.*)?|--exec(=.*)?|-x|-O.*|--open-files-in-pager(=.*)?)$/,
  tar: /^(--to-command|--checkpoint-action|--use-compress-program|--rsh-command|-I)(=.*)?$/,
};

function usedOtherwise(rule: Rule, argv: readonly string[]): boolean {
  const pattern = OTHER_USES[baseName(argv[0] ?? "")];
  return pattern !== undefined && rule.pattern !== "*" &&
    argv.some((arg, i) => i > 0 && pattern.test(arg) && !rule.words.includes(arg));
}

function permits(rule: Rule, action: Run, policy: Policy): boolean {
  if (!allowsGiven(rule, action, policy)) return false;
  const { vectors, opaque, inside } = behind(action);
  const inner = vectors[vectors.length - 1];
  // What `-exec` of our own find runs is asked about by itself.
  const own = action.program === undefined && inside.length > 0;
  if (usedOtherwise(rule, own ? inner.filter((arg) => !/^-(exec|execdir)$/.test(arg)) : inner)) return false;
  // `timeout 5 git log` is allowed by what allows `git log`; a wrapper that cannot be looked through only by its own rule.
  if (inner !== action.argv && !opaque && wordsMatch(rule, inner, [inner[0] ?? ""])) {
    return !(inner[0] ?? "").includes("/");
  }
  if (inner !== action.argv) {
    if (rule.words[0] !== action.argv[0]) return false;
    // `env *` is no leave for whatever env may start; our own shell asks for that by itself.
    const named = rule.words.length - (rule.words[rule.words.length - 1] === "*" ? 1 : 0);
    const before = action.argv.length - vectors[1].length;
    if (action.program !== undefined && named <= before) return false;
  }
  return wordsMatch(rule, action.argv, namesThatCount(action, policy));
}

/** Whether the rule means the program with what its environment makes of it. */
function allowsGiven(rule: Rule, action: Run, policy: Policy): boolean {
  if (action.given === undefined || action.given.length === 0) return rule.given.length === 0;
  // What leads a confined program elsewhere leads it to nothing that it could not do anyway.
  const wrapped = isWrapped(policy, action.wrapper);
  const names = plainNames(unwrap(action.argv), action.program ?? "");
  const open = action.given.filter((one) =>
    !(isPlace(one) && wrapped && kindFor(one, names) === undefined) &&
    !rule.given.some(([name, value]) => name === one.name && matchWord(value, one.value ?? ""))
  );
  return open.length === 0;
}

/** The names under which a rule may allow a program: one that lies where tools can write is not `git` because it is called so. */
function namesThatCount(action: Run, policy: Policy): string[] {
  const name = action.argv[0] ?? "";
  const program = action.program;
  if (program === undefined) return [name];
  const own = [policy.workspace, policy.tempDir, ...policy.writeRoots].find((root) =>
    isWithin(root, program)
  );
  if (own === undefined) return [name, program, baseName(program)];
  const names = [program];
  if (isWithin(policy.workspace, program)) {
    const below = program.slice(policy.workspace.length + 1);
    names.push(`./${below}`, below);
  }
  if (isWithin(policy.home, program)) names.push(`~${program.slice(policy.home.length)}`);
  return names;
}

function wordsMatch(rule: Rule, argv: readonly string[], names: readonly string[]): boolean {
  const { words, open } = rule;
  const last = words.length - 1;
  if (last === 0 && words[0] === "*") return true;
  if (!names.some((name) => matchWord(words[0], name))) return false;
  for (let i = 1; i <= last; i++) {
    if (i === last && words[i] === "*") return true;
    if (i >= argv.length || !matchWord(words[i], argv[i])) return false;
  }
  return open || argv.length === words.length;
}

/** `rm -rf *` also means `rm -r -f x` and `rm --force --recursive x`. */
function flagsMatch(rule: Rule, argv: readonly string[], names: readonly string[]): boolean {
  const { flags } = rule;
  if (flags === "" || !names.some((name) => matchWord(rule.words[0], name))) return false;
  const given = new Set<string>();
  const rest: string[] = [];
  let ended = false;
  for (const arg of argv.slice(1)) {
    if (!ended && arg === "--") ended = true;
    else if (!ended && /^--[a-z]/.test(arg)) given.add(arg[2]);
    else if (!ended && /^-[A-Za-z]/.test(arg)) {
      for (const letter of arg.slice(1)) given.add(letter.toLowerCase());
    } else rest.push(arg);
  }
  if (![...flags].every((flag) => given.has(flag))) return false;
  const words = rule.words.slice(1).filter((word) => !SHORT_FLAGS.test(word));
  if (words.length > 0 && words[words.length - 1] === "*") words.pop();
  return words.every((word, i) => i < rest.length && matchWord(word, rest[i])) &&
    (rule.open || rest.length === words.length);
}

/** Programs that run what they are given: a rule for all that they do would be a rule for everything. */
const RUNNERS =
  /^(sh|bash|dash|ash|zsh|ksh|fish|csh|tcsh|busybox|toybox|python[\d.]*|node|deno|bun|ruby|perl|php|lua|tclsh|osascript|pwsh|powershell|cmd|env|sudo|doas|su|ssh|xargs|nohup|timeout|nice|setsid|watch|npx|bunx|uvx|pipx|docker|podman|kubectl|eval|exec|source|\.)(\.exe)?$/;
/** Words after which comes what is run: `npm run build`, `python -m pytest`. */
const LEADING = /^(run|task|exec|-m|x)$/;
/** A word that stands for itself in a rule. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** The narrow rule that would allow the action for good; undefined where no rule says just that. */
export function suggestRule(action: Action, policy: Policy): string | undefined {
  switch (action.kind) {
    case "read":
    case "write": {
      const path = shortPath(action.path, policy);
      return /[*?\n]|^\s|\s$/.test(path) ? undefined : `${action.kind}(${path})`;
    }
    case "fetch":
      return `fetch(${action.host})`;
    case "mcp":
      return /[*?()\s]/.test(action.server + action.tool)
        ? undefined
        : `mcp(${action.server}/${action.tool})`;
    case "run":
      return suggestRun(action, policy);
  }
}

function suggestRun(action: Run, policy: Policy): string | undefined {
  const name = ruleName(action, policy);
  if (!PLAIN_WORD.test(name) || (action.given?.length ?? 0) > 0 || behind(action).unclear) return undefined;
  const { argv, changed } = withoutGlobalOptions(action.argv);
  // `git -c x=y log` does not mean what `git log` does.
  if (changed) return undefined;
  // A name alone is all that was asked for; a program that runs what it is given takes it from its input, too.
  if (argv.length === 1 && !RUNNERS.test(baseName(name))) return `run(${name})`;
  const words = [name];
  const [, first, second] = argv;
  if (RUNNERS.test(baseName(name))) {
    if (first === undefined || !PLAIN_WORD.test(first)) return undefined;
    if (first.startsWith("-") && first !== "-m") return undefined;
    words.push(first);
    if (LEADING.test(first)) {
      if (second === undefined || !PLAIN_WORD.test(second) || second.startsWith("-")) return undefined;
      words.push(second);
    } else if (!/[./]/.test(first)) return undefined;
  } else if (first !== undefined && /^[a-z][a-z0-9:-]*$/.test(first)) {
    words.push(first);
    if (LEADING.test(first) && second !== undefined && PLAIN_WORD.test(second) && !second.startsWith("-")) {
      words.push(second);
    }
  }
  const rule = `run(${words.join(" ")} *)`;
  // What it says has to work, and for this command.
  return applies(parseRule(rule), action, policy, false) ? rule : undefined;
}

/** The name under which a rule would allow the program, as short as it may be. */
export function ruleName(action: Run, policy: Policy): string {
  const name = action.argv[0] ?? "";
  if (action.program === undefined) return name;
  const names = namesThatCount(action, policy);
  const short = baseName(name);
  return names.includes(short) && !names[0].startsWith(policy.workspace)
    ? short
    : names.find((one) => one.startsWith("./")) ?? names[0];
}

function shortPath(path: string, policy: Pick<Policy, "workspace" | "home">): string {
  if (isWithin(policy.workspace, path)) return `.${path.slice(policy.workspace.length)}`;
  return isWithin(policy.home, path) ? `~${path.slice(policy.home.length)}` : path;
}
