import { assertEquals } from "@std/assert";
import { loadRealHost } from "../../../src/sandbox/mod.ts";
import { createShell } from "../../../src/shell/mod.ts";
import { decodeBytes } from "../../../src/lib/text/bytes.ts";

async function sh(script: string, external: boolean): Promise<string> {
  let out = "";
  const sink = { write: (bytes: Uint8Array) => void (out += decodeBytes(bytes)), close() {} };
  const shell = createShell({
    host: await loadRealHost(),
    external,
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    cwd: "/",
    stdout: sink,
    stderr: sink,
  });
  try {
    await shell.run(script);
  } finally {
    shell.close();
  }
  return out;
}

Deno.test("an option that a utility does not have is refused with status 2 where no program may run", async () => {
  assertEquals(await sh("echo x | grep -T x; echo $?", false), "grep: option -T is not supported here\n2\n");
});

Deno.test("an option that a utility does not have goes to the host's program", async () => {
  assertEquals(await sh("grep -nT x <<< x; echo $?", true), "                  1:\tx\n0\n");
});

Deno.test("utilities work together in one script", async () => {
  assertEquals(
    await sh(
      "printf 'b\\na\\nb\\n' | sort | uniq -c | sort -rn | awk '{print $2 \"=\" $1}' | paste -sd, -",
      false,
    ),
    "b=2,a=1\n",
  );
  assertEquals(
    await sh("yes | head -n 2; seq 1000000 | tail -n 1; diff <(echo 1) <(echo 2); echo $?", false),
    "y\ny\n1000000\n1c1\n< 1\n---\n> 2\n1\n",
  );
  assertEquals(
    await sh(
      "timeout 0.1 sleep 10; echo $?; echo a b | xargs -n1 echo '>'; awk 'BEGIN { print \"z\\na\" | \"sort\" }'",
      false,
    ),
    "124\n> a\n> b\na\nz\n",
  );
});

Deno.test("zgrep searches what is packed and what is not, without a program of the system", async () => {
  assertEquals(
    await sh(
      'cd $(mktemp -d) && echo needle > a && gzip -k a && zgrep need a.gz; zgrep -c need a a.gz; zgrep -l x a.gz; echo $?; rm -r "$PWD"',
      false,
    ),
    "needle\na:1\na.gz:1\n1\n",
  );
});
