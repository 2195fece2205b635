/** What the model sees besides the conversation: prompt, instructions, skills. What becomes of a long conversation is behind compact/mod.ts. */
export { type GitState, readGitState } from "./git_state.ts";
export { type CustomCommand, expandCommand, loadCustomCommands } from "./custom_commands.ts";
export { DOC_NAMES, readDoc } from "./docs.ts";
export {
  foldersFromRoot,
  type InstructionLoader,
  type Instructions,
  type InstructionsInput,
  openInstructions,
} from "./instructions.ts";
export { PROMPT_FILES, type PromptFiles, readPromptFiles } from "./prompt_files.ts";
export {
  changedSections,
  digestSections,
  inForce,
  joinSections,
  type RenderedSection,
  renderSections,
  type SectionDigests,
} from "./prompt.ts";
export type { InstructionFile, PromptInput, Section } from "./section.ts";
export { sections } from "./sections/mod.ts";
export { expandSkill, loadSkills, type Skill, type Skills, type SkillsInput } from "./skills.ts";
