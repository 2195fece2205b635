/** Reads find's expression into one test. Messages are GNU's. */
import type { UtilityContext } from "../../builtin.ts";
import { compileRegex } from "../../../lib/regex.ts";
import { compileGlob } from "../shared/glob.ts";
import { parseMode } from "../shared/modes.ts";
import { Failure, UnsupportedOption } from "../shared/options.ts";
import { type Owners, readOwners } from "../shared/owners.ts";
import { parseDate } from "../shared/date_parse.ts";
import { zoneOf } from "../../../lib/dates/zone.ts";
import { reason } from "../shared/report.ts";
import type { Actions } from "./actions.ts";
import type { Item, Settings, Test } from "./item.ts";

export async function parseExpression(
  args: readonly string[],
  context: UtilityContext,
  settings: Settings,
  actions: Actions,
): Promise<Test> {
  const parser = new Parser(args, context, settings, actions);
  if (args.some((arg) => /^-(user|group|nouser|nogroup|ls|fls|printf|fprintf)$/.test(arg))) {
    const owners = await readOwners(context);
    parser.owners = owners;
    actions.owners = owners;
  }
  const test = parser.parse();
  return await actions.open().then(() => test);
}

const KINDS: Readonly<Record<string, string>> = {
  f: "file",
  d: "dir",
  l: "symlink",
  p: "fifo",
  s: "socket",
  c: "char",
  b: "block",
};

class Parser {
  #at = 0;
  #acted = false;
  owners: Owners | undefined;

  constructor(
    readonly args: readonly string[],
    readonly context: UtilityContext,
    readonly settings: Settings,
    readonly actions: Actions,
  ) {}

  parse(): Test {
    if (this.args.length === 0) return this.actions.print(undefined, "\n");
    const test = this.#list();
    if (this.#at < this.args.length) {
      const arg = this.args[this.#at];
      throw new Failure(
        arg === ")" ? "you have too many ')'" : `paths must precede expression: \`${arg}'`,
      );
    }
    return this.#acted ? test : and(test, this.actions.print(undefined, "\n"));
  }

  #peek(...texts: string[]): boolean {
    return texts.includes(this.args[this.#at]);
  }

  #list(): Test {
    let left = this.#or();
    while (this.#peek(",")) {
      this.#at++;
      const first = left, second = this.#or();
      left = (item, verdict) => {
        const done = first(item, verdict);
        return done instanceof Promise ? done.then(() => second(item, verdict)) : second(item, verdict);
      };
    }
    return left;
  }

  #or(): Test {
    let left = this.#and();
    while (this.#peek("-o", "-or")) {
      this.#at++;
      left = or(left, this.#and());
    }
    return left;
  }

  #and(): Test {
    let left = this.#not();
    for (;;) {
      if (this.#peek("-a", "-and")) {
        this.#at++;
        left = and(left, this.#not());
      } else if (
        this.#at < this.args.length && !this.#peek("-o", "-or", ",", ")") &&
        /^[-!(]/.test(this.args[this.#at])
      ) left = and(left, this.#not());
      else return left;
    }
  }

  #not(): Test {
    if (this.#peek("!", "-not")) {
      const name = this.args[this.#at++];
      if (this.#at >= this.args.length) throw new Failure(`expected an expression after '${name}'`);
      const inner = this.#not();
      return (item, verdict) => {
        const result = inner(item, verdict);
        return result instanceof Promise ? result.then((value) => !value) : !result;
      };
    }
    if (this.#peek("(")) {
      this.#at++;
      if (this.#peek(")")) throw new Failure("invalid expression; empty parentheses are not allowed.");
      const inner = this.#list();
      if (!this.#peek(")")) {
        throw new Failure("invalid expression; I was expecting to find a ')' somewhere but did not see one.");
      }
      this.#at++;
      return inner;
    }
    return this.#primary();
  }

  #value(name: string): string {
    if (this.#at >= this.args.length) throw new Failure(`missing argument to \`${name}'`);
    return this.args[this.#at++];
  }

  #primary(): Test {
    const name = this.args[this.#at++];
    if (name === undefined) {
      throw new Failure("invalid expression; you have used a binary operator with nothing after it.");
    }
    const { settings, context, actions } = this;
    const value = () => this.#value(name);
    const act = (test: Test): Test => {
      this.#acted = true;
      return test;
    };
    switch (name) {
      case "-o":
      case "-or":
      case "-a":
      case "-and":
      case ",":
        throw new Failure(
          `invalid expression; you have used a binary operator '${name}' with nothing before it.`,
        );
      case "-maxdepth":
      case "-mindepth": {
        const text = value();
        if (!/^\d+$/.test(text)) {
          throw new Failure(`Expected a positive decimal integer argument to ${name}, but got '${text}'`);
        }
        if (name === "-maxdepth") settings.maxDepth = Number(text);
        else settings.minDepth = Number(text);
        return yes;
      }
      case "-depth":
      case "-d":
        settings.depthFirst = true;
        return yes;
      case "-xdev":
      case "-mount":
        settings.oneSystem = true;
        return yes;
      case "-follow":
        settings.follow = "always";
        return yes;
      case "-daystart":
        settings.dayStart = true;
        return yes;
      case "-noleaf":
      case "-warn":
      case "-nowarn":
      case "-ignore_readdir_race":
      case "-noignore_readdir_race":
        return yes;
      case "-regextype":
        settings.regexType = /^(posix-extended|egrep|posix-egrep|awk|posix-awk|gnu-awk)$/.test(value())
          ? "extended"
          : "basic";
        return yes;
      case "-true":
        return yes;
      case "-false":
        return () => false;
      case "-name":
      case "-iname": {
        const fits = compileGlob(value(), { ignoreCase: name === "-iname" });
        return (item) => fits(item.name);
      }
      case "-path":
      case "-wholename":
      case "-ipath":
      case "-iwholename": {
        const fits = compileGlob(value(), { ignoreCase: name[1] === "i" });
        return (item) => fits(item.shown);
      }
      case "-lname":
      case "-ilname": {
        const fits = compileGlob(value(), { ignoreCase: name === "-ilname" });
        return (item) => item.kind === "symlink" && fits(context.fs.readLink(item.path));
      }
      case "-regex":
      case "-iregex": {
        // Emacs's syntax, the default, is basic with + and ? as operators.
        const source = value();
        const regex = settings.regexType === "extended"
          ? compileRegex(source, { syntax: "extended", whole: true, ignoreCase: name === "-iregex" })
          : compileRegex(emacs(source), { syntax: "basic", whole: true, ignoreCase: name === "-iregex" });
        return (item) => regex.test(item.shown);
      }
      case "-type":
      case "-xtype":
        return this.#kind(name, value());
      case "-empty":
        return (item) =>
          item.kind === "dir"
            ? context.fs.readDir(item.path).length === 0
            : item.kind === "file" && item.stat.size === 0;
      case "-size":
        return size(value());
      case "-newer":
      case "-anewer":
      case "-cnewer": {
        const limit = this.#reference(value()).mtimeMs;
        const field = name === "-newer" ? "mtimeMs" : name === "-anewer" ? "atimeMs" : "ctimeMs";
        return (item) => item.stat[field] > limit;
      }
      case "-mtime":
      case "-atime":
      case "-ctime":
        return this.#age(name, value(), 86_400_000);
      case "-mmin":
      case "-amin":
      case "-cmin":
        return this.#age(name, value(), 60_000);
      case "-perm":
        return permission(value());
      case "-user":
      case "-uid": {
        const text = value();
        if (name === "-uid") return compared(text, name, (item) => item.stat.uid);
        const id = this.owners!.userId(text);
        if (id === undefined) throw new Failure(`'${text}' is not the name of a known user`);
        return (item) => item.stat.uid === id;
      }
      case "-group":
      case "-gid": {
        const text = value();
        if (name === "-gid") return compared(text, name, (item) => item.stat.gid);
        const id = this.owners!.groupId(text);
        if (id === undefined) throw new Failure(`'${text}' is not the name of an existing group`);
        return (item) => item.stat.gid === id;
      }
      case "-nouser":
        return (item) => /^\d+$/.test(this.owners!.userName(item.stat.uid));
      case "-nogroup":
        return (item) => /^\d+$/.test(this.owners!.groupName(item.stat.gid));
      case "-links":
        return compared(value(), name, (item) => item.stat.nlink);
      case "-inum":
        return compared(value(), name, (item) => item.stat.ino);
      case "-samefile": {
        const other = this.#reference(value());
        return (item) => item.stat.ino === other.ino && item.stat.dev === other.dev;
      }
      case "-readable":
        return (item) => context.fs.access(item.path, "r");
      case "-writable":
        return (item) => context.fs.access(item.path, "w");
      case "-executable":
        return (item) => context.fs.access(item.path, "x");
      case "-prune":
        return (_, verdict) => verdict.prune = true;
      case "-quit":
        return act((_, verdict) => verdict.quit = true);
      case "-print":
        return act(actions.print(undefined, "\n"));
      case "-print0":
        return act(actions.print(undefined, "\0"));
      case "-fprint":
        return act(actions.print(value(), "\n"));
      case "-fprint0":
        return act(actions.print(value(), "\0"));
      case "-printf":
        return act(actions.printf(undefined, value()));
      case "-fprintf": {
        const file = value();
        return act(actions.printf(file, value()));
      }
      case "-ls":
        return act(actions.list(undefined));
      case "-fls":
        return act(actions.list(value()));
      case "-delete":
        settings.depthFirst = true;
        return act(actions.remove());
      case "-exec":
      case "-execdir":
      case "-ok":
      case "-okdir":
        return act(this.#exec(name));
    }
    const newer = /^-newer([aBcm])([aBcmt])$/.exec(name);
    if (newer) {
      const field = ({ a: "atimeMs", B: "ctimeMs", c: "ctimeMs", m: "mtimeMs" } as const)[newer[1] as "a"];
      const text = value();
      const limit = newer[2] === "t" ? parseDate(text, settings.now, zoneOf(context.env)) : this.#reference(
        text,
      )[({ a: "atimeMs", B: "ctimeMs", c: "ctimeMs", m: "mtimeMs" } as const)[newer[2] as "a"]];
      if (limit === undefined) {
        throw new Failure(`I cannot figure out how to interpret '${text}' as a date or time`);
      }
      return (item) => item.stat[field] > limit;
    }
    if (["-fstype", "-context", "-used", "-files0-from"].includes(name)) throw new UnsupportedOption(name);
    if (name.startsWith("-")) throw new Failure(`unknown predicate \`${name}'`);
    throw new Failure(`paths must precede expression: \`${name}'`);
  }

  #reference(name: string) {
    try {
      return this.context.fs.stat(this.context.path(name));
    } catch (error) {
      throw new Failure(`'${name}': ${reason(error)}`);
    }
  }

  #kind(name: string, text: string): Test {
    const kinds = new Set<string>();
    for (const letter of text.split(",")) {
      const kind = Object.hasOwn(KINDS, letter) ? KINDS[letter] : undefined;
      if (!kind) {
        throw new Failure(
          text.length > 1 && !text.includes(",")
            ? `Must separate multiple arguments to ${name} using: ','`
            : `Unknown argument to ${name}: ${letter}`,
        );
      }
      kinds.add(kind);
    }
    if (name === "-type") return (item) => kinds.has(item.kind);
    return (item) => {
      if (item.kind !== "symlink") return kinds.has(item.kind);
      try {
        return kinds.has(this.context.fs.stat(item.path).kind);
      } catch {
        return kinds.has("symlink");
      }
    };
  }

  #age(name: string, text: string, unit: number): Test {
    const match = /^([-+]?)(\d+(?:\.\d+)?)$/.exec(text);
    if (!match) throw new Failure(`invalid argument \`${text}' to \`${name}'`);
    const field = name[1] === "m" ? "mtimeMs" : name[1] === "a" ? "atimeMs" : "ctimeMs";
    const count = Number(match[2]);
    let { now } = this.settings;
    if (this.settings.dayStart) {
      const zone = zoneOf(this.context.env);
      const parts = zone.parts(now);
      now = zone.time(parts.year, parts.month, parts.day + 1, 0, 0, 0);
    }
    return (item) => {
      const age = (now - item.stat[field]) / unit;
      if (match[1] === "-") return age < count;
      if (match[1] === "+") return unit === 60_000 ? age > count : Math.floor(age) > count;
      return unit === 60_000 ? Math.ceil(age) === count : Math.floor(age) === count;
    };
  }

  #exec(name: string): Test {
    const argv: string[] = [];
    for (;;) {
      if (this.#at >= this.args.length) throw new Failure(`missing argument to \`${name}'`);
      const arg = this.args[this.#at++];
      if (arg === ";") return this.actions.exec(name, argv, false);
      if (arg === "+" && argv[argv.length - 1] === "{}") {
        argv.pop();
        return this.actions.exec(name, argv, true);
      }
      argv.push(arg);
    }
  }
}

const yes: Test = () => true;

function and(left: Test, right: Test): Test {
  return (item, verdict) => {
    const first = left(item, verdict);
    if (first instanceof Promise) return first.then((value) => value && right(item, verdict));
    return first && right(item, verdict);
  };
}

function or(left: Test, right: Test): Test {
  return (item, verdict) => {
    const first = left(item, verdict);
    if (first instanceof Promise) return first.then((value) => value || right(item, verdict));
    return first || right(item, verdict);
  };
}

function compared(text: string, name: string, get: (item: Item) => number): Test {
  const match = /^([-+]?)(\d+)$/.exec(text);
  if (!match) throw new Failure(`invalid argument \`${text}' to \`${name}'`);
  const number = Number(match[2]);
  return (item) =>
    match[1] === "-" ? get(item) < number : match[1] === "+" ? get(item) > number : get(item) === number;
}

function size(text: string): Test {
  const match = /^([-+]?)(\d+)([bcwkMG]?)$/.exec(text);
  if (!match) {
    throw new Failure(
      /^[-+]?\d+./.test(text)
        ? `invalid -size type \`${text[text.length - 1]}'`
        : `invalid argument \`${text}' to \`-size'`,
    );
  }
  const unit = { "": 512, b: 512, c: 1, w: 2, k: 1024, M: 1024 ** 2, G: 1024 ** 3 }[match[3]]!;
  const number = Number(match[2]);
  return (item) => {
    const units = Math.ceil(item.stat.size / unit);
    return match[1] === "-" ? units < number : match[1] === "+" ? units > number : units === number;
  };
}

function permission(text: string): Test {
  const how = /^[-\/]/.test(text) ? text[0] : "";
  const change = parseMode(text.slice(how.length), 0);
  if (!change) throw new Failure(`invalid mode \`${text}'`);
  const bits = change(0, false);
  return (item) => {
    const { mode } = item.stat;
    if (how === "-") return (mode & bits) === bits;
    if (how === "/") return bits === 0 || (mode & bits) !== 0;
    return mode === bits;
  };
}

/** `+` and `?` are operators in Emacs's syntax, with a backslash in ours. */
function emacs(source: string): string {
  return source.replace(
    /\\[^]|\[\^?\]?[^\]]*\]|[+?]/g,
    (part) => part === "+" || part === "?" ? "\\" + part : part,
  );
}
