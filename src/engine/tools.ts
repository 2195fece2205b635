/** The tools of a run: the chosen entries, and where each call goes (the sheath, or a body in this isolate). */
import { errorResult, type ToolBody, type ToolContext, type ToolResult, type Tools } from "../agent/tool.ts";
import { AppError } from "../lib/errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { MainTool, Tool, ToolLimits } from "../tools/mod.ts";

/** What runs calls of the sheath's tools. */
export interface SheathPort {
  run(name: string, args: unknown, context: ToolContext): Promise<ToolResult>;
}

export interface ToolChoice {
  readonly set: "core" | "full";
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  /** From the command line: exactly these. */
  readonly only?: readonly string[];
}

/** The entries that a choice means, in the list's order. Throws AppError "usage" for a name that no tool has. */
export function chooseTools(all: readonly Tool[], choice: ToolChoice): Tool[] {
  const names = all.map((tool) => tool.name);
  for (const name of [...choice.enable, ...choice.disable, ...choice.only ?? []]) {
    if (names.includes(name)) continue;
    const near = nearest(name, names);
    throw new AppError("usage", `There is no tool named "${name}"`, {
      hint: near === undefined
        ? `There are ${names.join(", ")}`
        : `Did you mean "${near}"? There are ${names.join(", ")}`,
    });
  }
  return all.filter(({ name, set }) => {
    if (choice.only !== undefined) return choice.only.includes(name);
    if (choice.disable.includes(name)) return false;
    return set === "core" || choice.set === "full" || choice.enable.includes(name);
  });
}

/** Joins them with what runs them. */
export function joinTools(tools: readonly Tool[], sheath: SheathPort, limits: ToolLimits): Tools {
  const bodies = new Map<string, Promise<ToolBody>>();
  const bodyOf = (tool: MainTool): Promise<ToolBody> => {
    let body = bodies.get(tool.name);
    if (body === undefined) {
      body = tool.body().then((loaded) => loaded.create({ limits }));
      bodies.set(tool.name, body);
    }
    return body;
  };
  return {
    entries: tools,
    async run(name, args, context) {
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) return errorResult(`There is no tool named "${name}".`);
      if (tool.runsIn === "sheath") return await sheath.run(name, args, context);
      return await (await bodyOf(tool)).run(args, context);
    },
  };
}
