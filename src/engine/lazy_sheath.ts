/**
 * The sheath, not before it is needed: neither its code nor its worker may
 * hold up the first request. `warm` starts both when that is on its way.
 */
import { errorResult, type ToolResult } from "../agent/tool.ts";
import { describe } from "../lib/errors.ts";
import type { Sheath } from "../sandbox/mod.ts";
import type { SheathPort } from "./tools.ts";

/** A sheath that is opened when it is needed. */
export interface LazySheath extends SheathPort {
  /** Prepares everything but the worker. */
  open(): void;
  warm(): void;
  /** Ends every program at once, for an exit that waits for nothing. */
  abandon(): void;
  close(): Promise<void>;
}

/** `open` makes it; `onOpen` is told once it is there. */
export function lazySheath(
  open: () => Promise<Sheath<ToolResult>>,
  onOpen: (sheath: Sheath<ToolResult>) => void,
): LazySheath {
  let opening: Promise<Sheath<ToolResult>> | undefined;
  let opened: Sheath<ToolResult> | undefined;
  const get = () =>
    opening ??= open().then((sheath) => {
      opened = sheath;
      onOpen(sheath);
      return sheath;
    });
  return {
    async run(name, args, context) {
      let sheath: Sheath<ToolResult>;
      try {
        sheath = await get();
      } catch (error) {
        return errorResult(`The sandbox could not be started: ${describe(error)}`);
      }
      return await sheath.run(name, args, context);
    },
    open: () => void get().catch(() => {/* the first call tells */}),
    warm: () => void get().then((sheath) => sheath.warm()).catch(() => {/* the first call tells */}),
    abandon: () => opened?.killAll(),
    close: async () => {
      // A failure to open was told by the call that met it.
      const sheath = await opening?.catch(() => undefined);
      await sheath?.close();
    },
  };
}
