/** What confines programs where bubblewrap is there and of no use. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createConfinement } from "../../../src/sandbox/os/confinement.ts";
import { preparePolicy, removeTemp } from "../../../src/sandbox/os/mod.ts";

/** Scripts in bubblewrap's place, and a part of what is told of each. */
const BROKEN: readonly (readonly [name: string, text: string, mode: number, told: string])[] = [
  ["not executable", "#!/bin/sh\nexit 0\n", 0o644, "cannot be started"],
  ["ends at once", "#!/bin/sh\nexit 1\n", 0o755, "it ran nothing"],
  ["runs nothing and is content", "#!/bin/sh\nexit 0\n", 0o755, "it ran nothing"],
  ["too old", '#!/bin/sh\necho "bwrap: Unknown option $1" >&2\nexit 1\n', 0o755, "Unknown option"],
  ["no program at all", "", 0o755, "bubblewrap"],
];

Deno.test({
  name: "createConfinement() takes the small tools where bubblewrap is broken, and says so in one line",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "confinement-" }));
    Deno.mkdirSync(`${root}/ws`);
    const policy = preparePolicy({
      mode: "workspace",
      workspace: `${root}/ws`,
      approve: "never",
      home: root,
      ownFolder: `${root}/own`,
    });
    const plain = createConfinement(policy, { bwrap: false });
    const small = (await plain.wrapper()).wrapper;
    await plain.close();
    try {
      for (const [name, text, mode, told] of BROKEN) {
        Deno.writeTextFileSync(`${root}/bwrap`, text);
        Deno.chmodSync(`${root}/bwrap`, mode);
        const confinement = createConfinement(policy, { bwrap: `${root}/bwrap` });
        const { wrapper, remark, problem } = await confinement.wrapper();
        try {
          assertEquals(wrapper?.name, small?.name, name);
          const line = small === undefined ? problem : remark;
          assertStringIncludes(line ?? "", told, name);
          assert(!line?.includes("\n"), name);
          if (wrapper === undefined) continue;
          const outside = `${root}/outside-${name.replaceAll(" ", "-")}`;
          const script = `echo inside > "$PWD/made"; echo x > '${outside}'; echo done`;
          const command = await wrapper.wrap(
            { program: "/bin/sh", argv: ["sh", "-c", script], cwd: policy.workspace, env: {} },
            policy,
          );
          const { stdout } = await new Deno.Command(command.program, {
            args: command.argv.slice(1),
            cwd: command.cwd,
            clearEnv: true,
            env: { ...command.env },
            stderr: "null",
          }).output();
          assertEquals(new TextDecoder().decode(stdout), "done\n", name);
          assertEquals(Deno.readTextFileSync(`${policy.workspace}/made`), "inside\n", name);
          assert(
            !Array.from(Deno.readDirSync(root), (entry) => entry.name).includes(
              outside.slice(root.length + 1),
            ),
            name,
          );
        } finally {
          await confinement.close();
        }
      }
    } finally {
      removeTemp(policy);
      Deno.removeSync(root, { recursive: true });
    }
  },
});
