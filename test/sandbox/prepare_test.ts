import { assert, assertEquals, assertThrows } from "@std/assert";
import { preparePolicy, removeTemp } from "../../src/sandbox/os/mod.ts";
import type { PolicySettings } from "../../src/sandbox/os/mod.ts";
import { RuleError } from "../../src/sandbox/rules.ts";
import type { Policy } from "../../src/sandbox/policy.ts";

function withPolicy(
  settings: (root: string) => Partial<PolicySettings>,
  work: (policy: Policy, root: string) => void,
): void {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "prepare-test-" }));
  for (const folder of ["ws", "ws/lib", "home", "other"]) Deno.mkdirSync(`${root}/${folder}`);
  Deno.symlinkSync("other", `${root}/named`);
  let policy: Policy | undefined;
  try {
    policy = preparePolicy({
      mode: "workspace",
      workspace: `${root}/ws`,
      approve: "never",
      home: `${root}/home`,
      ownFolder: `${root}/home/.myelin`,
      ...settings(root),
    });
    work(policy, root);
  } finally {
    if (policy) removeTemp(policy);
    Deno.removeSync(root, { recursive: true });
  }
}

Deno.test("preparePolicy() resolves roots: links, ~, relative ones; drops what is not there", () =>
  withPolicy((root) => ({
    readRoots: [`${root}/named`, "lib", "~/nothing", "~"],
    writeRoots: [`${root}/other/`],
  }), (policy, root) => {
    assertEquals(policy.readRoots, [`${root}/other`, `${root}/ws/lib`, `${root}/home`]);
    assertEquals(policy.writeRoots, [`${root}/other`]);
    assert(policy.aliases!.some(([name, target]) => name === `${root}/named` && target === `${root}/other`));
  }));

Deno.test("preparePolicy() makes a private temporary folder for this user alone", () =>
  withPolicy(() => ({}), (policy) => {
    const info = Deno.statSync(policy.tempDir);
    assert(info.isDirectory);
    if (Deno.build.os !== "windows") assertEquals((info.mode ?? 0) & 0o077, 0);
  }));

Deno.test("preparePolicy() leaves a workspace usable that stands in a place with care", () =>
  withPolicy((root) => ({ ownFolder: root }), (policy, root) => {
    assert(!policy.hiddenPaths!.includes(root));
    assert(!policy.protectedPaths.includes(root));
    assert(policy.hiddenPaths!.includes(`${root}/home/.ssh`));
  }));

Deno.test("preparePolicy() says at once that a rule cannot be read", () => {
  assertThrows(
    () => withPolicy(() => ({ rules: { deny: ["git push"] } }), () => {}),
    RuleError,
    'Cannot read the rule "git push"',
  );
});
