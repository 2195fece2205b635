/**
 * What the user has typed in the chat, by workspace, and the look that he
 * chose there: kept in the cache folder, for him alone to read. Lines that
 * cannot be read are passed over; the file is cut when it grows too long.
 */

export interface Drafts {
  load(): Promise<readonly string[]>;
  add(text: string): Promise<void>;
  theme(): string | undefined;
  saveLook(name: "theme", value: string): Promise<void>;
}

/** Drafts that are offered again. */
const OFFERED = 200;
const MAX_BYTES = 1024 * 1024;
/** A paste of a whole file is no draft that anybody looks for. */
const MAX_DRAFT = 20_000;

export function openDrafts(folder: string, cwd: string): Drafts {
  const file = `${folder}/chat_drafts.jsonl`;
  const look = `${folder}/chat_look.json`;

  async function lines(): Promise<string[]> {
    try {
      return (await Deno.readTextFile(file)).split("\n").filter((line) => line !== "");
    } catch {
      return []; // none was kept yet
    }
  }

  return {
    async load() {
      const texts: string[] = [];
      for (const line of await lines()) {
        try {
          const value = JSON.parse(line) as { cwd?: unknown; text?: unknown };
          if (value.cwd === cwd && typeof value.text === "string") texts.push(value.text);
        } catch {
          continue; // cut off by a crash
        }
      }
      return texts.slice(-OFFERED);
    },
    async add(text) {
      if (text.length > MAX_DRAFT) return;
      await Deno.mkdir(folder, { recursive: true });
      await Deno.writeTextFile(file, JSON.stringify({ cwd, text }) + "\n", { append: true, mode: 0o600 });
      if ((await Deno.stat(file)).size <= MAX_BYTES) return;
      const all = await lines();
      await Deno.writeTextFile(`${file}.new`, all.slice(-Math.ceil(all.length / 2)).join("\n") + "\n", {
        mode: 0o600,
      });
      await Deno.rename(`${file}.new`, file);
    },
    theme() {
      try {
        const { theme } = JSON.parse(Deno.readTextFileSync(look)) as { theme?: unknown };
        return typeof theme === "string" ? theme : undefined;
      } catch {
        return undefined; // none was chosen
      }
    },
    async saveLook(name, value) {
      await Deno.mkdir(folder, { recursive: true });
      await Deno.writeTextFile(look, JSON.stringify({ [name]: value }) + "\n");
    },
  };
}
