/**
 * `fetch`: the side that reads what came, in the sheath: whoever wrote the
 * page has no say here. The content is told to be foreign text.
 */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { grouped } from "../../lib/text/count.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { clipBytes, utf8Length } from "../shared/limit_output.ts";
import type { Fetched, SheathDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };

/** `fetch` asks the main isolate; absent where there is no way to the network. */
type FetchDeps = Pick<SheathDeps, "fetch" | "limits" | "poll">;

/** HTML beyond this is not turned into markdown: it could not be stopped while it is. */
const MAX_HTML = 1 << 20;

/** An HTTP status from 400 on is an error result that still shows what came. */
export function create(deps: FetchDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      const { url, offset = 0 } = args.value;
      if (deps.fetch === undefined) return errorResult("There is no way to the network here");
      const answer = await deps.fetch(/^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `https://${url}`);
      deps.poll();
      if (!answer.ok) {
        const text = `Cannot fetch ${visible(url)}: ${visible(answer.problem)}`;
        return errorResult(text, answer.denied === undefined ? {} : { denied: answer.denied });
      }
      const { fetched } = answer;
      const text = await textOf(fetched);
      const head = `${visible(clipBytes(fetched.url, 1000))}: ${fetched.status}, ${
        visible(clipBytes(fetched.type || "no type", 100))
      }, ${grouped(fetched.body.length)} bytes${fetched.cut ? " (cut there)" : ""}\n\n`;
      if (text === undefined) return textResult(`${head.trimEnd()}: binary, not shown`);
      const shown = page(text, offset, Math.max(512, deps.limits.outputBytes - utf8Length(head) - 100));
      const body = head + shown;
      return fetched.status >= 400 ? errorResult(body) : textResult(body, {
        view: { type: "text", title: visible(fetched.url), text: shown },
      });
    },
  };
}

/** Part of a text from a character on, with the way to the rest. */
function page(text: string, offset: number, maxBytes: number): string {
  if (offset > 0 && offset >= text.length) {
    return `[offset ${offset} is past the end: ${grouped(text.length)} characters]`;
  }
  const from = offset > 0 && (text.charCodeAt(offset) & 0xfc00) === 0xdc00 ? offset - 1 : offset;
  const part = clipBytes(text.slice(from), maxBytes);
  const next = from + part.length;
  const more = next < text.length
    ? `\n[… ${grouped(text.length - next)} more characters: offset ${next} reads on …]`
    : "";
  return (part === "" ? "(empty)" : part) + more;
}

/** The content to be read; undefined for what is no text. */
async function textOf({ type, body, url }: Fetched): Promise<string | undefined> {
  const media = type.split(";")[0].trim().toLowerCase();
  const html = /^(text\/html|application\/xhtml\+xml)$/.test(media) ||
    (media === "" && /^\s*<(!doctype html|html)/i.test(new TextDecoder().decode(body.subarray(0, 200))));
  const isText = html || media === "" ||
    /^text\/|[/+](json|xml|yaml|javascript|ecmascript|toml|x-sh|graphql)$/.test(media);
  if (!isText || (media === "" && body.subarray(0, 1024).includes(0))) return undefined;
  const decoded = decode(body, type, html);
  if (decoded.includes("\0")) return undefined;
  if (!html) return visible(decoded);
  const { toMarkdown } = await import("./to_markdown.ts");
  return visible(toMarkdown(decoded.slice(0, MAX_HTML), url));
}

/** By the charset that was sent, or that the page names, else UTF-8. */
function decode(body: Uint8Array, type: string, html: boolean): string {
  const named = /charset=["']?([\w-]+)/i.exec(type)?.[1] ??
    (html
      ? /<meta[^>]{0,200}charset=["']?([\w-]+)/i.exec(new TextDecoder().decode(body.subarray(0, 2048)))?.[1]
      : undefined);
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(named ?? "utf-8");
  } catch {
    decoder = new TextDecoder(); // A charset that nobody knows.
  }
  return decoder.decode(body);
}
