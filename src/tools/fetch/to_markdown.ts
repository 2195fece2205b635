/** HTML as markdown: the page's text and structure, without what is not to be read. */
// @ts-types="./turndown.d.ts"
import TurndownService from "turndown";

const LEFT_OUT = [
  "script",
  "style",
  "noscript",
  "template",
  "iframe",
  "object",
  "svg",
  "canvas",
  "form",
  "button",
];

/** The title and the text. Relative links are put as what they mean at `base`. */
export function toMarkdown(html: string, base: string): string {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
    hr: "---",
  });
  service.remove(LEFT_OUT);
  service.addRule("link", {
    filter: (node) => node.nodeName === "A",
    replacement(content, node) {
      const text = content.trim();
      if (text === "") return "";
      const href = node.getAttribute("href");
      if (href === null || href.startsWith("#") || !URL.canParse(href, base)) return text;
      const url = new URL(href, base);
      return /^https?:$/.test(url.protocol) ? `[${text}](${url.href})` : text;
    },
  });
  // A picture as data would be nothing but noise.
  service.addRule("picture", {
    filter: "img",
    replacement(_content, node) {
      const alt = node.getAttribute("alt");
      return alt === null || alt.trim() === "" ? "" : `[picture: ${alt.trim()}]`;
    },
  });
  const title = /<title[^>]*>([^<]{1,300})<\/title>/i.exec(html)?.[1].trim();
  const text = service.turndown(html).replace(/\n{3,}/g, "\n\n").trim();
  return title === undefined || text.startsWith(`# `) ? text : `# ${unescape(title)}\n\n${text}`;
}

function unescape(text: string): string {
  return text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&#39;/g, "'")
    .replace(/&amp;/g, "&");
}
