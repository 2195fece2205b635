/** The sample project of `demo/tour`, laid out in a folder of its own, so that the scripted model touches nothing of the user's. */
import { loadSample } from "../llm/mod.ts";

export interface Demo {
  /** The folder; it stays, to be looked at. */
  readonly cwd: string;
  readonly prompt: string;
}

export async function prepareDemo(): Promise<Demo> {
  const { files, prompt } = await loadSample();
  const cwd = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "myelin-tour-" }));
  for (const { path, content, mode } of files) {
    const full = `${cwd}/${path}`;
    Deno.mkdirSync(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(full, content, { mode });
  }
  return { cwd, prompt };
}
