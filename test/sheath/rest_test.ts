import { assertEquals } from "@std/assert";
import { errorResult, type ToolResult } from "../../src/agent/tool.ts";
import { createRealHost } from "../../src/sandbox/host_real.ts";
import { preparePolicy } from "../../src/sandbox/os/mod.ts";
import { createSheath } from "../../src/sandbox/worker/client.ts";

type Run = (name: string, args: unknown) => Promise<string>;

/** A sheath whose worker goes as soon as it has nothing to do; `started` counts them. */
async function withRestless(
  work: (ground: { run: Run; workspace: string; started(): number }) => Promise<void>,
): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "rest-test-" }));
  const workspace = `${root}/ws`;
  Deno.mkdirSync(`${workspace}/sub`, { recursive: true });
  const policy = preparePolicy({
    mode: "workspace",
    workspace,
    approve: "never",
    home: root,
    ownFolder: `${root}/.myelin`,
  });
  let started = 0;
  const sheath = createSheath<ToolResult>(
    {
      get workerUrl() {
        started++;
        return new URL("../../src/sheath/main.ts", import.meta.url);
      },
      policy,
      env: ["PATH"],
      failure: (text) => errorResult(text),
    },
    () => Promise.resolve(createRealHost()),
    undefined,
    0,
  );
  let calls = 0;
  try {
    await work({
      workspace,
      started: () => started,
      async run(name, args) {
        const signal = new AbortController().signal;
        const { parts } = await sheath.run(name, args, { callId: `c${++calls}`, signal, output() {} });
        return parts.map((part) => part.type === "text" ? part.text : "").join("");
      },
    });
  } finally {
    await sheath.close();
    Deno.removeSync(root, { recursive: true });
  }
}

Deno.test("a worker that goes takes nothing along: folder, variables and what was read are there in the next", () =>
  withRestless(async ({ run, workspace, started }) => {
    Deno.writeTextFileSync(`${workspace}/sub/a.txt`, "one\n");
    await run("bash", { command: "cd sub; export KEPT=yes; plain=too; umask 027; OLD=$SHLVL" });
    await run("read", { path: "a.txt" });
    const first = started();
    while (started() < first + 2) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await run("glob", { pattern: "*.none" });
    }
    assertEquals(
      await run("bash", {
        command: "basename $PWD; echo $KEPT $plain $(umask) $((SHLVL - OLD)); env | grep -c plain",
      }),
      "sub\nyes too 0027 0\n0\n[exit status 1]",
    );
    await run("edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] });
    assertEquals(Deno.readTextFileSync(`${workspace}/sub/a.txt`), "two\n");
  }));

Deno.test("a worker stays while a shell holds what no data can say", () =>
  withRestless(async ({ run, started }) => {
    await run("bash", { command: "f() { echo from f; }" });
    const first = started();
    // As many chances to go as the test above needs, and more.
    for (let n = 0; n < 20; n++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      assertEquals(await run("bash", { command: "f" }), "from f\n");
    }
    assertEquals(started(), first);
  }));

Deno.test(
  "a worker stays while something runs in the background",
  { ignore: Deno.build.os !== "linux" },
  () =>
    withRestless(async ({ run, started }) => {
      await run("bash", { command: "sleep 60", background: true });
      const first = started();
      for (let n = 0; n < 20; n++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        await run("glob", { pattern: "*.none" });
      }
      assertEquals(started(), first);
    }),
);
