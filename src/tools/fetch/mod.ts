/** `fetch`: the declaration, and the side that reaches the network. */
import type { SheathTool } from "../tool.ts";
import type { Network, NetworkOptions, PermitHost } from "./network.ts";
import description from "./fetch.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

/** Not `fetch`, which is the runtime's own. Runs in the sheath, where the page is read; the main isolate gets it. */
export const fetchTool: SheathTool = {
  name: "fetch",
  description: description.trim(),
  schema,
  replay: "safe",
  effects: "read",
  runsIn: "sheath",
  set: "full",
  body: () => import("./body.ts"),
};

export type { Network, NetworkOptions, PermitHost };

/** The side of `fetch` that reaches the network: for the main isolate. */
export async function loadNetwork(options: NetworkOptions): Promise<Network> {
  return (await import("./network.ts")).createNetwork(options);
}
