/** What the command line says of all conversations of a chat. */
export interface ChatOptions {
  readonly model?: string;
  readonly thinking?: string;
  readonly cwd: string;
  readonly sandbox?: string;
  readonly approve?: string;
  readonly maxSteps?: number;
  readonly budgetUsd?: number;
  readonly tools?: readonly string[];
}
