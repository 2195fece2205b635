/** `/permissions`: the rules in force. */
import type { Command } from "./shared/command.ts";

export const permissions: Command = {
  name: "permissions",
  summary: "The rules in force",
  args: [],
  during: "any",
  async run(_, { snapshot, say }) {
    const { permissions } = await snapshot();
    const rules = (["deny", "ask", "allow"] as const).flatMap((kind) =>
      permissions[kind].map((rule) => `${kind.padEnd(6)} ${rule}`)
    );
    say([
      `sandbox ${permissions.sandbox}, approvals: ${permissions.approve}`,
      ...(rules.length > 0 ? rules : ["No rules of your own"]),
      "Why a thing is allowed or not: myelin sandbox explain PATH|COMMAND",
    ].join("\n"));
  },
};
