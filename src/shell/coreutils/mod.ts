/**
 * The list of utilities that run inside the shell. Bodies are loaded when they
 * are first called, so that starting a shell costs nothing; each entry also
 * turns the errors that all utilities share (wrong use, a fatal message,
 * --help) into texts and statuses.
 */
import { UnsupportedOption, type Utility, type UtilityContext } from "../builtin.ts";
import type { Later } from "../host.ts";
import { Answer, Failure, UsageError } from "./shared/options.ts";
import { localized } from "./shared/report.ts";

export { UnsupportedOption };

interface Body {
  run(context: UtilityContext): Later<number>;
}

function lazily(name: string, load: () => Promise<Body>): Utility {
  let body: Body | undefined;
  return {
    name,
    async run(context) {
      try {
        body ??= await load();
        return await body.run(context);
      } catch (error) {
        if (error instanceof Answer) {
          await context.stdout.print(error.message);
          return 0;
        }
        if (error instanceof UsageError) {
          const hint = error.hint ? `Try '${context.name} --help' for more information.\n` : "";
          await context.stderr.print(
            (error.message === "" ? "" : `${context.name}: ${localized(context, error.message)}\n`) + hint,
          );
          return error.status ?? 1;
        }
        if (error instanceof Failure) {
          await context.stderr.print(`${context.name}: ${localized(context, error.message)}\n`);
          return error.status;
        }
        // By name: the engine is not loaded for those who need none.
        if (error instanceof Error && error.name === "RegexError") {
          await context.stderr.print(`${context.name}: ${error.message}\n`);
          return 2;
        }
        throw error;
      }
    },
  };
}

/** Every utility, by name. */
export const coreutils: readonly Utility[] = [
  lazily("awk", () => import("./awk/mod.ts")),
  lazily("b2sum", () => import("./b2sum.ts")),
  lazily("base32", () => import("./basenc.ts")),
  lazily("base64", () => import("./base64.ts")),
  lazily("basename", () => import("./basename.ts")),
  lazily("basenc", () => import("./basenc.ts")),
  lazily("bc", () => import("./bc/mod.ts")),
  lazily("cat", () => import("./cat.ts")),
  lazily("chgrp", () => import("./chgrp.ts")),
  lazily("chmod", () => import("./chmod.ts")),
  lazily("chown", () => import("./chown.ts")),
  lazily("cksum", () => import("./cksum.ts")),
  lazily("cmp", () => import("./cmp.ts")),
  lazily("column", () => import("./column.ts")),
  lazily("comm", () => import("./comm.ts")),
  lazily("cp", () => import("./cp.ts")),
  lazily("csplit", () => import("./csplit.ts")),
  lazily("cut", () => import("./cut.ts")),
  lazily("date", () => import("./date.ts")),
  lazily("dd", () => import("./dd.ts")),
  lazily("df", () => import("./df.ts")),
  lazily("diff", () => import("./diff/mod.ts")),
  lazily("dirname", () => import("./dirname.ts")),
  lazily("du", () => import("./du.ts")),
  lazily("egrep", () => import("./grep/mod.ts")),
  lazily("env", () => import("./env.ts")),
  lazily("expand", () => import("./expand.ts")),
  lazily("expr", () => import("./expr.ts")),
  lazily("factor", () => import("./factor.ts")),
  lazily("fgrep", () => import("./grep/mod.ts")),
  lazily("file", () => import("./file.ts")),
  lazily("find", () => import("./find/mod.ts")),
  lazily("flock", () => import("./flock.ts")),
  lazily("fmt", () => import("./fmt.ts")),
  lazily("fold", () => import("./fold.ts")),
  lazily("gawk", () => import("./awk/mod.ts")),
  lazily("grep", () => import("./grep/mod.ts")),
  lazily("gunzip", () => import("./gzip.ts")),
  lazily("gzip", () => import("./gzip.ts")),
  lazily("head", () => import("./head.ts")),
  lazily("hexdump", () => import("./hexdump.ts")),
  lazily("hostname", () => import("./hostname.ts")),
  lazily("id", () => import("./id.ts")),
  lazily("install", () => import("./install.ts")),
  lazily("join", () => import("./join.ts")),
  lazily("jq", () => import("./jq/mod.ts")),
  lazily("link", () => import("./link.ts")),
  lazily("ln", () => import("./ln.ts")),
  lazily("ls", () => import("./ls/mod.ts")),
  lazily("md5sum", () => import("./md5sum.ts")),
  lazily("mkdir", () => import("./mkdir.ts")),
  lazily("mkfifo", () => import("./mkfifo.ts")),
  lazily("mktemp", () => import("./mktemp.ts")),
  lazily("mv", () => import("./mv.ts")),
  lazily("nice", () => import("./nice.ts")),
  lazily("nl", () => import("./nl.ts")),
  lazily("nohup", () => import("./nohup.ts")),
  lazily("nproc", () => import("./nproc.ts")),
  lazily("numfmt", () => import("./numfmt.ts")),
  lazily("od", () => import("./od.ts")),
  lazily("paste", () => import("./paste.ts")),
  lazily("patch", () => import("./patch.ts")),
  lazily("printenv", () => import("./printenv.ts")),
  lazily("readlink", () => import("./readlink.ts")),
  lazily("realpath", () => import("./realpath.ts")),
  lazily("rev", () => import("./rev.ts")),
  lazily("rm", () => import("./rm.ts")),
  lazily("rmdir", () => import("./rmdir.ts")),
  lazily("sed", () => import("./sed/mod.ts")),
  lazily("seq", () => import("./seq.ts")),
  lazily("setsid", () => import("./setsid.ts")),
  lazily("sha1sum", () => import("./sha1sum.ts")),
  lazily("sha224sum", () => import("./sha224sum.ts")),
  lazily("sha256sum", () => import("./sha256sum.ts")),
  lazily("sha384sum", () => import("./sha384sum.ts")),
  lazily("sha512sum", () => import("./sha512sum.ts")),
  lazily("shuf", () => import("./shuf.ts")),
  lazily("sleep", () => import("./sleep.ts")),
  lazily("sort", () => import("./sort/mod.ts")),
  lazily("split", () => import("./split.ts")),
  lazily("stat", () => import("./stat.ts")),
  lazily("strings", () => import("./strings.ts")),
  lazily("sum", () => import("./sum.ts")),
  lazily("sync", () => import("./sync.ts")),
  lazily("tac", () => import("./tac.ts")),
  lazily("tail", () => import("./tail.ts")),
  lazily("tar", () => import("./tar/mod.ts")),
  lazily("tee", () => import("./tee.ts")),
  lazily("timeout", () => import("./timeout.ts")),
  lazily("touch", () => import("./touch.ts")),
  lazily("tr", () => import("./tr.ts")),
  lazily("tree", () => import("./tree.ts")),
  lazily("truncate", () => import("./truncate.ts")),
  lazily("tsort", () => import("./tsort.ts")),
  lazily("tty", () => import("./tty.ts")),
  lazily("uname", () => import("./uname.ts")),
  lazily("unexpand", () => import("./unexpand.ts")),
  lazily("uniq", () => import("./uniq.ts")),
  lazily("unlink", () => import("./unlink.ts")),
  lazily("wc", () => import("./wc.ts")),
  lazily("which", () => import("./which.ts")),
  lazily("whoami", () => import("./whoami.ts")),
  lazily("xargs", () => import("./xargs.ts")),
  lazily("xxd", () => import("./xxd.ts")),
  lazily("yes", () => import("./yes.ts")),
  lazily("zcat", () => import("./gzip.ts")),
  lazily("zgrep", () => import("./zgrep.ts")),
];
