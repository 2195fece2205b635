/** What the model is told before its older messages are summarised. */
import notice from "../../prompts/tasks/space_notice.md" with { type: "text" };
import prepare from "../../prompts/tasks/space_prepare.md" with { type: "text" };

/** `percent` of the window in use. */
export function noticeText(percent: number): string {
  return notice.replace("{{percent}}", String(percent));
}

export const PREPARE = prepare;
