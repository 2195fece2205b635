/** What the model sees besides the conversation. */
export {
  foldersFromRoot,
  type Instructions,
  type InstructionsInput,
  loadInstructions,
} from "./instructions.ts";
export { joinSections, type RenderedSection, renderSections } from "./prompt.ts";
export type { InstructionFile, PromptInput, Section } from "./section.ts";
export { sections } from "./sections/mod.ts";
