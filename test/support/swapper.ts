/**
 * A hostile program: it exchanges a folder and a link that leads out, as fast
 * as it can (`renameat2` with RENAME_EXCHANGE, which no shell command offers;
 * perl can make any system call, and stands on every Debian).
 */

const NUMBER: Readonly<Record<string, number>> = { x86_64: 316, aarch64: 276 };

/** Why it cannot run here; undefined where it can. */
export function whyNoSwapper(): string | undefined {
  if (Deno.build.os !== "linux") return "renameat2 is a call of Linux";
  for (const path of ["/usr/bin/perl", "/usr/bin/bwrap"]) {
    try {
      Deno.statSync(path);
    } catch {
      return `${path} is not there`;
    }
  }
  return undefined;
}

/** A shell command that exchanges the two names, once `started` has been made by it, until `started-stop` is there. */
export function swapCommand(one: string, other: string, started: string): string {
  const number = NUMBER[Deno.build.arch];
  return `/usr/bin/perl -e 'open(F, ">", $ARGV[2]); close F; ` +
    `until (-e "$ARGV[2]-stop") { for (1..1000) { syscall(${number}, -100, $ARGV[0], -100, $ARGV[1], 2) } } ` +
    `open(F, ">", "$ARGV[2]-end")' '${one}' '${other}' '${started}'`;
}

/** Everything about a tree that an operation could change, as lines; times of last access are left out. */
export function portrait(folder: string): string[] {
  const lines: string[] = [];
  const walk = (path: string) => {
    const info = Deno.lstatSync(path);
    const what = info.isFile
      ? Deno.readTextFileSync(path)
      : info.isSymlink
      ? Deno.readLinkSync(path)
      : "folder";
    lines.push([path, info.mode, info.nlink, info.mtime?.getTime(), info.ctime?.getTime(), what].join(" | "));
    if (!info.isDirectory) return;
    for (const { name } of [...Deno.readDirSync(path)].sort((a, b) => a.name < b.name ? -1 : 1)) {
      walk(`${path}/${name}`);
    }
  };
  walk(folder);
  return lines;
}
