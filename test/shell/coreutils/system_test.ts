import { compareRows, inFolder, run } from "./support/run.ts";
import { assertEquals } from "@std/assert";

const files = { a: "hello world\nfoo\n", b: "second\n", "d/": "", "d/e": "x\n", link: "-> a" };
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
