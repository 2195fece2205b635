/**
 * What git's own words make it run: settings whose values are commands, options
 * that name programs, and names that may be somebody's alias. A vector of git
 * whose commands cannot be told from its words is unclear.
 */
import { NO_COMMAND } from "./variables.ts";

/** Commands of git itself: no alias can have such a name. Others may be an alias, or a program `git-NAME`. */
const OWN = new Set(
  ("add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr " +
    "check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone " +
    "column commit commit-graph commit-tree config count-objects credential credential-cache " +
    "credential-cache--daemon credential-store cvsexportcommit cvsimport cvsserver daemon describe diagnose diff " +
    "diff-files diff-index diff-pairs diff-tree difftool fast-export fast-import fetch fetch-pack fmt-merge-msg " +
    "for-each-ref format-patch fsck fsck-objects fsmonitor--daemon gc get-tar-commit-id grep gui hash-object help " +
    "history hook http-backend http-fetch http-push imap-send index-pack init init-db instaweb " +
    "interpret-trailers last-modified lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge " +
    "merge-base merge-file merge-index merge-octopus merge-one-file merge-ours merge-recursive merge-resolve " +
    "merge-subtree merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes p4 pack-objects " +
    "pack-redundant pack-refs patch-id pickaxe prune prune-packed pull push quiltimport range-diff read-tree " +
    "rebase receive-pack reflog refs remote repack replace replay repo request-pull rerere reset restore rev-list " +
    "rev-parse revert rm send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage " +
    "stash status stripspace submodule subtree svn switch symbolic-ref tag unpack-file unpack-objects " +
    "update-index update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack " +
    "verify-tag version whatchanged worktree write-tree").split(" "),
);

/** Settings whose value is a command, or leads to some. */
const SETTING = new RegExp(
  "^(alias\\..+|pager\\.[^=]+|include(if)?\\..+|credential\\..+|filter\\..+|protocol\\.(.+\\.)?allow|trailer\\..+|" +
    "core\\.(fsmonitor|sshcommand|editor|hookspath|gitproxy|askpass|pager|alternaterefscommand|worktree)|" +
    "sequence\\.editor|interactive\\.difffilter|uploadpack\\.packobjectshook|init\\.templatedir|" +
    "diff\\.external|gpg\\.(.+\\.)?(program|defaultkeycommand)|submodule\\..+\\.update|" +
    "sendemail\\..*(cmd|server)|imap\\.tunnel|instaweb\\..+|" +
    "remote\\..+\\.(uploadpack|receivepack|vcs)|.+\\.(cmd|command|textconv|driver|path))$",
  "is",
);

/** Options that name a program, or a folder with hooks, by git's commands. */
const PROGRAMS =
  /^--(upload-pack|receive-pack|exec|extcmd|open-files-in-pager|template|(to|cc|header|sendmail)-cmd|smtp-server|browser)(=|$)/;
const SHORT_PROGRAMS: Readonly<Record<string, RegExp>> = { grep: /^-O/, difftool: /^-x/, clone: /^-u/ };
const REBASE_RUNS = /^(-x|--exec(=.*)?)$/;
/** Commands that run what their other words say. */
const RUNNERS = new Set(["filter-branch", "remote-ext", "remote-fd", "shell", "for-each-repo"]);
/** Options of `git config` that take the next word. */
const CONFIG_VALUES = new Set([
  "-f",
  "--file",
  "--blob",
  "--type",
  "-t",
  "--default",
  "--comment",
  "--value",
  "--url",
]);

const GLOBAL_VALUES = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--config-env",
  "--super-prefix",
  "--attr-source",
]);

/** `git --no-pager -C x push` without what stands before the verb. `changed`: whether there was anything. */
export function withoutGlobalOptions(
  argv: readonly string[],
): { readonly argv: readonly string[]; readonly changed: boolean } {
  const name = argv[0] ?? "";
  if (name !== "git" && !name.endsWith("/git")) return { argv, changed: false };
  let i = 1;
  while (i < argv.length && argv[i].startsWith("-")) i += GLOBAL_VALUES.has(argv[i]) ? 2 : 1;
  return i === 1 ? { argv, changed: false } : { argv: [name, ...argv.slice(i)], changed: true };
}

/** Whether it cannot be told from a vector of git what it runs. */
export function isUnclearGit(argv: readonly string[]): boolean {
  const rest = withoutGlobalOptions(argv).argv.slice(1);
  const before = argv.slice(1, argv.length - rest.length);
  if (before.some((arg) => /^--(config-env|exec-path=)/.test(arg)) || settingsOf(before).some(isCommand)) {
    return true;
  }
  const [verb, ...words] = rest;
  if (verb === undefined) return false;
  if (!OWN.has(verb) || RUNNERS.has(verb)) return true;
  const short = Object.hasOwn(SHORT_PROGRAMS, verb) ? SHORT_PROGRAMS[verb] : undefined;
  if (words.some((arg) => PROGRAMS.test(arg) || short?.test(arg))) return true;
  switch (verb) {
    case "config":
      return setsCommand(words);
    case "clone":
      return settingsOf(words).some(isCommand);
    case "submodule":
      return words.includes("foreach");
    case "bisect":
      return words[0] === "run";
    case "rebase":
      return words.some((arg) => REBASE_RUNS.test(arg));
    default:
      return false;
  }
}

/** Values of `-c NAME=VALUE` and `--config NAME=VALUE`. */
function settingsOf(words: readonly string[]): string[] {
  return words.flatMap((word, i) => {
    if (word === "-c" || word === "--config") return [words[i + 1] ?? ""];
    const glued = /^(?:--config=|-c)(.+)$/s.exec(word);
    return glued ? [glued[1]] : [];
  });
}

function isCommand(setting: string): boolean {
  const cut = setting.indexOf("=");
  const name = cut < 0 ? setting : setting.slice(0, cut);
  return SETTING.test(name) && !(cut >= 0 && NO_COMMAND.test(setting.slice(cut + 1)));
}

/** `git config alias.x '!cmd'`: what it sets, a later command of git runs. */
function setsCommand(words: readonly string[]): boolean {
  if (words.some((word) => /^(--)?rename-section$/.test(word))) return true;
  const named: string[] = [];
  for (let i = 0; i < words.length; i++) {
    if (CONFIG_VALUES.has(words[i])) i++;
    else if (!words[i].startsWith("-")) named.push(words[i]);
  }
  if (named[0] === "set") named.shift();
  else if (named[0] === "get" || named[0] === "unset" || named[0] === "list") return false;
  const [name, value] = named;
  return name !== undefined && value !== undefined && SETTING.test(name) && !NO_COMMAND.test(value) &&
    !words.some((word) => /^--(get|unset|list)/.test(word));
}
