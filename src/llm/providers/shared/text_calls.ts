/**
 * Tool calls that a model wrote into its text, as small local models do: the
 * forms that models were taught, read only when they are whole. What counts as
 * a call and what only speaks of one is decided in text_hold.ts. A text that
 * is nothing but a JSON object counts where it names a tool that is offered.
 * What follows the calls is dropped: models like to go on with results that
 * they made up.
 */
import { isRecord } from "../../../lib/json.ts";
import type { ToolDeclaration } from "../../provider.ts";

/** A call that can be run as it is. */
interface TextCall {
  readonly name: string;
  /** JSON text of an object. */
  readonly arguments: string;
}

/** What the text from the first mark on comes to. */
type TextCalls =
  | { readonly kind: "calls"; readonly calls: readonly TextCall[]; readonly length: number }
  /** It begins like a call and is none that could be run. */
  | { readonly kind: "unfinished" }
  /** Prose that only looks like it. */
  | { readonly kind: "none" };

type Tools = readonly ToolDeclaration[];

/** What stands around calls. `loose`: others write it too, so that what cannot be read in it is no call. */
const WRAPPERS: readonly { readonly open: string; readonly close: string; readonly loose?: true }[] = [
  { open: "<tool_call>", close: "</tool_call>" },
  { open: "<function_call>", close: "</function_call>" },
  { open: "<tool_calls>", close: "</tool_calls>", loose: true },
  { open: "<function_calls>", close: "</function_calls>", loose: true },
  { open: "<tools>", close: "</tools>", loose: true },
  { open: "<minimax:tool_call>", close: "</minimax:tool_call>" },
  { open: "<|tool_calls_section_begin|>", close: "<|tool_calls_section_end|>" },
  { open: "<|tool_call_begin|>", close: "<|tool_call_end|>" },
  { open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>" },
  { open: "<｜tool▁call▁begin｜>", close: "<｜tool▁call▁end｜>" },
];

/** What stands before JSON, or before a name and JSON, without an end of its own. */
const PREFIXES = ["[TOOL_CALLS]", "<|python_tag|>", "<|tool_call|>"] as const;

/** Calls with their parameters as elements. */
const ELEMENTS = [
  {
    mark: "<function=",
    head: /^<function=([\w.-]+)>/,
    parameter: /^<parameter=([\w.-]+)>/,
    close: "</function>",
  },
  {
    mark: "<invoke name=",
    head: /^<invoke name="([\w.-]+)">/,
    parameter: /^<parameter name="([\w.-]+)"[^>\n]*>/,
    close: "</invoke>",
  },
] as const;

/** How calls begin. */
export const MARKS: readonly string[] = [
  ...WRAPPERS.map(({ open }) => open),
  ...PREFIXES,
  ...ELEMENTS.map(({ mark }) => mark),
];

/** How many closing tags are tried: the arguments may hold some, and hostile text many. */
const MAX_TRIES = 32;
/** Wrappers in wrappers. */
const MAX_DEPTH = 2;

/** Reads the text from the first mark on. */
export function readTextCalls(text: string, tools: Tools): TextCalls {
  const calls: TextCall[] = [];
  const start = text.length - text.trimStart().length;
  let rest = text.slice(start);
  const found = (): TextCalls => ({ kind: "calls", calls, length: text.length - rest.length });
  if (rest.startsWith("{")) {
    const named = readJson(rest.trim(), tools)?.filter(({ name }) => isOffered(name, tools)) ?? [];
    return named.length > 0 ? { kind: "calls", calls: named, length: text.length } : { kind: "none" };
  }
  while (MARKS.some((mark) => rest.startsWith(mark))) {
    const one = readOne(rest, tools, 0);
    if (one === undefined) {
      if (calls.length > 0) return found();
      return WRAPPERS.some(({ open, loose }) => loose && rest.startsWith(open))
        ? { kind: "none" }
        : { kind: "unfinished" };
    }
    const after = rest.slice(one.length);
    // Prose on the same line: the markup is spoken of.
    if (!/^[ \t]*(?:\r?\n|$|<|\[)/.test(after)) return calls.length > 0 ? found() : { kind: "none" };
    calls.push(...one.calls);
    rest = after.trimStart();
  }
  return calls.length > 0 ? found() : { kind: "none" };
}

/** True when a text ends with whole calls of tools that are offered, in the middle of a line. For telling, not for running. */
export function endsInCall(text: string, tools: Tools): boolean {
  const end = text.trimEnd();
  for (const mark of MARKS) {
    const at = end.indexOf(mark);
    if (at <= 0 || /[`"'\n]/.test(end[at - 1])) continue;
    const read = readTextCalls(end.slice(at), tools);
    if (read.kind !== "calls" || read.length < end.length - at) continue;
    if (read.calls.every(({ name }) => isOffered(name, tools))) return true;
  }
  return false;
}

interface One {
  readonly calls: readonly TextCall[];
  /** Characters of the text that it takes. */
  readonly length: number;
}

function readOne(text: string, tools: Tools, depth: number): One | undefined {
  const wrapper = WRAPPERS.find(({ open }) => text.startsWith(open));
  if (wrapper !== undefined) {
    if (depth >= MAX_DEPTH) return undefined;
    return enclosed(text, wrapper, (body) => readBody(body.trim(), tools, depth + 1));
  }
  const prefix = PREFIXES.find((mark) => text.startsWith(mark));
  return prefix === undefined ? readElement(text, tools) : readPrefixed(text, prefix, tools);
}

/** What stands between two tags; a closing tag inside a text of the body is none. */
function enclosed(
  text: string,
  { open, close }: { readonly open: string; readonly close: string },
  read: (body: string) => readonly TextCall[] | undefined,
): One | undefined {
  let at = text.indexOf(close);
  for (let tries = 0; at >= 0 && tries < MAX_TRIES; tries++) {
    const calls = read(text.slice(open.length, at));
    if (calls !== undefined) return { calls, length: at + close.length };
    at = text.indexOf(close, at + 1);
  }
  return undefined;
}

function readBody(body: string, tools: Tools, depth: number): readonly TextCall[] | undefined {
  return readJson(body, tools) ?? readNamed(body, tools) ?? readPairs(body, tools) ??
    readSequence(body, tools, depth);
}

/** Calls one after another and nothing else. */
function readSequence(text: string, tools: Tools, depth: number): readonly TextCall[] | undefined {
  const calls: TextCall[] = [];
  for (let rest = text; rest !== "";) {
    const one = readOne(rest, tools, depth);
    if (one === undefined) return undefined;
    calls.push(...one.calls);
    rest = rest.slice(one.length).trimStart();
  }
  return calls.length > 0 ? calls : undefined;
}

/** `name{…}` and `name[ARGS]{…}`, or JSON of one call or a list. */
function readPrefixed(text: string, prefix: string, tools: Tools): One | undefined {
  const body = text.slice(prefix.length);
  const named = /^\s*([\w.-]+)\s*(?:\[ARGS\])?\s*(?=\{)/.exec(body);
  const json = named === null ? body : body.slice(named[0].length);
  const end = jsonEnd(json);
  if (end === undefined) return undefined;
  const raw = json.slice(0, end);
  const calls = named === null ? readJson(raw, tools) : [{ name: ownName(named[1], tools), arguments: raw }];
  return calls === undefined ? undefined : { calls, length: prefix.length + (named?.[0].length ?? 0) + end };
}

const SEPARATOR =
  /^(?:function<｜tool▁sep｜>)?([\w.-]+(?::\d+)?)\s*(?:<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|\n)\s*/;

/** A name, a separator, and JSON, perhaps in a fence. */
function readNamed(text: string, tools: Tools): readonly TextCall[] | undefined {
  const head = SEPARATOR.exec(text);
  if (head === null) return undefined;
  const raw = text.slice(head[0].length).trim();
  const args = parsed(/^```(?:json)?\s*([\s\S]*?)\s*```$/.exec(raw)?.[1] ?? raw);
  if (!isRecord(args)) return undefined;
  return [{ name: ownName(head[1].replace(/:\d+$/, ""), tools), arguments: JSON.stringify(args) }];
}

/** A name, then keys and values in elements of their own. */
function readPairs(text: string, tools: Tools): readonly TextCall[] | undefined {
  const head = /^([\w.-]+)\s*/.exec(text);
  if (head === null) return undefined;
  const name = ownName(head[1], tools);
  const args: Record<string, unknown> = {};
  let rest = text.slice(head[0].length);
  if (rest === "" && !isOffered(name, tools)) return undefined;
  while (rest !== "") {
    const key = /^<arg_key>\s*([\w.-]+)\s*<\/arg_key>\s*<arg_value>/.exec(rest);
    const end = key === null ? -1 : rest.indexOf("</arg_value>", key[0].length);
    if (key === null || end < 0) return undefined;
    args[key[1]] = typed(rest.slice(key[0].length, end), key[1], name, tools);
    rest = rest.slice(end + "</arg_value>".length).trimStart();
  }
  return [{ name, arguments: JSON.stringify(args) }];
}

/** One call or a list of them as JSON. */
function readJson(text: string, tools: Tools): readonly TextCall[] | undefined {
  const value = parsed(text);
  const list = Array.isArray(value)
    ? value
    : isRecord(value) && Array.isArray(value.tool_calls)
    ? value.tool_calls
    : [value];
  const calls: TextCall[] = [];
  for (const raw of list) {
    const one = isRecord(raw) && isRecord(raw.function) ? raw.function : raw;
    if (!isRecord(one)) return undefined;
    const name = one.name ?? one.tool;
    if (typeof name !== "string" || name === "") return undefined;
    const args = one.arguments ?? one.parameters ?? one.args ?? one.input ?? {};
    const whole = typeof args === "string" ? parsed(args) : args;
    if (!isRecord(whole)) return undefined;
    calls.push({ name: ownName(name, tools), arguments: JSON.stringify(whole) });
  }
  return calls.length > 0 ? calls : undefined;
}

/** A call as an element: its parameters as elements up to its end, or all of them as JSON. */
function readElement(text: string, tools: Tools): One | undefined {
  const form = ELEMENTS.find(({ mark }) => text.startsWith(mark));
  const head = form?.head.exec(text);
  if (form === undefined || !head) return undefined;
  const name = ownName(head[1], tools);
  const args: Record<string, unknown> = {};
  let at = head[0].length + spaceAt(text, head[0].length);
  if (text[at] === "{") {
    const end = jsonEnd(text.slice(at)) ?? 0;
    const value = parsed(text.slice(at, at + end));
    const close = at + end + spaceAt(text, at + end);
    if (!isRecord(value) || !text.startsWith(form.close, close)) return undefined;
    return { calls: [{ name, arguments: JSON.stringify(value) }], length: close + form.close.length };
  }
  for (;; at += spaceAt(text, at)) {
    if (text.startsWith(form.close, at)) {
      return { calls: [{ name, arguments: JSON.stringify(args) }], length: at + form.close.length };
    }
    const parameter = form.parameter.exec(text.slice(at));
    if (parameter === null) return undefined;
    const from = at + parameter[0].length;
    const end = text.indexOf("</parameter>", from);
    if (end < 0) return undefined;
    // The line ends next to the tags belong to the markup.
    const value = text.slice(from, end).replace(/^\r?\n/, "").replace(/\r?\n$/, "");
    args[parameter[1]] = typed(value, parameter[1], name, tools);
    at = end + "</parameter>".length;
  }
}

function spaceAt(text: string, at: number): number {
  let end = at;
  while (/\s/.test(text.charAt(end))) end++;
  return end - at;
}

function isOffered(name: string, tools: Tools): boolean {
  return tools.some((tool) => tool.name === name);
}

/** The name of a tool that is offered, where the model put what it was taught before it. */
function ownName(name: string, tools: Tools): string {
  const own = name.replace(/^(?:functions|tools)\./, "");
  return own !== name && isOffered(own, tools) ? own : name;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value by its schema: what is no text is JSON. */
function typed(value: string, key: string, name: string, tools: Tools): unknown {
  const properties = tools.find((tool) => tool.name === name)?.schema.properties;
  const schema = isRecord(properties) ? properties[key] : undefined;
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
