/** Colours of code. The highlighter is loaded when the first block with a language is drawn; until then code is plain. */
import type { Theme } from "./theme.ts";

interface Highlighter {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { readonly language: string; readonly ignoreIllegals: boolean }): {
    readonly value: string;
  };
}

let loaded: Highlighter | undefined;
let loading: Promise<void> | undefined;

/** Loads the highlighter; resolves when it is there. */
export function loadHighlighter(): Promise<void> {
  return loading ??= import("highlight.js/lib/common").then((module) => {
    loaded = module.default as unknown as Highlighter;
  });
}

/** Whether colours can be had now. */
export const canHighlight = (): boolean => loaded !== undefined;

const ROLE_OF: readonly (readonly [RegExp, Parameters<Theme["paint"]>[0]])[] = [
  [/^hljs-(keyword|literal|selector-tag|doctag|name|section|meta)/, "keyword"],
  [/^hljs-(string|regexp|char|addition)/, "string"],
  [/^hljs-(number|symbol|bullet|variable|template-variable)/, "number"],
  [/^hljs-(comment|quote)/, "comment"],
  [/^hljs-(title|type|built_in|attr|attribute|property)/, "title"],
  [/^hljs-deletion/, "removed"],
];

/** The lines of a block of code in colour; plain where the language is unknown or nothing is loaded yet. */
export function highlightLines(code: string, language: string, theme: Theme): string[] {
  if (loaded === undefined || language === "" || loaded.getLanguage(language) === undefined) {
    return code.split("\n");
  }
  try {
    return toLines(loaded.highlight(code, { language, ignoreIllegals: true }).value, theme);
  } catch {
    // A grammar that stumbles over a text is no reason not to show it.
    return code.split("\n");
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&#x27;": "'",
};

/** From nested spans to lines, each with styles of its own. */
function toLines(html: string, theme: Theme): string[] {
  const lines: string[] = [];
  const open: (Parameters<Theme["paint"]>[0] | undefined)[] = [];
  let line = "";
  for (
    const [token] of html.matchAll(
      /<span class="[^"]*">|<\/span>|&(?:lt|gt|amp|quot|#x27);|\n|[^<&\n]+|[<&]/g,
    )
  ) {
    if (token.startsWith("<span")) {
      const name = token.slice(13, -2);
      open.push(ROLE_OF.find(([pattern]) => pattern.test(name))?.[1] ?? open.at(-1));
    } else if (token === "</span>") open.pop();
    else if (token === "\n") {
      lines.push(line);
      line = "";
    } else {
      const text = ENTITIES[token] ?? token;
      const role = open.at(-1);
      line += role === undefined ? text : theme.paint(role, text);
    }
  }
  lines.push(line);
  return lines;
}
