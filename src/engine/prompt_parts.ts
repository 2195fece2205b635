/** From the parts of a prompt to what a model gets of them. */
import { grouped } from "../lib/text/count.ts";
import type { ContentPart } from "../llm/message.ts";
import type { PromptPart } from "../session/mod.ts";

/** What the model gets of a submission. A file is named, not read: the model reads what it needs. */
export function messageOf(parts: readonly PromptPart[]): ContentPart[] {
  const content: ContentPart[] = [];
  let text = "";
  const flush = () => {
    if (text !== "") content.push({ type: "text", text });
    text = "";
  };
  for (const part of parts) {
    if (part.type === "text" || part.type === "paste") text += part.text;
    else if (part.type === "file") text += part.path;
    else if (part.type === "content") {
      const size = part.size === undefined ? "" : `, ${grouped(part.size)} bytes`;
      text += ` [handed over: local://${part.name}${size}] `;
      // A picture is there to be seen; what else it is, the model reads where it wants to.
      if (part.mediaType?.startsWith("image/")) {
        flush();
        content.push({ type: "image", mediaType: part.mediaType, data: part.data });
      }
    } else if (part.type === "image" || part.type === "document") {
      // What a later version wrote and this one does not know is left out.
      flush();
      const { type, mediaType, data, name } = part;
      content.push(
        type === "image"
          ? { type, mediaType, data }
          : { type, mediaType, data, ...(name === undefined ? {} : { name }) },
      );
    }
  }
  flush();
  return content;
}
