/**
 * Random scripts that reach one command in random ways: where a rule denies
 * it, it never runs, and without the rule it does, so that the way was one.
 */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createConfinedHost } from "../../src/sandbox/confined_host.ts";
import { createRealHost } from "../../src/sandbox/host_real.ts";
import { preparePolicy, removeTemp } from "../../src/sandbox/os/mod.ts";
import { createShell } from "../../src/shell/mod.ts";

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command in the place of a script. */
const IN_SCRIPT: readonly ((script: string) => string)[] = [
  (c) => `true && ${group(c)}`,
  (c) => `false || ${group(c)}`,
  (c) => `:; ${group(c)}; :`,
  (c) => `(${c}\n)`,
  (c) => `{ ${c}\n}`,
  (c) => `if ${group(c)}; then :; fi`,
  (c) => `for i in 1; do ${c}\ndone`,
  (c) => `while ! ${group(c)}; do break; done`,
  (c) => `case a in a) ${c}\n;; esac`,
  (c) => `f() { ${c}\n}\nf`,
  (c) => `${group(c)} | cat`,
  (c) => `echo | ${group(c)}`,
  (c) => `${group(c)} &\nwait`,
  (c) => `x=$(${c}\n)`,
  (c) => `: "$(${c}\n)"`,
  (c) => `cat <(${c}\n) > /dev/null`,
  (c) => `[[ -z $(${c}\n) ]]`,
  (c) => `eval ${quote(c)}`,
  (c) => `sh -c ${quote(c)}`,
  (c) => `bash <<< ${quote(c)}`,
  (c) => `printf '%s\\n' ${quote(c)} | sh`,
  (c) => `(trap ${quote(c)} EXIT)`,
  (c) => `printf '%s\\n' ${quote(c)} > s.sh; . ./s.sh`,
  (c) => `printf '%s\\n' ${quote(c)} > s.sh; sh s.sh`,
  (c) => `time ${group(c)}`,
  (c) => `! ${group(c)}`,
];
const group = (c: string) => `{ ${c}\n}`;

/** A simple command behind others, which themselves stand behind one that the shell must see first. */
const BEHIND: readonly ((command: string) => string)[] = [(c) => `env A=1 ${c}`, (c) => `timeout 9 ${c}`];
const FIRST: readonly ((command: string) => string)[] = [
  (c) => c,
  (c) => `command ${c}`,
  (c) => `A=1 ${c}`,
  (c) => `echo x | xargs -I{} ${c}`,
  (c) => `find . -maxdepth 0 -exec ${c} \\;`,
];

const SPELLINGS = [
  "touch mark",
  "'tou'ch mark",
  "\\touch mark",
  "/usr/bin/touch mark",
  "t=touch; $t mark",
  "touch -a -- mark",
];

const script = fc.record({
  command: fc.constantFrom(...SPELLINGS),
  behind: fc.array(fc.constantFrom(...BEHIND), { maxLength: 2 }),
  first: fc.constantFrom(...FIRST),
  within: fc.array(fc.constantFrom(...IN_SCRIPT), { maxLength: 3 }),
}).map(({ command, behind, first, within }) => {
  const simple = command.startsWith("t=")
    ? command
    : first(behind.reduce((text, wrap) => wrap(text), command));
  return within.reduce((text, wrap) => wrap(text), simple);
});

Deno.test({
  name: "a command that a rule denies never runs, however a script comes to it",
  ignore: Deno.build.os === "windows",
  // The system's library is opened once per process, and stays.
  sanitizeResources: false,
  fn: async () => {
    const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "rules-fuzz-" }));
    for (const folder of ["ws", "home"]) Deno.mkdirSync(`${root}/${folder}`);
    const env = { PATH: "/usr/bin:/bin", HOME: `${root}/home` };
    const quiet = { write() {}, close() {} };
    const policies = [["run(touch *)"], []].map((deny) =>
      preparePolicy({
        mode: "workspace",
        workspace: `${root}/ws`,
        approve: "never",
        exec: "deny",
        home: `${root}/home`,
        ownFolder: `${root}/home/.myelin`,
        rules: { deny },
      })
    );
    const reaches = async (text: string, n: number): Promise<boolean> => {
      const policy = policies[n];
      const { host, gate } = createConfinedHost({ policy, env, host: createRealHost() });
      const shell = createShell({ host, gate, env, cwd: policy.workspace, stdout: quiet, stderr: quiet });
      try {
        await shell.run(text);
      } finally {
        shell.close();
      }
      try {
        Deno.removeSync(`${root}/ws/mark`);
        return true;
      } catch (error) {
        assert(error instanceof Deno.errors.NotFound);
        return false;
      }
    };
    try {
      await fc.assert(
        fc.asyncProperty(script, async (text) => {
          assertEquals(await reaches(text, 0), false, `denied, and it ran: ${text}`);
          assertEquals(await reaches(text, 1), true, `not denied, and it did not run: ${text}`);
        }),
        { numRuns: Deno.env.get("MYELIN_FULL") === "1" ? 3000 : 250 },
      );
    } finally {
      policies.forEach(removeTemp);
      Deno.removeSync(root, { recursive: true });
    }
  },
});
