/** Writes the key table and the frames of docs/chat.md anew, from the key map and the golden frames. `deno run -A scripts/chat_docs.ts` */
import { keyTable } from "../src/ui/tui/keymap.ts";
import { STATUS_PARTS } from "../src/ui/tui/panes/status.ts";

const GOLDEN = new URL("../test/golden/tui/", import.meta.url);

/** The page with its generated parts as they should be. */
export async function chatPage(page: string): Promise<string> {
  let out = page;
  for (const [, name] of page.matchAll(/<!-- ([\w.]+) -->/g)) {
    const text = name === "keys"
      ? keyTable()
      : name === "status"
      ? STATUS_PARTS.map((part) => `\`${part}\``).join(" ")
      : "```text\n" + (await Deno.readTextFile(new URL(`${name}.txt`, GOLDEN))).trimEnd() + "\n```";
    const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
    const start = out.indexOf(open);
    const end = out.indexOf(close);
    if (start < 0 || end < start) throw new Error(`docs/chat.md: the part "${name}" has no end`);
    out = `${out.slice(0, start + open.length)}${text}\n${out.slice(end)}`;
  }
  return out;
}

if (import.meta.main) {
  const file = new URL("../docs/chat.md", import.meta.url);
  await Deno.writeTextFile(file, await chatPage(await Deno.readTextFile(file)));
}
