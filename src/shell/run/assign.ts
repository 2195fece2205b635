/** Assignments: of texts, of elements, of whole arrays. */
import { ExpansionError, type Run } from "../expand/config.ts";
import { singleQuote } from "../expand/quote.ts";
import { ASSOC, IndexedArray, scalarOf } from "../expand/variable.ts";
import type { ArrayItem, Assign, Word } from "../syntax/mod.ts";
import { trace, tracedValue } from "./xtrace.ts";
import { isRun } from "./process.ts";
import type { Shell } from "./shell.ts";

/** Assigns at once where nothing waits and the form is simple; false: use {@link assign}. */
export function quickAssign(sh: Shell, a: Assign): boolean {
  if (a.value === undefined || a.index !== undefined) return false;
  const value = sh.expander.quickText(a.value);
  if (value === undefined) return false;
  sh.vars.assign(a.name, value, a.append);
  return true;
}

/** Assigns; `set -x` shows it first. */
export function* assign(sh: Shell, a: Assign): Run<void> {
  const show = (text: string) => sh.options.xtrace && trace(sh, text);
  const sign = a.append ? "+=" : "=";
  if (a.array !== undefined) {
    show(a.text);
    return yield* assignArray(sh, a);
  }
  const value = yield* sh.expander.assigned(a.value!);
  if (a.index === undefined) {
    show(`${a.name}${sign}${tracedValue(value)}`);
    return sh.vars.assign(a.name, value, a.append);
  }
  const key = yield* sh.expander.key(a.name, a.index.word);
  if (key === "") throw new ExpansionError(`${a.name}[${a.index.word.text}]: bad array subscript`);
  show(`${a.name}[${a.index.word.text}]${sign}${tracedValue(value)}`);
  sh.vars.assignElement(a.name, key, value, a.append);
}

export function* assignArray(sh: Shell, a: Assign): Run<void> {
  if (a.index !== undefined) {
    sh.warn(`${a.name}[${a.index.word.text}]: cannot assign list to array member`);
    sh.status = sh.substitutionStatus = 1;
    return;
  }
  const target = sh.vars.target(a.name);
  const variable = sh.vars.get(target);
  const assoc = variable !== undefined && (variable.value instanceof Map || (variable.flags & ASSOC) !== 0);
  const items = assoc
    ? yield* assocItems(sh, target, a.array!)
    : yield* indexedItems(sh, target, a.array!, a.append);
  if (items !== undefined) sh.vars.assignArray(a.name, items, a.append);
}

/** The same assignment with everything in it expanded, for a trace that shows it before it happens. */
export function* settledArray(sh: Shell, a: Assign, keyed: boolean): Run<Assign> {
  const list = a.array!;
  const assoc = keyed || sh.vars.get(a.name)?.value instanceof Map;
  // Keys and values in turn are not split: they stay as they are.
  if (assoc && list.length > 0 && list[0].index === undefined) return a;
  const items: ArrayItem[] = [];
  const texts: string[] = [];
  for (const item of list) {
    if (item.index === undefined) {
      const fields = sh.expander.fields([item.value]);
      for (const f of isRun(fields) ? yield* fields : fields) {
        items.push({ append: false, value: literal(f) });
        texts.push(singleQuote(f));
      }
      continue;
    }
    const value = yield* sh.expander.assigned(item.value);
    const key = assoc ? yield* sh.expander.text(item.index.word) : undefined;
    const index = key === undefined ? item.index : { ...item.index, word: literal(key) };
    items.push({ index, append: item.append, value: literal(value) });
    texts.push(
      `[${key === undefined ? index.word.text : singleQuote(key)}]${item.append ? "+" : ""}=${
        singleQuote(value)
      }`,
    );
  }
  return { ...a, array: items, text: `${a.name}${a.append ? "+" : ""}=(${texts.join(" ")})` };
}

function literal(text: string): Word {
  return { parts: [{ kind: "quoted", text }], text: singleQuote(text), line: 0, plain: undefined };
}

type Item = [key: string | number | undefined, value: string, append: boolean];

function* indexedItems(
  sh: Shell,
  name: string,
  list: readonly ArrayItem[],
  append: boolean,
): Run<Item[] | undefined> {
  const items: Item[] = [];
  const words = [];
  let plain = true;
  for (const item of list) {
    if (item.index !== undefined) plain = false;
    else words.push(item.value);
  }
  if (plain) {
    const fields = sh.expander.fields(words);
    for (const f of isRun(fields) ? yield* fields : fields) items.push([undefined, f, false]);
    return items;
  }
  // Values are expanded first; keys when their turn to be assigned comes: they may use what came before.
  const values: string[][] = [];
  for (const item of list) {
    if (item.index !== undefined) values.push([yield* sh.expander.assigned(item.value)]);
    else {
      const fields = sh.expander.fields([item.value]);
      values.push(isRun(fields) ? yield* fields : fields);
    }
  }
  const variable = sh.vars.get(name);
  if (!append) sh.vars.assignArray(name, [], false);
  let next = !append
    ? 0
    : variable?.value instanceof IndexedArray
    ? variable.value.end
    : scalarOf(variable?.value) !== undefined
    ? 1
    : 0;
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (item.index === undefined) {
      for (const f of values[i]) sh.vars.assignElement(name, next++, f);
      continue;
    }
    if (item.index.word.parts.length === 0) {
      sh.warn(`[]=${values[i][0]}: bad array subscript`);
      continue;
    }
    let key = Number(yield* sh.expander.key(name, item.index.word));
    if (key < 0) {
      const now = sh.vars.get(name)?.value;
      key += now instanceof IndexedArray ? now.end : 0;
      if (key < 0) {
        sh.warn(`[${item.index.word.text}]=${values[i][0]}: bad array subscript`);
        continue;
      }
    }
    sh.vars.assignElement(name, key, values[i][0], item.append);
    next = key + 1;
  }
  return undefined;
}

function* assocItems(sh: Shell, name: string, list: readonly ArrayItem[]): Run<Item[]> {
  const items: Item[] = [];
  if (list.length > 0 && list[0].index === undefined) {
    // Keys and values in turn; no field is split.
    for (let i = 0; i < list.length; i += 2) {
      const key = yield* sh.expander.text(list[i].value);
      items.push([key, i + 1 < list.length ? yield* sh.expander.text(list[i + 1].value) : "", false]);
    }
    return items;
  }
  for (const item of list) {
    if (item.index === undefined) {
      sh.warn(`${name}: ${item.value.text}: must use subscript when assigning associative array`);
      continue;
    }
    const key = yield* sh.expander.text(item.index.word);
    const value = yield* sh.expander.assigned(item.value);
    if (key === "") sh.warn(`['']=${singleQuote(value)}: bad array subscript`);
    else items.push([key, value, item.append]);
  }
  return items;
}
