/** Questions of the gate, from end to end: a model that answers them in a run, and a person through ops and events. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createEngine } from "../../src/engine/create.ts";
import { loadConfig, resolveModel } from "../../src/config/mod.ts";
import type { EngineEvent, Op } from "../../src/mod.ts";
import { type ChatStep, startChatServer } from "../support/chat_script.ts";
import { createProject, type Project } from "../support/program.ts";

const POSIX = { ignore: Deno.build.os === "windows" };
const CALL = { calls: [{ name: "bash", args: { command: "echo before; git --version; echo after $?" } }] };

/** What the request before an answer was: the judge's, or the run's. */
const isJudge = (messages: readonly { role: string; content?: unknown }[]) =>
  messages[0]?.role === "system" && String(messages[0].content).includes("You decide whether");

Deno.test({
  name:
    "approve auto: a model answers with the rules as its brief; no and not sure are refusals that the run survives",
  ...POSIX,
  fn: async () => {
    for (
      const [says, ran] of [
        ["ALLOW", true],
        ["DENY: it publishes", false],
        ["ASK: who knows", false],
        ["Sure, go ahead!", false],
      ] as const
    ) {
      let judged = "";
      let told = "";
      const step: ChatStep = ({ body }) => {
        if (isJudge(body.messages)) {
          judged = JSON.stringify(body.messages);
          return { text: says };
        }
        const result = body.messages.find(({ role }) => role === "tool");
        if (result === undefined) return CALL;
        told = JSON.stringify(result.content);
        return { text: "the end" };
      };
      const server = startChatServer({ turns: [step], repeatLast: true });
      await using project = await createProject({
        url: server.url,
        settings: { sandbox: { exec: "ask" }, permissions: { allow: ["run(make *)"] } },
      });
      const ended = await project.run(["run", "-o", "stream-json", "--approve", "auto", "say the version"]);
      assertStringIncludes(told, "before");
      assertEquals(told.includes("git version"), ran, told);
      assertStringIncludes(told, ran ? "after 0" : "after 126");
      for (const part of ["run(make *)", "say the version", "git", "--version"]) {
        assertStringIncludes(judged, part);
      }
      const permission = ended.lines.find(({ type }) => type === "permission");
      assertEquals([permission?.decision, permission?.by], [ran ? "allow" : "deny", "auto"]);
      assertEquals(ended.code, 0);
      await server.close();
    }
  },
});

interface Played {
  readonly asked: readonly { readonly request: string; readonly rule: string | null }[];
  readonly result: string;
}

/** One run in this process, with somebody who answers each question. */
async function play(
  project: Project,
  url: string,
  answer: (rule: string | null) => Omit<Op & { type: "approve" }, "type" | "permitId">,
  requests: () => string,
): Promise<Played> {
  const env = (name: string) => ({ HOME: project.home, MOCK_KEY: "k" })[name];
  const config = await loadConfig({ cwd: project.dir, env });
  assert(url.startsWith("http"));
  const engine = await createEngine({
    config,
    model: resolveModel(config),
    cwd: project.dir,
    session: { kind: "none" },
    limits: { maxSteps: 5 },
    approve: "ask",
    workerUrl: new URL("../../src/sheath/main.ts", import.meta.url),
  });
  const asked: { request: string; rule: string | null }[] = [];
  engine.subscribe((event: EngineEvent) => {
    if (event.type !== "permission_request") return;
    asked.push({ request: event.request, rule: event.rule });
    void engine.submit({ type: "approve", permitId: event.permitId, ...answer(event.rule) });
  });
  await engine.submit({
    type: "prompt",
    requestId: crypto.randomUUID(),
    parts: [{ type: "text", text: "go" }],
  });
  await engine.close();
  return { asked, result: requests() };
}

Deno.test({
  name:
    "approve ask: once asks again, for the session does not, for the project is kept as the rule that was shown",
  ...POSIX,
  fn: async () => {
    const twice = { name: "bash", args: { command: "git help -g; git help -g" } };
    const step: ChatStep = ({ body }) =>
      body.messages.some(({ role }) => role === "tool") ? { text: "end" } : { calls: [twice] };
    const server = startChatServer({ turns: [step], repeatLast: true });
    await using project = await createProject({ url: server.url, settings: { sandbox: { exec: "ask" } } });
    const last = () =>
      JSON.stringify(server.requests.at(-1)!.body.messages.filter(({ role }) => role === "tool"));
    const once = await play(project, server.url, () => ({ allow: true }), last);
    assertEquals(once.asked.map(({ request }) => request), ["run git help -g", "run git help -g"]);
    const no = await play(
      project,
      server.url,
      () => ({ allow: false, reason: "use what is in the file" }),
      last,
    );
    assertStringIncludes(no.result, "use what is in the file");
    const session = await play(project, server.url, () => ({ allow: true, scope: "session" }), last);
    assertEquals(session.asked.length, 1);
    let shown: string | null = null;
    const kept = await play(project, server.url, (rule) => {
      shown = rule;
      return { allow: true, scope: "project" };
    }, last);
    assertEquals(kept.asked.length, 1);
    const store = JSON.parse(await Deno.readTextFile(`${project.home}/.myelin/projects.json`));
    assertEquals(store.projects[project.dir].allow, [shown]);
    const later = await play(project, server.url, () => ({ allow: false }), last);
    assertEquals(later.asked, []);
    assertStringIncludes(later.result, "tutorial");
    await server.close();
  },
});

Deno.test({
  name:
    "a write to one file outside of the workspace is asked for: a yes means this file, a no and a link mean none",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "outside-" }));
    await Deno.mkdir(`${root}/real`);
    await Deno.symlink("real", `${root}/link`);
    await Deno.writeTextFile(`${root}/old`, "old\n");
    const script = (home: string) =>
      [
        `echo one > ${root}/new; echo "status $?"`,
        `echo two >> ${root}/old`,
        // While a program runs the main isolate does all work on files.
        `sleep 5 & echo three > ${root}/beside; kill %1`,
        `echo four > ${root}/link/through`,
        `mkdir ${root}/folder; rm ${root}/old; cat ${root}/old`,
        `echo five > ${home}/.ssh/authorized_keys`,
        `cd .; echo end`,
      ].join("\n");
    const step: ChatStep = ({ body }) =>
      body.messages.some(({ role }) => role === "tool")
        ? { text: "end" }
        : { calls: [{ name: "bash", args: { command } }] };
    let command = "";
    const server = startChatServer({ turns: [step], repeatLast: true });
    const last = () =>
      JSON.stringify(server.requests.at(-1)!.body.messages.filter(({ role }) => role === "tool"));
    const names = () => Array.from(Deno.readDirSync(root), ({ name }) => name).sort();
    try {
      await using project = await createProject({ url: server.url });
      command = script(project.home);
      const asked = ["new", "old", "beside", "link/through"].map((name) => `write ${root}/${name}`);
      const no = await play(project, server.url, () => ({ allow: false }), last);
      assertEquals(no.asked.map(({ request }) => request), asked);
      assertEquals(names(), ["link", "old", "real"]);
      assertEquals(await Deno.readTextFile(`${root}/old`), "old\n");
      const yes = await play(project, server.url, () => ({ allow: true }), last);
      assertEquals(yes.asked.map(({ request }) => request), asked);
      assertStringIncludes(yes.result, "status 0");
      assertStringIncludes(yes.result, "end");
      assertEquals(names(), ["beside", "link", "new", "old", "real"]);
      assertEquals(await Deno.readTextFile(`${root}/new`), "one\n");
      assertEquals(await Deno.readTextFile(`${root}/old`), "old\ntwo\n");
      assertEquals(await Deno.readTextFile(`${root}/beside`), "three\n");
      assertEquals(Array.from(Deno.readDirSync(`${root}/real`)), []);
    } finally {
      await server.close();
      await Deno.remove(root, { recursive: true });
    }
  },
});
