/** A real sheath, without a session, for measuring calls in it. */
import { errorResult, type ToolResult } from "../../src/agent/tool.ts";
import { openSheath, preparePolicy, type Sheath } from "../../src/sandbox/mod.ts";

/** Opens one over `ws` below the folder; `exec`: how external programs are started. */
export async function openBenchSheath(root: string, exec?: "os" | "allow"): Promise<Sheath<ToolResult>> {
  return openSheath<ToolResult>({
    workerUrl: new URL("../../src/sheath/main.ts", import.meta.url),
    policy: await preparePolicy({
      mode: "workspace",
      workspace: `${root}/ws`,
      ...(exec === undefined ? {} : { exec }),
      approve: "never",
      home: `${root}/home`,
      ownFolder: `${root}/home/.myelin`,
    }),
    env: ["PATH"],
    environment: { PATH: "/usr/bin:/bin" },
    failure: (text) => errorResult(text),
    notice: (_level, text) => console.error(text),
  });
}
