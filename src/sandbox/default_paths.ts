/**
 * The places that need care on every machine: where a write is code that runs
 * later outside the sandbox, and where credentials lie. Lists of patterns, no
 * look at the disk. The settings and session folders are among both.
 */

/** Read-only to tools wherever they stand (`.git/hooks` of a nested repository too). */
const PROTECTED_ANYWHERE = [
  ".git/hooks",
  ".git/config",
  ".git/config.worktree",
  ".git/info/attributes",
  // Says where else the configuration lies.
  ".git/commondir",
  // Each holds a configuration and hooks of its own, under names of any depth.
  ".git/modules",
  ".git/worktrees",
  ".myelin",
  ".vscode",
  ".idea",
  ".envrc",
];

/** Start-up files of shells and the like, below the home folder. */
const START_UP = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".cshrc",
  ".tcshrc",
  ".inputrc",
  ".gitconfig",
  ".vimrc",
  ".exrc",
  ".npmrc",
  ".pythonrc",
  ".config/fish",
  ".config/git",
  ".config/nvim",
  ".config/autostart",
  ".config/systemd",
  ".local/bin",
  ".local/share/systemd",
  "bin",
  "Library/LaunchAgents",
];

const CREDENTIALS = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".oci",
  ".netrc",
  "_netrc",
  ".pgpass",
  ".my.cnf",
  ".git-credentials",
  ".config/git/credentials",
  ".config/gh",
  ".config/glab-cli",
  ".config/hub",
  ".config/gcloud",
  ".config/doctl",
  ".config/op",
  ".config/rclone",
  ".config/sops",
  ".config/containers/auth.json",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".gem/credentials",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".m2/settings.xml",
  ".gradle/gradle.properties",
  ".terraform.d/credentials.tfrc.json",
  ".vault-token",
  ".password-store",
  ".local/share/keyrings",
  ".claude",
  ".codex",
  ".gemini",
  ".pi",
  ".config/opencode",
  ".local/share/opencode",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".mozilla",
  ".thunderbird",
  "Library/Keychains",
  "Library/Cookies",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Firefox",
  "AppData/Roaming/gnupg",
  "AppData/Local/Google/Chrome",
  "AppData/Roaming/Mozilla",
];

/** The same, as paths below one folder. */
export function protectedBelow(folder: string): string[] {
  return PROTECTED_ANYWHERE.map((path) => `${folder}/${path}`);
}

/** Of those, what editors and shells read when they come upon a folder; not what `git init` makes. */
export function editorPlaces(folder: string): string[] {
  return protectedBelow(folder).filter((path) => !path.startsWith(`${folder}/.git/`));
}

/** Of the others, those that git heeds in a repository by their mere being there, and never makes itself in one that it has made. */
export function gitPlaces(folder: string): string[] {
  return [".git/hooks", ".git/commondir", ".git/config.worktree"].map((path) => `${folder}/${path}`);
}

/** What is protected in a git folder that has another name than `.git`. */
export function protectedInGit(folder: string): string[] {
  return PROTECTED_ANYWHERE.filter((path) => path.startsWith(".git/"))
    .map((path) => `${folder}${path.slice(".git".length)}`);
}

/** Patterns for `Policy.protectedPaths`. `ownFolder`: where the settings and sessions are. */
export function defaultProtectedPaths(home: string, ownFolder: string): string[] {
  return [
    ...PROTECTED_ANYWHERE.map((path) => `**/${path}`),
    ...START_UP.map((path) => `${base(home)}/${path}`),
    ownFolder,
  ];
}

/** Paths for `Policy.hiddenPaths`. */
export function defaultHiddenPaths(home: string, ownFolder: string): string[] {
  return [...CREDENTIALS.map((path) => `${base(home)}/${path}`), ownFolder];
}

/** A home that is the root folder adds nothing. */
function base(home: string): string {
  return home === "/" ? "" : home;
}
