/** tsort: words in an order that keeps every pair "before after". Loops are told of, cut, and the rest goes on. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { decodeBytes } from "../../lib/text/bytes.ts";
import { readAll } from "./shared/blocks.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain, quoteIfNeeded, reason } from "./shared/report.ts";

const TABLE = { options: [], usage: "[OPTION] [FILE]" };

interface Item {
  readonly name: string;
  /** Items that must come later, the newest first. */
  readonly after: Item[];
  /** How many items that must come earlier are not printed yet. */
  waits: number;
  printed: boolean;
}

export async function run(context: UtilityContext): Promise<number> {
  const { operands } = parseOptions(context, TABLE);
  if (operands.length > 1) throw new UsageError(`extra operand ${cite(operands[1])}`);
  const name = operands[0] ?? "-";
  const items = await read(context, name);
  let status = 0;
  let left = items.length;
  let ready = items.filter((item) => item.waits === 0);
  while (left > 0) {
    context.poll();
    for (let i = 0; i < ready.length; i++) {
      if ((i & 255) === 0) context.poll();
      const item = ready[i];
      item.printed = true;
      left--;
      const done = context.stdout.print(item.name + "\n");
      if (done) await done;
      for (const next of item.after) if (--next.waits === 0) ready.push(next);
    }
    if (left === 0) break;
    status = 1;
    await complain(context, `${quoteIfNeeded(name)}: input contains a loop:`);
    for (const item of cutLoop(items, () => context.poll())) await complain(context, item.name);
    ready = items.filter((item) => item.waits === 0 && !item.printed);
  }
  return status;
}

/** The items by name in the order of their bytes. */
async function read(context: UtilityContext, name: string): Promise<Item[]> {
  let source: ByteSource | undefined;
  let words: string[];
  try {
    source = name === "-" ? context.stdin : await context.open(name);
    words = decodeBytes(await readAll(source, () => context.poll())).split(/[ \t\n]+/).filter((word) =>
      word !== ""
    );
  } catch (error) {
    if (error instanceof Failure) throw error;
    const about = source ? `${quoteIfNeeded(name)}: read error` : quoteIfNeeded(name);
    throw new Failure(`${about}: ${reason(error)}`);
  } finally {
    if (source && source !== context.stdin) source.close();
  }
  const items = new Map<string, Item>();
  const item = (word: string): Item => {
    let found = items.get(word);
    if (!found) items.set(word, found = { name: word, after: [], waits: 0, printed: false });
    return found;
  };
  for (let i = 0; i < words.length; i += 2) {
    if ((i & 1023) === 0) context.poll();
    const before = item(words[i]);
    if (i + 1 === words.length) {
      throw new Failure(`${quoteIfNeeded(name)}: input contains an odd number of tokens`);
    }
    const after = item(words[i + 1]);
    if (before === after) continue;
    before.after.push(after);
    after.waits++;
  }
  for (const each of items.values()) each.after.reverse();
  return [...items.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}

/**
 * Finds a loop, takes away the pair that closes it and answers its items. The
 * walk is GNU's: over the items in order, again and again, each time putting
 * in front of the chain what leads to its head.
 */
function cutLoop(items: readonly Item[], poll: () => void): Item[] {
  /** The chain: head, and what follows each. */
  let head: Item | undefined;
  const next = new Map<Item, Item>();
  for (;;) {
    poll();
    for (const item of items) {
      if (item.waits === 0) continue;
      if (!head) {
        head = item;
        continue;
      }
      const at = item.after.indexOf(head);
      if (at < 0) continue;
      if (!next.has(item)) {
        next.set(item, head);
        head = item;
        continue;
      }
      const loop: Item[] = [];
      for (let each = head; each !== item; each = next.get(each)!) loop.push(each);
      loop.push(item);
      item.after.splice(at, 1);
      head.waits--;
      return loop;
    }
  }
}
