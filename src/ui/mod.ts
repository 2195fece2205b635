/** The interfaces that there are. */
export {
  createReporter,
  type HeadlessOptions,
  type OutputFormat,
  type Reporter,
  runHeadless,
} from "./headless/mod.ts";
export type { EnginePort, Output } from "./interface.ts";
