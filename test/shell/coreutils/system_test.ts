import { compareRows, inFolder, run } from "./support/run.ts";
import { HostError } from "../../../src/shell/host.ts";
import { assertEquals } from "@std/assert";

const files = {
  a: "hello world\nfoo\n",
  b: "second\n",
  "d/": "",
  "d/e": "x\n",
  link: "-> a",
};
const on = (...argv: string[]) => ({ argv, files });

compareRows([
  on("link"),
  on("link", "a"),
  on("link", "a", "x"),
  on("link", "a", "x", "y"),
  on("link", "a", "b"),
  on("link", "missing", "x"),
  on("link", "a", "no/x"),
  on("link", "-x"),
  on("unlink"),
  on("unlink", "a"),
  on("unlink", "link"),
  on("unlink", "a", "b"),
  on("unlink", "missing"),
  on("unlink", "d"),
  on("unlink", "--", "a"),
  on("sync"),
  on("sync", "a", "missing", "d"),
  on("sync", "-d", "-f", "a"),
  on("sync", "-d"),
  on("tty"),
  on("tty", "-s"),
  on("tty", "x"),
  on("tty", "-z"),
  on("truncate"),
  on("truncate", "a"),
  on("truncate", "-s", "5"),
  on("truncate", "-s", "5", "a", "new"),
  on("truncate", "-s0", "a"),
  on("truncate", "--size=20", "a"),
  on("truncate", "-s", "+3", "a"),
  on("truncate", "-s", "-3", "a"),
  on("truncate", "-s", "-300", "a"),
  on("truncate", "-s", "<4", "a", "b"),
  on("truncate", "-s", ">10", "a", "b"),
  on("truncate", "-s", "/5", "a"),
  on("truncate", "-s", "%5", "a"),
  on("truncate", "-s", "/0", "a"),
  on("truncate", "-s", "< 4", "a"),
  on("truncate", "-s", "1K", "a"),
  on("truncate", "-s", "1kB", "a"),
  on("truncate", "-s", "1KiB", "a"),
  on("truncate", "-s", "K", "a"),
  on("truncate", "-s", "x", "a"),
  on("truncate", "-s", "5b", "a"),
  on("truncate", "-s", "", "a"),
  on("truncate", "-s", "</5", "a"),
  on("truncate", "-s", "<-5", "a"),
  on("truncate", "-c", "-s", "5", "missing", "a"),
  on("truncate", "-s", "5", "no/x", "a"),
  on("truncate", "-s", "5", "d"),
  on("truncate", "-r", "b", "a"),
  on("truncate", "-r", "b", "-s", "+2", "a"),
  on("truncate", "-r", "b", "-s", "2", "a"),
  on("truncate", "-r", "missing", "a"),
  on("truncate", "-q", "a"),
  on("chown"),
  on("chown", "root"),
  on("chown", "--reference=a"),
  on("chown", "-x"),
  on("chown", "root", "missing"),
  on("chown", "nobody-here", "a"),
  on("chown", "root:nobody-here", "a"),
  on("chown", ":nobody-here", "a"),
  on("chown", "0:", "a"),
  on("chown", "0.", "a"),
  on("chown", "root.root", "a"),
  on("chown", "--reference=missing", "a"),
  on("chown", "-v", "", "a"),
  on("chown", "-v", ":", "a"),
  on("chgrp"),
  on("chgrp", "root"),
  on("chgrp", "nobody-here", "a"),
  on("chgrp", "-v", "", "a"),
  on("chgrp", "0", "missing"),
  ...Deno.uid() !== 0 ? [] : [
    on("chown", "-v", "root", "a"),
    on("chown", "-v", "root:", "a"),
    on("chown", "-v", "+0:+0", "a"),
    on("chown", "-Rv", "root:root", "d"),
    on("chown", "-R", "1:1", "d"),
    on("chown", "-v", "1:1", "a", "b"),
    on("chown", "-c", "1", "a"),
    on("chown", "-c", "0", "a"),
    on("chown", "-v", ":5", "a"),
    on("chown", "-v", "root:root", "missing"),
    on("chown", "-f", "0", "missing"),
    on("chown", "-v", "--from=5", "0", "a"),
    on("chown", "-v", "--from=0:0", "5", "a"),
    on("chown", "-v", "--reference=a", "b"),
    on("chown", "-v", "5", "link"),
    on("chown", "-hv", "0", "link"),
    on("chown", "--preserve-root", "-R", "0", "/"),
    on("chgrp", "-v", "root", "a"),
    on("chgrp", "-v", "5", "a", "d"),
    on("chgrp", "-Rc", "5", "d"),
    on("chgrp", "-v", "--reference=b", "a"),
  ],
  on("nice"),
  on("nice", "-n"),
  on("nice", "-n", "3"),
  on("nice", "-n", "x", "true"),
  on("nice", "-n", "3x", "true"),
  on("nice", "-x", "true"),
  on("nice", "cat", "a"),
  on("nice", "-n", "5", "sh", "-c", "echo hi; exit 3"),
  on("nice", "-5", "echo", "-5"),
  on("nice", "--5", "echo", "x"),
  on("nice", "-n5", "--", "echo", "-n", "5"),
  on("nice", "--adjustment=3", "echo", "x"),
  on("nohup"),
  on("nohup", "--x"),
  on("nohup", "cat", "a"),
  on("nohup", "sh", "-c", "echo out; echo err >&2; exit 5"),
  on("nohup", "--", "echo", "x"),
  on("setsid"),
  on("setsid", "-x"),
  on("setsid", "-w", "sh", "-c", "echo hi; exit 3"),
  on("setsid", "--wait", "cat", "a"),
  on("mkfifo"),
  on("mkfifo", "-m", "zz", "x"),
  on("mkfifo", "-q", "x"),
]);

Deno.test("mkfifo says what it cannot do where no program can", async () => {
  await inFolder({}, async (cwd) => {
    assertEquals(await run(["mkfifo", "pipe"], { cwd }), {
      stdout: "",
      stderr: "mkfifo: making named pipes is not supported here\n",
      status: 2,
    });
  });
});

Deno.test("chown gives a file to its owner, and to nobody else where the host cannot", async () => {
  await inFolder(files, async (cwd) => {
    const { uid, gid } = await Deno.stat(`${cwd}/a`);
    const cannot = {
      chown() {
        throw new HostError("ENOTSUP");
      },
    };
    assertEquals(await run(["chown", `${uid}:${gid}`, "a"], { cwd, fs: cannot }), {
      stdout: "",
      stderr: "",
      status: 0,
    });
    assertEquals(await run(["chown", `${uid! + 1}`, "a"], { cwd, fs: cannot }), {
      stdout: "",
      stderr: "chown: changing ownership of 'a': Operation not permitted\n",
      status: 1,
    });
    assertEquals(await run(["chgrp", "-v", `${gid! + 1}`, "a"], { cwd, fs: cannot }), {
      stdout: `failed to change group of 'a' from ${await groupName(cwd)} to ${gid! + 1}\n`,
      stderr: "chgrp: changing group of 'a': Operation not permitted\n",
      status: 1,
    });
  });
});

async function groupName(cwd: string): Promise<string> {
  return (await run(["stat", "-c", "%G", "a"], { cwd })).stdout.trim();
}

Deno.test({
  name: "chown -R changes a folder and all in it, chgrp the group alone",
  ignore: Deno.uid() !== 0,
  async fn() {
    await inFolder(files, async (cwd) => {
      const owner = async (name: string) => {
        const { uid, gid } = await Deno.stat(`${cwd}/${name}`);
        return `${uid}:${gid}`;
      };
      await run(["chown", "-R", "5:6", "d"], { cwd });
      assertEquals([await owner("d"), await owner("d/e"), await owner("a")], ["5:6", "5:6", "0:0"]);
      await run(["chgrp", "7", "d"], { cwd });
      assertEquals([await owner("d"), await owner("d/e")], ["5:7", "5:6"]);
    });
  },
});
