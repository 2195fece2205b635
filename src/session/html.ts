/** A session as one HTML page that needs nothing beside itself: no scripts, no addresses, pictures inside. */
import type { ContentPart } from "../llm/message.ts";
import type { SessionView } from "./session.ts";
import { transcript, type TranscriptItem } from "./transcript.ts";

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
h1 { font-size: 1.4rem } dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: #666 } dd { margin: 0 }
section { margin: 1rem 0; padding: .5rem 1rem; border-left: 4px solid #ccc } section.user { border-color: #37c; background: #f4f8ff }
section.note { color: #666 } h2 { font-size: .8rem; margin: 0; color: #666; font-weight: 600 } p, pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0 }
pre { font: 13px/1.4 ui-monospace, monospace; background: #f6f6f6; padding: .5rem } details.failed > summary { color: #b00 } img { max-width: 100% }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b } section.user { background: #202836 } pre { background: #262626 } }
`.trim();

/** The page. `images` gives the pictures of an entry, with their bytes. */
export function toHtml(
  view: SessionView,
  images: (entryId: string) => readonly ContentPart[] = () => [],
): string {
  const { title, model } = view.projection;
  const name = escape(title ?? `Session ${view.id}`);
  const facts = [["session", view.id], ["workspace", view.cwd], ["begun", view.header.at], ["model", model]]
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([key, value]) => `<dt>${key}</dt><dd>${escape(String(value))}</dd>`).join("");
  const body = transcript(view).map((item) => section(item, images)).filter((text) => text !== "").join("\n");
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${name}</title><style>${STYLE}</style></head>
<body>
<h1>${name}</h1>
<dl>${facts}</dl>
${body}
</body>
</html>
`;
}

function section(item: TranscriptItem, images: (entryId: string) => readonly ContentPart[]): string {
  switch (item.type) {
    case "user":
      return block("user", "User", paragraph(item.text) + pictures(images(item.entryId)));
    case "assistant": {
      const thinking = item.thinking === ""
        ? ""
        : `<details><summary>Thinking</summary>${paragraph(item.thinking)}</details>`;
      if (item.text === "" && thinking === "") return "";
      return block("assistant", escape(item.model), thinking + paragraph(item.text));
    }
    case "note":
      return block("note", "Note", paragraph(item.text));
    case "run_end":
      return item.reason === "stop"
        ? ""
        : block("note", "Run ended", paragraph(`${item.reason}${item.error ? `: ${item.error}` : ""}`));
    case "call": {
      const { result } = item;
      const state = result === undefined ? " (no result)" : result.isError ? " (failed)" : "";
      const text = result === undefined ? "" : `<pre>${escape(result.text)}</pre>`;
      return `<details class="${result?.isError ? "failed" : "call"}"><summary>${
        escape(item.name)
      }${state} ` +
        `<code>${escape(item.arguments.slice(0, 100))}</code></summary>` +
        `<pre>${escape(item.arguments)}</pre>${text}</details>`;
    }
  }
}

function block(kind: string, title: string, inner: string): string {
  return `<section class="${kind}"><h2>${title}</h2>${inner}</section>`;
}

function paragraph(text: string): string {
  return text === "" ? "" : `<p>${escape(text)}</p>`;
}

/** Only what is plainly base64 of a picture becomes one. */
function pictures(parts: readonly ContentPart[]): string {
  return parts.map((part) =>
    part.type === "image" && /^image\/(png|jpeg|gif|webp|bmp)$/.test(part.mediaType) &&
      /^[A-Za-z0-9+/=]+$/.test(part.data)
      ? `<img alt="" src="data:${part.mediaType};base64,${part.data}">`
      : ""
  ).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (sign) => ENTITIES[sign]);
}
