/**
 * Tool calls that a model wrote into its text, as small local models do. Only
 * what stands on lines of its own counts, outside of code fences and indented
 * code, and only when it is whole: an answer may speak of such markup freely.
 * A text that is nothing but a JSON object counts where it names a tool that
 * is offered. What follows the calls is dropped: models like to go on with
 * results that they made up.
 */
import type { ToolDeclaration } from "../../provider.ts";
import { isRecord } from "../shared/json.ts";

export interface TextCall {
  readonly name: string;
  /** JSON text of an object. */
  readonly arguments: string;
}

/** What the text from the first mark on comes to. */
export type TextCalls =
  | { readonly kind: "calls"; readonly calls: readonly TextCall[] }
  /** It begins like a call and is none that could be run. */
  | { readonly kind: "unfinished" }
  /** Prose that only looks like it. */
  | { readonly kind: "none" };

/** How calls begin. */
const MARKS = ["<tool_call>", "<function=", "<function_call>", "[TOOL_CALLS]", "<|python_tag|>"] as const;
const FENCES = ["```", "~~~"] as const;

export interface TextHold {
  push(text: string): void;
  /** Gives out what was held back for its beginning only, and answers with the text from the first mark on ("": none). */
  end(): string;
}

/** Lets text through up to the first line that begins like a call, and holds the rest. */
export function createTextHold(onText: (text: string) => void): TextHold {
  /** The line so far, as long as nothing is known of it. */
  let line = "";
  let held: string | undefined;
  let known = false;
  let fence: string | undefined;
  /** Nothing but white space has come yet. */
  let first = true;

  function look(): "plain" | "mark" | "wait" {
    // Deeper than this, a line is code.
    const start = line.replace(/^ {1,3}/, "");
    if (first && start.trimStart() !== "") {
      first = false;
      if (start.startsWith("{")) return "mark";
    }
    const begun = FENCES.find((mark) => start.startsWith(mark));
    if (begun !== undefined) {
      if (fence === undefined) fence = begun;
      else if (fence === begun) fence = undefined;
      return "plain";
    }
    if (fence === undefined && MARKS.some((mark) => start.startsWith(mark))) return "mark";
    const candidates = fence === undefined ? [...FENCES, ...MARKS] : FENCES;
    return candidates.some((mark) => mark.startsWith(start)) ? "wait" : "plain";
  }

  return {
    push(text) {
      if (held !== undefined) {
        held += text;
        return;
      }
      for (let at = 0; at < text.length;) {
        const end = text.indexOf("\n", at);
        const piece = end < 0 ? text.slice(at) : text.slice(at, end + 1);
        at += piece.length;
        if (known) onText(piece);
        else {
          line += piece;
          const seen = look();
          if (seen === "mark") {
            held = line + text.slice(at);
            return;
          }
          if (seen === "plain" || end >= 0) {
            onText(line);
            line = "";
            known = true;
          }
        }
        if (end >= 0) known = false;
      }
    },
    end() {
      if (held !== undefined) return held;
      if (line !== "") onText(line);
      line = "";
      return "";
    },
  };
}

/** The calls in a finished text that the model wrote as prose; for telling, not for running. */
export function looksLikeCalls(text: string, tools: readonly ToolDeclaration[]): boolean {
  if (!/^\s*\{/.test(text) && !MARKS.some((mark) => text.includes(mark))) return false;
  const hold = createTextHold(() => {});
  hold.push(text);
  const held = hold.end();
  return held !== "" && readTextCalls(held, tools).kind !== "none";
}

/** Reads the text from the first mark on. */
export function readTextCalls(text: string, tools: readonly ToolDeclaration[]): TextCalls {
  const calls: TextCall[] = [];
  let rest = text.trimStart();
  if (rest.startsWith("{")) {
    const named = readJson(rest.trim())?.filter(({ name }) => tools.some((tool) => tool.name === name)) ?? [];
    return named.length > 0 ? { kind: "calls", calls: named } : { kind: "none" };
  }
  while (MARKS.some((mark) => rest.startsWith(mark))) {
    const one = readOne(rest, tools);
    if (one === undefined) return calls.length > 0 ? { kind: "calls", calls } : { kind: "unfinished" };
    const after = rest.slice(one.length);
    // Prose on the same line: the markup is spoken of.
    if (!/^[ \t]*(?:\r?\n|$|<|\[)/.test(after)) {
      return calls.length > 0 ? { kind: "calls", calls } : { kind: "none" };
    }
    calls.push(...one.calls);
    rest = after.trimStart();
  }
  return calls.length > 0 ? { kind: "calls", calls } : { kind: "none" };
}

interface One {
  readonly calls: readonly TextCall[];
  /** Characters of the text that it takes. */
  readonly length: number;
}

function readOne(text: string, tools: readonly ToolDeclaration[]): One | undefined {
  if (text.startsWith("<tool_call>")) {
    return enclosed(text, "<tool_call>", "</tool_call>", (body) => {
      const inner = body.trim();
      if (!inner.startsWith("<function=")) return readJson(inner);
      const one = readFunction(inner, tools);
      return one !== undefined && inner.slice(one.length).trim() === "" ? one.calls : undefined;
    });
  }
  if (text.startsWith("<function_call>")) {
    return enclosed(text, "<function_call>", "</function_call>", readJson);
  }
  if (text.startsWith("<function=")) return readFunction(text, tools);
  const mark = text.startsWith("[TOOL_CALLS]") ? "[TOOL_CALLS]" : "<|python_tag|>";
  const body = text.slice(mark.length);
  // name{…} and name[ARGS]{…}, or a list.
  const named = /^\s*([\w.-]+)\s*(?:\[ARGS\])?\s*(?=\{)/.exec(body);
  const json = named === null ? body : body.slice(named[0].length);
  const end = jsonEnd(json);
  if (end === undefined) return undefined;
  const raw = json.slice(0, end);
  const calls = named === null ? readJson(raw) : [{ name: named[1], arguments: raw }];
  return calls === undefined ? undefined : { calls, length: mark.length + (named?.[0].length ?? 0) + end };
}

/** What stands between two tags; a closing tag inside a text of the body is none. */
function enclosed(
  text: string,
  open: string,
  close: string,
  read: (body: string) => readonly TextCall[] | undefined,
): One | undefined {
  for (let at = text.indexOf(close); at >= 0; at = text.indexOf(close, at + 1)) {
    const calls = read(text.slice(open.length, at));
    if (calls !== undefined) return { calls, length: at + close.length };
  }
  return undefined;
}

/** One call or a list of them as JSON. */
function readJson(text: string): readonly TextCall[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const list = Array.isArray(value) ? value : [value];
  const calls: TextCall[] = [];
  for (const raw of list) {
    const one = isRecord(raw) && isRecord(raw.function) ? raw.function : raw;
    if (!isRecord(one) || typeof one.name !== "string" || one.name === "") return undefined;
    const args = one.arguments ?? one.parameters ?? {};
    const whole = typeof args === "string" ? parsed(args) : args;
    if (!isRecord(whole)) return undefined;
    calls.push({ name: one.name, arguments: JSON.stringify(whole) });
  }
  return calls.length > 0 ? calls : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `<function=NAME>` with `<parameter=KEY>` VALUE `</parameter>`, up to `</function>`. */
function readFunction(text: string, tools: readonly ToolDeclaration[]): One | undefined {
  const head = /^<function=([\w.-]+)>/.exec(text);
  if (head === null) return undefined;
  const name = head[1];
  const properties = tools.find((tool) => tool.name === name)?.schema.properties;
  const args: Record<string, unknown> = {};
  let at = head[0].length;
  for (;;) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    if (text.startsWith("</function>", at)) {
      const length = at + "</function>".length;
      return { calls: [{ name, arguments: JSON.stringify(args) }], length };
    }
    const parameter = /^<parameter=([\w.-]+)>/.exec(text.slice(at));
    if (parameter === null) return undefined;
    const from = at + parameter[0].length;
    const end = text.indexOf("</parameter>", from);
    if (end < 0) return undefined;
    // The line ends next to the tags belong to the markup.
    const value = text.slice(from, end).replace(/^\r?\n/, "").replace(/\r?\n$/, "");
    const schema = isRecord(properties) ? properties[parameter[1]] : undefined;
    args[parameter[1]] = typed(value, schema);
    at = end + "</parameter>".length;
  }
}

/** A value by its schema: what is no text is JSON. */
function typed(value: string, schema: unknown): unknown {
  const type = isRecord(schema) ? schema.type : "string";
  if (type === "string") return value;
  return parsed(value.trim()) ?? value;
}

/** Where the JSON value that a text begins with ends; undefined where it does not. */
function jsonEnd(text: string): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === "\\") i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return i + 1;
  }
  return undefined;
}
