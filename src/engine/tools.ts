/** The tools of a run: the chosen entries, and where each call goes (the sheath, or a body in this isolate). */
import { errorResult, type ToolBody, type ToolContext, type ToolResult, type Tools } from "../agent/tool.ts";
import { AppError } from "../lib/errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { MainDeps, MainTool, Tool } from "../tools/mod.ts";

/** What runs calls of the sheath's tools. */
export interface SheathPort {
  run(name: string, args: unknown, context: SheathContext): Promise<ToolResult>;
}

/** Calls of one `session` share a shell and a ledger; default: those of the session itself. */
export type SheathContext = ToolContext & { readonly session?: string };

/** Which tools are offered. */
export interface ToolChoice {
  readonly set: "core" | "full";
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  /** From the command line: exactly these. */
  readonly only?: readonly string[];
  /** Whether there is somebody at an interface. */
  readonly people?: boolean;
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
  return all.filter(({ name, set, needs }) => {
    if (needs === "person" && choice.people !== true) return false;
    if (choice.only !== undefined) return choice.only.includes(name);
    if (choice.disable.includes(name)) return false;
    return set === "core" || choice.set === "full" || choice.enable.includes(name);
  });
}

/** The tools of a host that embeds the program, beside the built-in ones or in their place. */
export function withHostTools(builtIn: readonly Tool[], added: readonly MainTool[]): readonly Tool[] {
  const names = new Set(added.map((tool) => tool.name));
  return [...builtIn.filter((tool) => !names.has(tool.name)), ...added];
}

/** Joins them with what runs them. `ports` is asked for at the first call of a tool of this isolate. */
export function joinTools(tools: readonly Tool[], sheath: SheathPort, ports: () => Promise<MainDeps>): Tools {
  const bodies = new Map<string, Promise<ToolBody>>();
  const bodyOf = (tool: MainTool): Promise<ToolBody> => {
    let body = bodies.get(tool.name);
    if (body === undefined) {
      body = Promise.all([tool.body(), ports()]).then(([loaded, deps]) => loaded.create(deps));
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
