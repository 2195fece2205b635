/** A prompt: submits it and runs to its end. */
export { runPrompt as prompt } from "../run_prompt.ts";
