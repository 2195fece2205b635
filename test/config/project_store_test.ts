import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { addProjectRule, readProjects, setTrust, storePath } from "../../src/config/project_store.ts";
import { startNotices } from "../../src/config/notices.ts";
import { changedSince, fingerprint } from "../../src/config/trust.ts";
import { withHome } from "./home.ts";

const TRUSTED = JSON.stringify({ project: { paths: { "/**": "trust" } } });
const HOOKS = JSON.stringify({
  hooks: { after_edit: [{ command: "sh ./scripts/check.sh --fast" }] },
  permissions: { allow: ["run(make *)"] },
});

Deno.test("addProjectRule() keeps rules apart by project, once each, and loadConfig() allows them there", () =>
  withHome({}, async ({ home, project, load }) => {
    await addProjectRule({ root: home }, project, "run(git push *)");
    await addProjectRule({ root: home }, project, "run(git push *)");
    await addProjectRule({ root: home }, "/elsewhere", "run(make *)");
    const { settings, sources } = await load();
    assertEquals(settings.permissions.allow, ["run(git push *)"]);
    assertEquals(sources.get("permissions.allow"), storePath({ root: home }));
    if (Deno.build.os !== "windows") {
      assertEquals((await Deno.stat(storePath({ root: home }))).mode! & 0o777, 0o600);
    }
  }));

Deno.test("addProjectRule() loses none of many at once, and leaves no files behind", () =>
  withHome({}, async ({ home }) => {
    const rules = Array.from({ length: 40 }, (_, i) => `run(tool-${i} *)`);
    await Promise.all(rules.map((rule) => addProjectRule({ root: home }, "/p", rule)));
    assertEquals([...readProjects({ root: home })["/p"].allow].sort(), rules.sort());
    const names = [...Deno.readDirSync(home)].map(({ name }) => name).sort();
    assertEquals(names, ["projects.json", "projects.json.lock"]);
  }));

Deno.test("a damaged store is told, overrules nothing, and is not written over", () =>
  withHome({ "home/projects.json": '{"projects": 5}' }, async ({ home, project, load }) => {
    const { issues, settings } = await load();
    assertEquals(settings.permissions.allow, []);
    assertStringIncludes(issues[0].message, "not what this program writes");
    await assertRejects(() => addProjectRule({ root: home }, project, "run(x)"));
    assertEquals(await Deno.readTextFile(`${home}/projects.json`), '{"projects": 5}');
  }));

Deno.test("what is odd in an entry is passed over", () =>
  withHome({
    "home/projects.json": JSON.stringify({
      projects: { "/a": { allow: [1, "run(x)"], trusted: 7 }, "/b": 1 },
    }),
  }, ({ home }) => {
    assertEquals(readProjects({ root: home }), { "/a": { allow: ["run(x)"] }, "/b": { allow: [] } });
    return Promise.resolve();
  }));

Deno.test("fingerprint() covers settings, what they run, and nothing else", () =>
  withHome({
    "project/.myelin/settings.jsonc": HOOKS,
    "project/.myelin/prompts/x.md": "text",
    "project/.myelin/verify.json": "{}",
    "project/scripts/check.sh": "true",
    "project/scripts/other.sh": "true",
  }, async ({ project }) => {
    const now = await fingerprint(project);
    assertEquals(Object.keys(now), [".myelin/settings.jsonc", ".myelin/verify.json", "scripts/check.sh"]);
    assertEquals(changedSince({ files: now }, now), []);
    assertEquals(changedSince({ files: {} }, { a: "1" }), ["a"]);
    assertEquals(changedSince({ files: { a: "1", b: "2" } }, { a: "1" }), []);
  }));

Deno.test("trust holds for the content it was given to: any change to what can run code ends it until it is given anew", () =>
  withHome({
    "home/settings.jsonc": TRUSTED,
    "project/.myelin/settings.jsonc": HOOKS,
    "project/scripts/check.sh": "true",
  }, async ({ home, project, load, write }) => {
    const first = await load();
    assertEquals([first.project.access, first.issues.length], ["trust", 1]);
    assertEquals(first.settings.permissions.allow, ["run(make *)"]);
    await setTrust({ root: home }, project, { at: "2026-01-01", files: first.project.unrecorded! });
    assertEquals((await load()).project.access, "trust");
    for (
      const [path, text] of [
        ["project/scripts/check.sh", "curl evil"],
        ["project/.myelin/settings.local.jsonc", "{}"],
        ["project/.myelin/commands/x.md", "!rm -rf ."],
      ]
    ) {
      const old = await Deno.readTextFile(`${home}/../${path}`).catch(() => undefined);
      await write(path, text);
      const { project: state, settings, issues } = await load();
      assertEquals([state.access, state.changed], ["read", [path.slice("project/".length)]]);
      assertEquals([settings.hooks, settings.permissions.allow], [{}, []]);
      const told = issues.find((issue) => issue.message.includes("not trusted any more"));
      assertStringIncludes(told?.hint ?? "", "myelin trust");
      if (old === undefined) await Deno.remove(`${home}/../${path}`);
      else await write(path, old);
      assertEquals((await load()).project.access, "trust", path);
    }
  }));

Deno.test("a trust given to one project by itself needs no pattern; ignore overrules it", () =>
  withHome({ "project/.myelin/settings.jsonc": HOOKS }, async ({ home, project, load, write }) => {
    await setTrust({ root: home }, project, { at: "2026-01-01", files: await fingerprint(project) });
    assertEquals((await load()).project.access, "trust");
    await write("home/settings.jsonc", JSON.stringify({ project: { paths: { [project]: "ignore" } } }));
    const { project: state, settings } = await load();
    assertEquals([state.access, settings.permissions.allow], ["ignore", []]);
    await write("home/settings.jsonc", "{}");
    await setTrust({ root: home }, project, undefined);
    assertEquals((await load()).project.access, "read");
  }));

Deno.test("a project cannot give trust to itself, nor rules", () =>
  withHome({
    "project/projects.json": JSON.stringify({ projects: { "/": { allow: ["run(*)"] } } }),
    "project/.myelin/projects.json": JSON.stringify({ projects: { "/": { allow: ["run(*)"] } } }),
    "project/.myelin/settings.jsonc": JSON.stringify({
      project: { access: "trust", paths: { "/**": "trust" } },
    }),
  }, async ({ load }) => {
    const { project, settings } = await load();
    assertEquals([project.access, settings.permissions.allow], ["read", []]);
  }));

Deno.test("startNotices() says in one line what was left out, and how to trust", () =>
  withHome(
    { "project/.myelin/settings.jsonc": HOOKS, "home/settings.jsonc": '{"nonsense": 1}' },
    async ({ load }) => {
      const notices = startNotices(await load());
      assertEquals(notices.length, 2);
      assert(notices[0].includes("nonsense"));
      for (
        const part of [
          "hooks, permissions.allow",
          ".myelin/settings.jsonc",
          'access is "read"',
          "myelin trust",
        ]
      ) {
        assertStringIncludes(notices[1], part);
      }
    },
  ));
