/**
 * Variables of the environment that can make a program run something else than
 * its name says: as data, with what to make of their values. A rule about
 * `git log` does not speak of `GIT_PAGER='git push' git log`.
 *
 * Not here: what tells programs whose work it is to run a project's code what
 * to run (`CC`, `MAKEFLAGS`, `RUSTC_WRAPPER`). The project says that anyway.
 */

/**
 * What a value is.
 * - `command`: words of a command. It is judged like one.
 * - `code`: a file, a library or options that run code in whatever heeds it.
 * - `settings`: where settings lie that name programs, or such a setting.
 * - `search`: where code is looked for. What looks there runs code in any case,
 *   so this only keeps a rule that allows from meaning it.
 */
type VariableKind = "command" | "code" | "settings" | "search";

interface Row {
  readonly name: RegExp;
  readonly kind: VariableKind;
  /** Values that are no more than a wish. */
  readonly harmless?: RegExp;
  /** Programs that heed it, by their plain names; absent: any may. */
  readonly programs?: RegExp;
  /** Changed for what nothing confines, also where it is gone, it may lead to any settings. */
  readonly place?: boolean;
}

/** Values of a command that run nothing worth a question. */
export const NO_COMMAND = /^(|cat|true|false|:|\/dev\/null|\/bin\/(cat|true|false)|never|\d+)$/;

/** Git and what shows what it does; what starts git in its own work is not looked into. */
const GIT = /^(git(-[\w-]+)?|gh|glab|hub|tig|lazygit)$/;

/** Programs whose own settings in the home folder name others. */
const WITH_SETTINGS = /^(git(-[\w-]+)?|gh|hg|jj|svn|tig|lazygit|npm|npx|pnpm|yarn|vim?|nvim|emacs|gdb|man)$/;

const NODE_WISHES =
  /^(\s*--((max-old-space-size|max-semi-space-size|stack-trace-limit|stack-size|max-http-header-size|unhandled-rejections|dns-result-order)=[\w-]+|max_old_space_size=\d+|no-warnings|no-deprecation|(trace|throw)-(warnings|deprecation|uncaught|exit)|pending-deprecation|enable-source-maps|experimental-[a-z-]+|openssl-legacy-provider|preserve-symlinks|use-system-ca)(\s+|$))*$/;
const JAVA_WISHES = /^(\s*-(Xm[snx]\w+|Xss\w+|Dfile\.encoding=[\w-]+|Djava\.awt\.headless=\w+)(\s+|$))*$/;

/** The first that fits counts. */
const TABLE: readonly Row[] = [
  // Git.
  {
    name:
      /^GIT_((AUTHOR|COMMITTER)_\w+|TERMINAL_PROMPT|OPTIONAL_LOCKS|CEILING_DIRECTORIES|MERGE_AUTOEDIT|CONFIG_NOSYSTEM|ATTR_NOSYSTEM|ADVICE|FLUSH|(LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS|REFLOG_ACTION|LFS_SKIP_SMUDGE|DEFAULT_HASH|PS1_\w+)$/,
    kind: "search",
    harmless: /^/,
  },
  {
    name: /^GIT_(EDITOR|SEQUENCE_EDITOR|PAGER|SSH|SSH_COMMAND|PROXY_COMMAND|EXTERNAL_DIFF|ASKPASS)$/,
    kind: "command",
    harmless: NO_COMMAND,
    programs: GIT,
  },
  {
    name: /^GIT_CONFIG(_GLOBAL|_SYSTEM)?$/,
    kind: "settings",
    harmless: /^(|\/dev\/null)$/,
    programs: GIT,
  },
  {
    name: /^GIT_(CONFIG_(COUNT|PARAMETERS|(KEY|VALUE)_\d+)|EXEC_PATH|TEMPLATE_DIR|ALLOW_PROTOCOL)$/,
    kind: "settings",
    harmless: /^0?$/,
    programs: GIT,
  },
  { name: /^GIT_/, kind: "search" },
  // Editors, pagers, questions.
  {
    name:
      /^(EDITOR|VISUAL|PAGER|MANPAGER|MANROFFOPT|LESSOPEN|LESSCLOSE|LESSEDIT|SYSTEMD_(PAGER|EDITOR)|(BAT|GH|GLAB|AWS|PSQL|DELTA)_PAGER|(GH|GLAB|SVN|KUBE|SUDO|CRONTAB)_EDITOR|PSQL_EDITOR|HGEDITOR|HGMERGE|FCEDIT|(SSH|SUDO)_ASKPASS|BROWSER|GH_BROWSER|(CVS|RSYNC|SVN)_(RSH|SSH)|RSYNC_CONNECT_PROG|FZF_DEFAULT_COMMAND)$/,
    kind: "command",
    harmless: NO_COMMAND,
  },
  { name: /^npm_config_(script_shell|shell|editor|git|viewer)$/i, kind: "command", harmless: NO_COMMAND },
  { name: /^(TAR_OPTIONS|RIPGREP_CONFIG_PATH|FZF_DEFAULT_OPTS)$/, kind: "settings", harmless: /^$/ },
  {
    name: /^(VIMINIT|EXINIT|GVIMINIT|MYVIMRC|NVIM_RPLUGIN_MANIFEST|LESSKEY(_SYSTEM|IN)?)$/,
    kind: "settings",
    harmless: /^$/,
  },
  {
    name:
      /^(npm_config_(userconfig|globalconfig|node_options)|KUBECONFIG|AWS_(SHARED_CREDENTIALS|CONFIG)_FILE|DOCKER_CONFIG|GNUPGHOME|CURL_HOME|WGETRC|SYSTEM_WGETRC|OPENSSL_CONF|PIP_CONFIG_FILE)$/i,
    kind: "settings",
    harmless: /^(|\/dev\/null)$/,
  },
  // Shells.
  {
    name: /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|BASH_FUNC_.*)$/,
    kind: "code",
    harmless: /^$/,
  },
  { name: /^(ZDOTDIR|IFS)$/, kind: "code" },
  // The loader and the C library.
  {
    name: /^LD_(BIND_NOW|BIND_NOT|DEBUG|VERBOSE|WARN|SHOW_AUXV|TRACE_LOADED_OBJECTS)$/,
    kind: "search",
    harmless: /^/,
  },
  { name: /^(LD_|DYLD_)/, kind: "code", harmless: /^$/ },
  { name: /^(GCONV_PATH|LOCPATH|NLSPATH|TERMINFO(_DIRS)?)$/, kind: "search", place: true },
  // Interpreters.
  { name: /^PYTHON(STARTUP|INSPECT|HOME|EXECUTABLE|PLATLIBDIR)$/, kind: "code", harmless: /^$/ },
  { name: /^PYTHONBREAKPOINT$/, kind: "code", harmless: /^0?$/ },
  {
    name: /^PYTHONWARNINGS$/,
    kind: "code",
    harmless: /^((ignore|default|error|always|once|module)(:[\w ]*){0,2}(:\w*Warning)?(,|$))*$/,
  },
  {
    name:
      /^PYTHON(UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|IOENCODING|UTF8|OPTIMIZE|FAULTHANDLER|ASYNCIODEBUG|TRACEMALLOC|NOUSERSITE|DEVMODE|MALLOC|VERBOSE|SAFEPATH|NODEBUGRANGES)$/,
    kind: "search",
    harmless: /^/,
  },
  { name: /^PYTHON/, kind: "search" },
  { name: /^NODE_OPTIONS$/, kind: "code", harmless: NODE_WISHES },
  {
    name: /^NODE_(ENV|NO_WARNINGS|DEBUG|DISABLE_COLORS|PENDING_DEPRECATION)$/,
    kind: "search",
    harmless: /^/,
  },
  { name: /^NODE_/, kind: "search" },
  { name: /^(PERL5OPT|PERL5DB)$/, kind: "code", harmless: /^(-w)?$/ },
  { name: /^PERL5/, kind: "search" },
  { name: /^RUBYOPT$/, kind: "code", harmless: /^(\s*-W(\d|:no-\w+)?(\s+|$))*$/ },
  { name: /^(RUBY|GEM_|BUNDLE_)/, kind: "search" },
  { name: /^(JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS)$/, kind: "code", harmless: JAVA_WISHES },
  {
    name:
      /^(CLASSPATH|DOTNET_STARTUP_HOOKS|LUA_INIT(_\d_\d)?|PHPRC|PHP_INI_SCAN_DIR|R_PROFILE(_USER)?|EMACSLOADPATH|TCLLIBPATH)$/,
    kind: "code",
    harmless: /^$/,
  },
  // Where a program finds its settings and other programs.
  {
    name: /^(HOME|XDG_CONFIG_(HOME|DIRS)|USERPROFILE|APPDATA)$/,
    kind: "settings",
    programs: WITH_SETTINGS,
    place: true,
  },
  { name: /^(PATH|XDG_\w*|LOCALAPPDATA)$/, kind: "search", place: true, programs: /^$/ },
];

const rows = new Map<string, Row | undefined>();

function rowOf(name: string): Row | undefined {
  if (!rows.has(name)) {
    // Names come from scripts: there is no end to them.
    if (rows.size > 1000) rows.clear();
    rows.set(name, TABLE.find((row) => row.name.test(name)));
  }
  return rows.get(name);
}

/** A variable that a script has given another value; without one it is gone. */
export interface Given {
  readonly name: string;
  readonly value?: string;
}

/** Variables of the table that differ from the environment a command was given. */
export function changedVariables(
  env: Readonly<Record<string, string>>,
  base: Readonly<Record<string, string>>,
): Given[] {
  const given: Given[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (value !== base[name] && matters(name, value)) given.push({ name, value });
  }
  for (const name of Object.keys(base)) {
    if (!Object.hasOwn(env, name) && rowOf(name)?.place) given.push({ name });
  }
  return given;
}

/** Whether it can make a program run something else at all. */
export function isListed(name: string): boolean {
  return rowOf(name) !== undefined;
}

/** Whether the table has it, and the value is more than a wish. */
function matters(name: string, value: string): boolean {
  const row = rowOf(name);
  return row !== undefined && !row.harmless?.test(value);
}

/** What it is for a program of one of those names; undefined where it is nothing to them. */
export function kindFor({ name, value }: Given, programs: Iterable<string>): VariableKind | undefined {
  const row = rowOf(name);
  if (row === undefined || value === undefined || !matters(name, value)) return undefined;
  if (row.programs === undefined) return row.kind;
  for (const program of programs) if (row.programs.test(program)) return row.kind;
  return undefined;
}

/** What it is for whoever heeds it. */
export function kindAtAll({ name, value }: Given): VariableKind | undefined {
  return value !== undefined && matters(name, value) ? rowOf(name)?.kind : undefined;
}

/** Whether it says where settings and programs are found. */
export function isPlace({ name }: Given): boolean {
  return rowOf(name)?.place === true;
}
