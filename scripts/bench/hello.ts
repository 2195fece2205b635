/** The least that a compiled program can do, built with the same runtime and flags: what starts are measured against. */
import { denortFromNpm } from "../denort.ts";
import { V8_FLAGS } from "../v8_flags.ts";
import type { Launch } from "./process.ts";

/** Compiles a hello-world into a folder. */
export async function compileHello(root: string): Promise<Launch> {
  await Deno.writeTextFile(`${root}/hello.ts`, 'console.log("hello");\n');
  const compile = (env: Record<string, string>) =>
    new Deno.Command(Deno.execPath(), {
      args: [
        "compile",
        "--quiet",
        "--no-config",
        `--v8-flags=${V8_FLAGS.join(",")}`,
        "--output",
        `${root}/hello`,
        `${root}/hello.ts`,
      ],
      env,
    }).output();
  let result = await compile({});
  if (!result.success) {
    const denort = await denortFromNpm();
    if (denort !== undefined) result = await compile({ DENORT_BIN: denort });
  }
  if (!result.success) throw new Error(new TextDecoder().decode(result.stderr));
  return {
    command: [`${root}/hello`],
    cwd: root,
    env: { HOME: root, PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
  };
}
