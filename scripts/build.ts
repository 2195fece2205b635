/**
 * Makes dist/myelin: the program, the sheath's worker, prompts and docs in
 * one executable. `--output FILE` names another place, `--target TRIPLE`
 * another system (as `deno compile --target`).
 */
import { parseArgs } from "node:util";
import { denortFromNpm } from "./denort.ts";
import { V8_FLAGS } from "./v8_flags.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: { output: { type: "string", default: "dist/myelin" }, target: { type: "string" } },
});

async function compile(env: Record<string, string>): Promise<{ success: boolean; stderr: string }> {
  const args = [
    "compile",
    "--quiet",
    "--frozen",
    "--no-prompt",
    "--allow-all",
    "--unstable-worker-options",
    "--unstable-raw-imports",
    `--v8-flags=${V8_FLAGS.join(",")}`,
    "--include",
    "src/sheath/main.ts",
    "--output",
    values.output,
    ...(values.target === undefined ? [] : ["--target", values.target]),
    "main.ts",
  ];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    env,
    stdout: "inherit",
    stderr: "piped",
  })
    .output();
  return { success, stderr: new TextDecoder().decode(stderr) };
}

await Deno.mkdir("dist", { recursive: true });
let result = await compile({});
if (
  !result.success && Deno.env.get("DENORT_BIN") === undefined &&
  /error sending request|Download/i.test(result.stderr)
) {
  const denort = values.target === undefined ? await denortFromNpm() : undefined;
  if (denort !== undefined) {
    console.error("Deno's download server cannot be reached; taking the runtime from the npm registry");
    result = await compile({ DENORT_BIN: denort });
  }
}
if (!result.success) {
  console.error(result.stderr);
  console.error("Set DENORT_BIN to the path of a Deno compile runtime where none can be downloaded.");
  Deno.exit(1);
}
const { size } = await Deno.stat(values.output);
console.log(`${values.output}: ${(size / 1e6).toFixed(0)} MB`);
