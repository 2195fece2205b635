/** Paths that are spelled oddly or lead to no file, by each file tool and by the shell, through the real worker. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { withSheath } from "./sheath_fixture.ts";

const LINUX = { ignore: Deno.build.os !== "linux" };

/** Must not be read; by every tool that reads. ROOT: of the test. */
const CLOSED = [
  "//etc/passwd",
  "///etc//passwd",
  "/etc/./passwd",
  "/etc/../etc/passwd",
  "/proc/self/root/etc/passwd",
  "/proc/self/environ",
  "/proc/self/maps",
  "/proc/self/fd/0",
  "/proc/1/environ",
  "/proc/thread-self/root/etc/passwd",
  "/dev/fd/0",
  "/dev/stdin",
  "/dev/mem",
  "/dev/../etc/passwd",
  "ROOT/ws/../outside/secret.txt",
  "ROOT/outside/../ws/../outside/secret.txt",
  "ROOT/ws/plain.txt/../../outside/secret.txt",
  "~/.ssh/id_rsa",
  "~/.SSH/../.ssh/id_rsa",
  "file:///etc/passwd",
  "pipe",
  "socket-link",
  "device-link",
  "loop-a",
];

/** Must work. */
const OPEN = [
  "plain.txt",
  "./plain.txt",
  "ROOT/ws//plain.txt",
  "ROOT/ws/./sub/../plain.txt",
  "sub/../plain.txt",
  "good-link",
];

Deno.test({
  name: "paths: no spelling leads out, nothing that is no file is opened, and honest ones work",
  ...LINUX,
  fn: () =>
    withSheath({}, async ({ run, workspace, root }) => {
      Deno.mkdirSync(`${workspace}/sub`);
      Deno.symlinkSync("plain.txt", `${workspace}/good-link`);
      Deno.symlinkSync("loop-b", `${workspace}/loop-a`);
      Deno.symlinkSync("loop-a", `${workspace}/loop-b`);
      Deno.symlinkSync("/dev/mem", `${workspace}/device-link`);
      Deno.symlinkSync("/run/systemd/notify", `${workspace}/socket-link`);
      await new Deno.Command("mkfifo", { args: [`${workspace}/pipe`] }).output();
      const secret = /root:|CANARY|PATH=|^[0-9a-f]+-[0-9a-f]+ r/m;
      for (const spelled of CLOSED) {
        const path = spelled.replace("ROOT", root);
        const calls: [string, unknown][] = [
          ["read", { path }],
          ["grep", { pattern: "root|CANARY|PATH", path }],
          ["ls", { path }],
          ["bash", {
            command: `cat '${path.replace(/^~/, "$HOME")}' < /dev/null`.replace("'$HOME", `"$HOME"'`),
            timeout: 5,
          }],
          ["bash", { command: `head -1 < "${path.replace(/^~/, "$HOME")}"`, timeout: 5 }],
        ];
        for (const [name, args] of calls) {
          const { text } = await run(name, args);
          assert(
            !secret.test(text.replaceAll(path, "")),
            `${name} ${JSON.stringify(args)}: ${text.slice(0, 300)}`,
          );
        }
        const before = Deno.readTextFileSync(`${root}/outside/secret.txt`);
        const written = await run("write", { path, content: "x\n" });
        if (path !== "socket-link") assert(written.isError, `write ${path}: ${written.text}`);
        assertEquals(Deno.readTextFileSync(`${root}/outside/secret.txt`), before);
      }
      for (const spelled of OPEN) {
        const path = spelled.replace("ROOT", root);
        assertStringIncludes((await run("read", { path })).text, "plain", path);
        assertStringIncludes((await run("bash", { command: `cat ${path}` })).text, "plain", path);
      }
      const devices = await run("bash", {
        command:
          "echo x > /dev/null && head -c 3 /dev/zero | wc -c && head -c 2 /dev/urandom | wc -c; cat /dev/null",
      });
      assertEquals(devices.text.trim(), "3\n2");
    }),
});
