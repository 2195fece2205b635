/** Development shells with stand-ins for nix and direnv that count their calls. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { captureDevShell, type DevShellOptions } from "../../../src/sandbox/os/dev_shell.ts";

const ignore = Deno.build.os === "windows";

interface Place extends Disposable {
  readonly folder: string;
  readonly calls: () => number;
  options(more?: Partial<DevShellOptions>): DevShellOptions;
}

function place(tools: Readonly<Record<string, string>>): Place {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const [bin, folder] = [`${root}/bin`, `${root}/ws`];
  Deno.mkdirSync(bin);
  Deno.mkdirSync(folder);
  for (const [name, script] of Object.entries(tools)) {
    Deno.writeTextFileSync(`${bin}/${name}`, `#!/bin/sh\necho call >> ${root}/calls\n${script}\n`, {
      mode: 0o755,
    });
  }
  return {
    folder,
    calls() {
      try {
        return Deno.readTextFileSync(`${root}/calls`).split("\n").length - 1;
      } catch {
        return 0;
      }
    },
    options: (more = {}) => ({
      kind: "nix",
      folder,
      cache: `${root}/cache`,
      env: { PATH: `${bin}:/usr/bin:/bin`, HOME: root },
      watch: [],
      ...more,
    }),
    [Symbol.dispose]: () => Deno.removeSync(root, { recursive: true }),
  };
}

const NIX = `
while [ "$1" != --profile ]; do shift; done
: > "$2"
echo '{"variables": {"CC": {"type": "exported", "value": "gcc"}, "HOME": {"type": "exported", "value": "/homeless"},'
echo '"PATH": {"type": "exported", "value": "/nix/store/a/bin"}, "inner": {"type": "var", "value": "x"}}}'`;

Deno.test({
  name: "a flake's shell is captured once, and again where its files change",
  ignore,
  async fn() {
    using at = place({ nix: NIX });
    const none = await captureDevShell(at.options());
    assert(!none.ok);
    assertStringIncludes(none.problem, "no flake.nix");
    Deno.writeTextFileSync(`${at.folder}/flake.nix`, "{ }");
    const first = await captureDevShell(at.options());
    assert(first.ok && !first.cached);
    assertEquals(first.env.CC, "gcc");
    assertEquals(Object.keys(first.env).sort(), ["CC", "PATH"]);
    assertEquals(first.env.PATH, `/nix/store/a/bin:${at.options().env.PATH}`);
    const second = await captureDevShell(at.options());
    assert(second.ok && second.cached);
    assertEquals([second.env, at.calls()], [first.env, 1]);
    Deno.mkdirSync(`${at.folder}/nix`);
    Deno.writeTextFileSync(`${at.folder}/nix/more.nix`, "1");
    await captureDevShell(at.options());
    assertEquals(at.calls(), 2);
    Deno.writeTextFileSync(`${at.folder}/tools.txt`, "1");
    await captureDevShell(at.options());
    assertEquals(at.calls(), 2);
    await captureDevShell(at.options({ watch: ["tools.*"] }));
    assertEquals(at.calls(), 3);
  },
});

Deno.test({
  name: "direnv's variables are taken where the user has approved the .envrc",
  ignore,
  async fn() {
    using at = place({
      direnv: `[ -e allowed ] || { echo "direnv: error .envrc is blocked. Run direnv allow" >&2; exit 1; }
echo '{"API": "x", "DIRENV_DIFF": "y", "GONE": null}'`,
    });
    Deno.writeTextFileSync(`${at.folder}/.envrc`, "export API=x");
    const blocked = await captureDevShell(at.options({ kind: "direnv" }));
    assert(!blocked.ok);
    assertStringIncludes(blocked.problem, "direnv allow");
    Deno.writeTextFileSync(`${at.folder}/allowed`, "");
    assertEquals(await captureDevShell(at.options({ kind: "direnv" })), {
      ok: true,
      env: { API: "x" },
      cached: false,
    });
  },
});

Deno.test({
  name: "a tool that is not installed is told, and nothing is kept",
  ignore,
  async fn() {
    using at = place({});
    Deno.writeTextFileSync(`${at.folder}/flake.nix`, "{ }");
    const missing = await captureDevShell(at.options({ env: { PATH: "/nowhere" } }));
    assertEquals(missing, { ok: false, problem: "nix is not installed" });
  },
});
