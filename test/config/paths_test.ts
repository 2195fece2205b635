import { assert, assertEquals } from "@std/assert";
import { expandHome, homePaths, projectRoot } from "../../src/config/paths.ts";

const homeOf = (values: Record<string, string>) => homePaths((name) => values[name]);

Deno.test("homePaths() is $MYELIN_HOME, else .myelin of the user's folder", () => {
  assertEquals(homeOf({ HOME: "/home/u" }).root, "/home/u/.myelin");
  assertEquals(homeOf({ HOME: "/home/u", MYELIN_HOME: "/x/y/" }).root, "/x/y");
  assertEquals(homeOf({ HOME: "/home/u", MYELIN_HOME: "~/m" }).sessions, "/home/u/m/sessions");
  assertEquals(homeOf({ USERPROFILE: "/users/u" }).user, "/users/u");
});

Deno.test("homePaths() never takes the folder that it is started in for the user's", () => {
  for (const values of [{}, { HOME: "" }, { HOME: "." }, { HOME: "relative" }] as Record<string, string>[]) {
    const { user, root } = homeOf(values);
    assertEquals(user, homeOf({}).user);
    assert(/^(\/|[A-Za-z]:\/)/.test(user) && !user.startsWith(Deno.cwd()), user);
    assertEquals(root, `${user}/.myelin`);
  }
});

Deno.test("expandHome() knows ~ alone and before a slash", () => {
  assertEquals(["~", "~/a", "~a", "/~"].map((path) => expandHome(path, "/u")), ["/u", "/u/a", "~a", "/~"]);
});

Deno.test("projectRoot() is the nearest folder upward with .myelin or .git, and never the home's own .myelin", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (
      const folder of [
        "home/.myelin",
        "home/repo/.git",
        "home/repo/part/.myelin",
        "home/repo/part/deep",
        "home/plain/deep",
      ]
    ) {
      await Deno.mkdir(`${root}/${folder}`, { recursive: true });
    }
    const home = homeOf({ HOME: `${root}/home` });
    const of = (path: string) => projectRoot(`${root}/${path}`, home).slice(root.length + 1);
    assertEquals(of("home/repo/part/deep"), "home/repo/part");
    assertEquals(of("home/repo/other"), "home/repo");
    assertEquals(of("home/plain/deep"), "home/plain/deep");
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
