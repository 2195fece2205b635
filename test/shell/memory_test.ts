import { assert, assertEquals } from "@std/assert";
import { createRealHost } from "../../src/sandbox/host_real.ts";
import { createShell, type ShellHandle, type ShellOptions } from "../../src/shell/mod.ts";

function shellWith(options: Partial<ShellOptions> = {}): { shell: ShellHandle; text(): string } {
  let text = "";
  const sink = { write: (bytes: Uint8Array) => void (text += new TextDecoder().decode(bytes)), close() {} };
  const shell = createShell({
    host: createRealHost(),
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", HOME: "/" },
    stdout: sink,
    stderr: sink,
    ...options,
  });
  return { shell, text: () => text };
}

const WHOLE = [
  "cd /usr; export A='x y'; b=2; umask 077",
  "for i in 1 2; do n=$i; done; export -n HOME; IFS=,",
  "echo hi | cat; x=$(ls /); (cd /usr; f() { :; })",
  "read line < /dev/null; PATH=/bin; PS4='> '",
];

Deno.test("memory() is all that a shell of folder, mask and variables is", async () => {
  const show = "declare -p | grep -vE 'BASHPID|RANDOM|SECONDS|EPOCH|PIPESTATUS|BASH_'; umask; pwd; cd -; pwd";
  for (const script of WHOLE) {
    const one = shellWith();
    await one.shell.run(script);
    const memory = one.shell.memory();
    assert(memory !== undefined, script);
    const { plain, ...rest } = structuredClone(memory);
    const other = shellWith({ ...rest, variables: plain });
    const before = one.text().length;
    await one.shell.run(show);
    await other.shell.run(show);
    assertEquals(other.text(), one.text().slice(before), script);
  }
});

Deno.test("memory() is undefined where the shell is more than that", async () => {
  const scripts = [
    "f() { :; }",
    "a=(1 2)",
    "declare -A m=([k]=v)",
    "declare -i n=3",
    "declare -r r=1",
    "declare x",
    "[[ abc =~ b ]]",
    "set -u",
    "shopt -s extglob",
    "alias a=b",
    "trap : INT",
    "exec 3< /dev/null",
    "pushd /usr",
    "set -- a b",
    "enable -n echo",
    "sleep 0 & wait",
    "unset RANDOM",
    "unset PATH",
    "ulimit -n 64",
    "getopts abc o -ab",
  ];
  for (const script of scripts) {
    const { shell, text } = shellWith();
    await shell.run(script);
    assertEquals(shell.memory(), undefined, `${script}: ${text()}`);
    shell.close();
  }
});

Deno.test("memory() of a shell that is as it began makes another one like it, again and again", async () => {
  let options: Partial<ShellOptions> = {};
  for (let n = 0; n < 3; n++) {
    const { shell, text } = shellWith(options);
    await shell.run("echo $SHLVL");
    assertEquals(text(), "1\n");
    const { plain, ...rest } = shell.memory()!;
    options = { ...rest, variables: plain };
  }
});
