/** `/status`: the session, the model and what binds it. */
import type { Command } from "./shared/command.ts";
import { tokens } from "./shared/words.ts";

export const status: Command = {
  name: "status",
  summary: "The session, the model and what binds it",
  args: [],
  during: "any",
  async run(_, { snapshot, say }) {
    const { session, model, thinking, context, permissions, queue } = await snapshot();
    say([
      `session      ${session.id}${session.title === null ? "" : ` (${session.title})`}`,
      `file         ${session.file ?? "nothing is kept"}`,
      `folder       ${session.cwd}`,
      `model        ${model}${thinking === null ? "" : `, thinking ${thinking}`}`,
      `context      ${tokens(context)}`,
      `sandbox      ${permissions.sandbox}, approvals: ${permissions.approve}`,
      ...(queue.length === 0 ? [] : [`waiting      ${queue.length} message${queue.length === 1 ? "" : "s"}`]),
    ].join("\n"));
  },
};
