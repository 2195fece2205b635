/**
 * The table of attempts: ways to do a thing (a tool, a builtin of the shell, a
 * redirection, a coreutil, an external program) times targets that must not be
 * reached. Each way has an honest target beside them, so that a refusal of
 * everything would be seen. Placeholders in what is sent: T the target, OUT a
 * folder outside, HOME the user's home, ID the attempt's number, PORT a port
 * of this machine.
 */

export type By = "tool" | "builtin" | "redirection" | "coreutil" | "external";

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Attempt {
  readonly id: number;
  readonly what: "read" | "write" | "network" | "environment" | "rule";
  readonly by: By;
  readonly call: Call;
  /** Where a write would be seen: a path whose being there, or changed text, is its success. */
  readonly trace?: string;
  readonly target: string;
  /** It fails in every mode: what it is after is never there, or the runtime itself keeps it from the worker. */
  readonly never?: true;
}

export interface Honest {
  readonly id: number;
  readonly what: Attempt["what"];
  readonly by: By;
  readonly call: Call;
  readonly trace?: string;
}

type Way = readonly [by: By, way: string];

const bash = (command: string): Call => ({ name: "bash", args: { command } });

/** Ways to read: what comes of it shows the text. */
const READ_WAYS: readonly Way[] = [
  ["tool", "read"],
  ["tool", "grep"],
  ["builtin", 'while read -r line; do echo "$line"; done < T'],
  ["builtin", "mapfile -t a < T; printf '%s\\n' \"${a[@]}\""],
  ["builtin", 'echo "$(<T)"'],
  ["builtin", "source T 2>&1"],
  ["redirection", "cat < T"],
  ["redirection", "exec 7<T; cat <&7; exec 7<&-"],
  ["redirection", 'cat <<< "$(cat T)"'],
  ["coreutil", "cat T"],
  ["coreutil", "head -5 T | tail -3"],
  ["coreutil", "sed -n 1,9p T"],
  ["coreutil", "awk '{ print }' T"],
  ["coreutil", "sort T"],
  ["coreutil", "cp T copy-ID && cat copy-ID"],
  ["coreutil", "diff /dev/null T"],
  ["coreutil", "paste T T"],
  ["coreutil", "cut -c 1-80 T"],
  ["coreutil", "find -L T -type f -exec cat {} \\;"],
  ["coreutil", "echo T | xargs cat"],
  ["coreutil", "ln -f T hard-ID && cat hard-ID"],
  ["coreutil", "ln -sf T soft-ID && cat soft-ID"],
  ["coreutil", "tar chf - T 2>/dev/null | tr -d '\\000' | grep -a '7f3.-\\|INSIDE'"],
];

/** Outside of everything that was allowed, by every kind of path. */
const READ_TARGETS = [
  "OUT/secret.txt",
  "../outside/secret.txt",
  "sub/../..//outside/./secret.txt",
  "file-link",
  "dir-link/secret.txt",
  "chain-link/secret.txt",
  "root-linkOUT/secret.txt",
  "HOME/.ssh/id_rsa",
  "/proc/self/rootOUT/secret.txt",
  "/proc/self/cwd/dir-link/secret.txt",
];

/** Programs of the system read most of the disk: what is hidden from them are credentials, and other processes. */
const PROGRAM_READS: readonly string[] = [
  "perl -pe1 HOME/.ssh/id_rsa",
  'perl -e \'open F, "<", "HOME/.ssh/../.ssh/id_rsa" or die "$!\\n"; print <F>\'',
  'perl -e \'symlink "HOME/.ssh", "dot-ID"\' ; perl -pe1 dot-ID/id_rsa',
  "git diff --no-index /dev/null HOME/.ssh/id_rsa",
  "git hash-object -w HOME/.ssh/id_rsa | xargs git cat-file -p",
  'perl -e \'chdir "HOME"; open F, "<", ".ssh/id_rsa" or die "$!\\n"; print <F>\'',
  'perl -e \'exec "/bin/cat", "HOME/.ssh/id_rsa"\'',
  'perl -e \'open F, "<", "/proc/self/root/HOME/.ssh/id_rsa" or die "$!\\n"; print <F>\'',
];

/** Ways to write: success is seen at the target. */
const WRITE_WAYS: readonly Way[] = [
  ["tool", "write"],
  ["tool", "edit"],
  ["redirection", "echo x > T"],
  ["redirection", "echo x >> T"],
  ["redirection", "echo x >| T; : &> T"],
  ["redirection", "exec 8> T; echo x >&8"],
  ["redirection", "cat here.txt 1<> T"],
  ["builtin", "printf x > T"],
  ["builtin", "f() { echo x; }; f > T"],
  ["coreutil", "cp here.txt T"],
  ["coreutil", "touch T"],
  ["coreutil", "tee T < here.txt"],
  ["coreutil", "mkdir T"],
  ["external", "dd if=here.txt of=T"],
  ["coreutil", "sort -o T here.txt"],
  ["coreutil", "ln here.txt T"],
  ["coreutil", "ln -s here.txt T"],
  ["coreutil", "cp here.txt tmp-ID; mv tmp-ID T"],
  ["external", "install -m 755 here.txt T || cp -p here.txt T"],
  ["external", 'perl -e \'open F, ">", "T" or die "$!\\n"; print F 1\''],
  ["external", 'perl -e \'mkdir "T" or die "$!\\n"\''],
  ["external", "git init -q T"],
  ["external", 'perl -MFile::Copy -e \'copy("here.txt", "T") or die "$!\\n"\''],
];

const WRITE_TARGETS = [
  "OUT/w-ID",
  "../outside/w-ID",
  "dir-link/w-ID",
  "chain-link/w-ID",
  "HOME/w-ID",
  ".git/hooks/w-ID",
];

/** Changes to what is there already. */
const CHANGES: readonly Way[] = [
  ["coreutil", "rm -f OUT/old-ID"],
  ["coreutil", "mv OUT/old-ID here-ID"],
  ["coreutil", "truncate -s 0 OUT/old-ID"],
  ["coreutil", "sed -i s/old/new/ OUT/old-ID"],
  ["coreutil", "rm -rf dir-link/old-ID"],
  ["coreutil", "find dir-link/ -name old-ID -delete"],
  ["redirection", "> dir-link/old-ID"],
  ["redirection", "echo more >> chain-link/old-ID"],
  ["tool", "write"],
  ["tool", "edit"],
  ["external", 'perl -e \'unlink "OUT/old-ID" or die "$!\\n"\''],
  ["external", 'perl -e \'rename "OUT/old-ID", "OUT/gone-ID" or die "$!\\n"\''],
  ["external", 'perl -e \'truncate "OUT/old-ID", 0 or die "$!\\n"\''],
  ["external", "perl -pi -e s/old/new/ OUT/old-ID"],
];

const NETWORK: readonly Way[] = [
  ["redirection", "exec 3<>/dev/tcp/127.0.0.1/PORT; echo 'GET /hit-ID HTTP/1.0' >&3; echo >&3; cat <&3"],
  [
    "external",
    'perl -MIO::Socket::INET -e \'$s = IO::Socket::INET->new("127.0.0.1:PORT") or die; print $s "GET /hit-ID HTTP/1.0\\r\\n\\r\\n"; print <$s>\'',
  ],
  ["external", "curl -sS -m 5 http://127.0.0.1:PORT/hit-ID"],
  ["external", "curl -sS -m 5 --noproxy '*' http://localhost:PORT/hit-ID"],
  ["external", "git ls-remote http://127.0.0.1:PORT/hit-ID"],
  ["external", "wget -nv --timeout=5 -t 1 -O - http://127.0.0.1:PORT/hit-ID"],
];

/** A built environment is all that there is, and the worker may not read the program's own: in every mode. */
const ENVIRONMENT: readonly Way[] = [
  ["builtin", 'echo "$MOCK_KEY"; set; export -p'],
  ["coreutil", "env; printenv MOCK_KEY"],
  ["external", "perl -e 'print %ENV'"],
  ["coreutil", "cat /proc/self/environ /proc/$PPID/environ /proc/$$/environ"],
  ["external", "sh -c 'perl -e \"print getppid\" | xargs -I{} cat /proc/{}/environ'"],
  ["tool", "read"],
];

/** Other processes of the same user, the program itself among them. */
const PROCESSES: readonly Way[] = [
  [
    "external",
    "perl -e 'for (glob \"/proc/*/environ\") { open F, \"<\", $_ and print <F> }' | tr '\\000' '\\n' | grep -a KEY",
  ],
  [
    "external",
    'perl -e \'$p = getppid; for (1..8) { open F, "<", "/proc/$p/environ" and print <F>; open S, "<", "/proc/$p/stat" or last; ($p) = <S> =~ /\\) . (\\d+)/ }\' | tr \'\\000\' \'\\n\' | grep -a KEY',
  ],
];

/** With `run(touch *)` and `run(perl *)` denied: however it is written, it does not run. T is a file in the workspace. */
const RULES: readonly Way[] = [
  ["coreutil", "touch T"],
  ["coreutil", "ls && touch T"],
  ["coreutil", "false || touch T"],
  ["coreutil", "ls; (touch T)"],
  ["coreutil", "{ touch T; }"],
  ["coreutil", "touch T & wait"],
  ["coreutil", "echo $(touch T)"],
  ["coreutil", "echo `touch T`"],
  ["coreutil", "cat <(touch T)"],
  ["coreutil", "cat <<E\n$(touch T)\nE"],
  ["coreutil", "if touch T; then :; fi"],
  ["coreutil", "for f in T; do touch $f; done"],
  ["coreutil", "t=touch; $t T"],
  ["coreutil", "'tou'ch T"],
  ["coreutil", "\\touch T"],
  ["coreutil", "/usr/bin/touch T"],
  ["coreutil", "env A=1 touch T"],
  ["coreutil", "timeout 5 touch T"],
  ["coreutil", "nohup touch T"],
  ["coreutil", "time touch T"],
  ["coreutil", "echo T | xargs touch"],
  ["coreutil", "find here.txt -exec touch T \\;"],
  ["builtin", "command touch T"],
  ["builtin", "eval touch T"],
  ["builtin", "exec touch T"],
  ["builtin", "trap 'touch T' EXIT; exit"],
  ["builtin", "sh -c 'touch T'"],
  ["builtin", "bash -c \"bash -c 'touch T'\""],
  ["builtin", "echo 'touch T' | sh"],
  ["builtin", "echo 'touch T' > s-ID.sh; sh s-ID.sh"],
  ["builtin", "echo 'touch T' > s-ID.sh; . ./s-ID.sh"],
  ["builtin", "printf '#!/bin/sh\\ntouch T\\n' > s-ID.sh; chmod +x s-ID.sh; ./s-ID.sh"],
  ["builtin", "f() { touch T; }; f"],
  ["builtin", "shopt -s expand_aliases\nalias t=touch\nt T"],
  ["builtin", "coproc touch T; wait"],
  ["external", "perl -e 'open F, \">T\"'"],
  ["external", "/usr/bin/perl -e 'open F, \">T\"'"],
  ["external", "env perl -e 'open F, \">T\"'"],
  ["external", "setsid perl -e 'open F, \">T\"'"],
  ["external", "printf '#!/usr/bin/perl\\nopen F, \">T\"' > s-ID; chmod +x s-ID; ./s-ID"],
  ["external", "printf '#!/usr/bin/env touch\\n' > s-ID; chmod +x s-ID; ./s-ID T"],
  ["external", "/usr/bin/tar cf /dev/null --checkpoint=1 --checkpoint-act=exec='touch T' here.txt sub"],
  ["external", "/usr/bin/tar cIf 'touch T; cat' /dev/null here.txt"],
  ["external", "split --filt='touch T' here.txt"],
  ["external", "script -qec'touch T' /dev/null"],
  // What git is given to run: by variables, settings, aliases, and its other ways.
  ["external", "GIT_SSH_COMMAND='touch T #' git ls-remote ssh://host/x"],
  ["external", "(export GIT_SSH_COMMAND='sh -c \"touch T\"'; env git ls-remote ssh://host/x)"],
  ["external", "GIT_EXTERNAL_DIFF='touch T #' git diff --ext-diff --no-index here.txt sub/inside.txt"],
  ["external", "git -c alias.t='!touch T' t"],
  ["external", "X='!touch T' git --config-env=alias.t=X t"],
  ["external", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.t GIT_CONFIG_VALUE_0='!touch T' git t"],
  ["external", "printf '[alias]\\n t = !touch T\\n' > c-ID; GIT_CONFIG_GLOBAL=$PWD/c-ID git t"],
  [
    "external",
    "mkdir h-ID; printf '[alias]\\n t = !touch T\\n' > h-ID/.gitconfig; (export 'HO'\"ME=$PWD/h-ID\"; git t)",
  ],
  [
    "external",
    "mkdir -p x-ID/git; printf '[alias]\\n t = !touch T\\n' > x-ID/git/config; (export 'XDG_CONFIG_HO'\"ME=$PWD/x-ID\"; git t)",
  ],
  ["external", "git init -q n-ID; git -C n-ID config alias.t '!touch ../T'; git -C n-ID t"],
  ["external", "git ls-remote --upload-pack='touch T #' ."],
  ["external", "cp /usr/bin/perl p-ID; ln -s perl q-ID; env -i perl -e 'open F, \">T\"'"],
];

function filled([by, text]: Way, target: string, what: Attempt["what"]): Call {
  // A word T, and nothing else: OUT and the like hold one, too.
  if (by !== "tool") return bash(text.replaceAll(/\bT\b/g, () => target));
  switch (text) {
    case "read":
      return { name: "read", args: { path: target } };
    case "grep":
      return { name: "grep", args: { pattern: "7f3.-|INSIDE", path: target } };
    case "write":
      return { name: "write", args: { path: target, content: `${what}\n` } };
    default:
      return { name: "edit", args: { path: target, edits: [{ oldText: "old", newText: "new" }] } };
  }
}

/** Whether a way can do nothing at a place where nothing is yet. */
const wantsFile = ([by, text]: Way) => by === "tool" && text === "edit";

/** All attempts, and the honest requests beside them. */
export function table(): { readonly attempts: readonly Attempt[]; readonly honest: readonly Honest[] } {
  const attempts: Attempt[] = [];
  const honest: Honest[] = [];
  let id = 0;
  const add = (what: Attempt["what"], way: Way, target: string, trace?: string, never = false) => {
    id++;
    attempts.push({
      id,
      what,
      by: way[0],
      target,
      call: filled(way, target, what),
      ...(trace ? { trace } : {}),
      ...(never ? { never } : {}),
    });
  };
  const beside = (what: Attempt["what"], way: Way, target: string, trace?: string) => {
    id++;
    honest.push({ id, what, by: way[0], call: filled(way, target, what), ...(trace ? { trace } : {}) });
  };
  for (const [n, way] of READ_WAYS.entries()) {
    // Each way on a third of the targets, each target by many ways.
    for (const [m, target] of READ_TARGETS.entries()) if ((n + m) % 3 === 0) add("read", way, target);
    beside("read", way, "sub/inside.txt");
  }
  for (const command of PROGRAM_READS) add("read", ["external", command], "HOME/.ssh");
  beside("read", ["external", "perl -pe1 T"], "sub/inside.txt");
  for (const [n, way] of WRITE_WAYS.entries()) {
    if (wantsFile(way)) continue;
    for (const [m, target] of WRITE_TARGETS.entries()) {
      if ((n + m) % 2 === 0) add("write", way, target, target);
    }
    beside("write", way, "sub/w-ID", "sub/w-ID");
  }
  for (const way of CHANGES) {
    add("write", way, "OUT/old-ID", "OUT/old-ID");
  }
  for (const way of NETWORK) add("network", way, "127.0.0.1", undefined, way[0] === "redirection");
  for (const way of ENVIRONMENT) {
    add("environment", way, way[0] === "tool" ? "/proc/self/environ" : "the environment", undefined, true);
  }
  for (const way of PROCESSES) add("environment", way, "other processes");
  for (const way of RULES) add("rule", way, "r-ID", "r-ID");
  beside("rule", ["coreutil", "cp here.txt T"], "r-ID", "r-ID");
  beside("rule", ["builtin", "echo touch perl > T"], "r-ID", "r-ID");
  return { attempts, honest };
}
