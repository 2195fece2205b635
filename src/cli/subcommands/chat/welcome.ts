/**
 * The first screen, where no model is set up yet: what can be done about it,
 * by one key, or by a line where lines only are wanted. Whoever leaves it has
 * read how to set a model up.
 */
import { KNOWN } from "../../../config/mod.ts";
import { AppError, describe } from "../../../lib/errors.ts";
import { oneLine } from "../../../lib/text/control.ts";
import { wrapWords } from "../../../lib/text/width.ts";
import { probeServer } from "../../../llm/mod.ts";
import { subcommands } from "../../commands.ts";
import { EXIT } from "../../exit_codes.ts";

interface Choice {
  readonly title: string;
  readonly about: string;
  /** The model to go on with; undefined: look again; a number: the exit status. */
  choose(): Promise<string | number | undefined>;
}

/** Where servers of one's own listen, unless they are told otherwise. */
const LOCAL: readonly { readonly name: string; readonly title: string; readonly baseUrl: string }[] = [
  { name: "ollama", title: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { name: "lmstudio", title: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
  { name: "llamacpp", title: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1" },
  { name: "vllm", title: "vLLM", baseUrl: "http://127.0.0.1:8000/v1" },
];
const PROBE_MS = 400;

/** The model that was chosen, undefined where one may be usable by now, or an exit status where the user leaves. */
export async function chooseModel(root: string, plain: boolean): Promise<string | number | undefined> {
  const chosen = await ask(
    "No model is set up yet. What do you want to do?",
    await choices(root, plain),
    plain,
  );
  if (chosen !== undefined) return await chosen.choose();
  const keys = KNOWN.flatMap(({ key }) => key ?? []).slice(0, 3).join(", ");
  say(`To set one up: myelin auth login, or a key such as ${keys}. Without one: myelin --model demo/tour`);
  return EXIT.usage;
}

async function choices(root: string, plain: boolean): Promise<Choice[]> {
  const servers = await Promise.all(LOCAL.map(async (server) => {
    const found = await probeServer({ baseUrl: server.baseUrl, signal: AbortSignal.timeout(PROBE_MS) });
    return { ...server, models: found?.models ?? [] };
  }));
  return [
    {
      title: "Sign in, or keep an API key",
      about: "a subscription or a key of OpenAI, Anthropic, OpenRouter and others",
      choose: () => signIn(plain),
    },
    ...servers.filter(({ models }) => models.length > 0).map((server): Choice => ({
      title: `Use ${server.title} of this machine`,
      about: `${oneLine(server.models[0], 60)} at ${server.baseUrl}`,
      choose: () => useServer(root, server),
    })),
    {
      title: "Take the tour",
      about: "a scripted model mends a small project; no key is needed",
      choose: () => Promise.resolve("demo/tour"),
    },
    {
      title: "Read how models are set up",
      about: "the same as myelin docs providers",
      choose: async () => {
        await command("docs", ["providers"]);
        return EXIT.ok;
      },
    },
  ];
}

async function signIn(plain: boolean): Promise<undefined> {
  const hosted = KNOWN.filter(({ key, url }) => key !== undefined || url === undefined);
  const chosen = await ask(
    "Which provider?",
    hosted.map(({ name, key }) => ({
      title: name,
      about: key === undefined ? "a subscription, in the browser" : `an API key, as in ${key}`,
      choose: async () => {
        try {
          await command("auth", ["login", name]);
        } catch (error) {
          say(describe(error));
          if (error instanceof AppError && error.hint !== undefined) say(error.hint);
        }
        return undefined;
      },
    })),
    plain,
  );
  await chosen?.choose();
}

/** Writes the server into the settings where there are none yet; else says what to add. */
async function useServer(
  root: string,
  server: (typeof LOCAL)[number] & { readonly models: readonly string[] },
): Promise<string | number | undefined> {
  const model = `${server.name}/${server.models[0]}`;
  const settings = {
    model,
    providers: { [server.name]: { api: "openai-completions", baseUrl: server.baseUrl } },
  };
  const text = `${JSON.stringify(settings, null, 2)}\n`;
  const file = `${root}/settings.jsonc`;
  if (!["jsonc", "json", "yaml"].some((end) => exists(`${root}/settings.${end}`))) {
    await Deno.mkdir(root, { recursive: true });
    await Deno.writeTextFile(file, text, { createNew: true, mode: 0o600 });
    say(`Written to ${file}. Another model: /model, or "model" in that file.`);
    return undefined;
  }
  say(`There are settings in ${root} already. Add this to them:`);
  console.error(text);
  return EXIT.usage;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

async function command(name: string, args: string[]): Promise<void> {
  const found = subcommands.find((one) => one.name === name);
  if (found !== undefined) await (await found.load()).run(args);
}

const say = (text: string) => console.error(wrapWords(oneLine(text, 2000), size()[0]).join("\n"));

/** One of the choices; undefined: the user leaves. */
async function ask(
  question: string,
  choices: readonly Choice[],
  plain: boolean,
): Promise<Choice | undefined> {
  console.error(`\n${wrapWords(question, size()[0]).join("\n")}\n`);
  const letters = choices.map((_, i) => i < 9 ? `${i + 1}` : String.fromCharCode(97 + i - 9));
  const [across, down] = size();
  const width = Math.max(...choices.map(({ title }) => title.length)) + 2;
  const beside = choices.every(({ about }) => width + about.length + 5 <= across);
  // The question must stay on the screen.
  const low = choices.length * 2 + 8 > down;
  for (const [i, { title, about }] of choices.entries()) {
    const below = low ? "" : `\n     ${wrapWords(about, across - 5).join("\n     ")}`;
    console.error(`  ${letters[i]}  ${title}${beside ? " ".repeat(width - title.length) + about : below}`);
  }
  console.error("  q  Quit\n");
  console.error(plain ? "Type a number or a letter, then Enter." : "Press a key.");
  for await (const key of plain ? lines() : keys()) {
    if (plain && key === "") continue;
    if (["q", "\x03", "\x04", "\x1b"].includes(key)) return undefined;
    const at = letters.indexOf(key);
    if (at >= 0) return choices[at];
    // The first one is what Enter is for.
    if (!plain && key === "\r") return choices[0];
    if (plain) console.error(`"${oneLine(key, 20)}" is none of ${letters.join(", ")} and q.`);
  }
  return undefined;
}

/** Columns and rows. */
function size(): [number, number] {
  try {
    const { columns, rows } = Deno.consoleSize();
    return [columns || 80, rows || 24];
  } catch {
    return [80, 24]; // nobody knows
  }
}

/** Single keys. What was typed ahead in one breath is one key, and none that is known. */
async function* keys(): AsyncGenerator<string> {
  const bytes = new Uint8Array(256);
  for (;;) {
    Deno.stdin.setRaw(true);
    let count: number | null;
    try {
      count = await Deno.stdin.read(bytes);
    } finally {
      Deno.stdin.setRaw(false);
    }
    if (count === null) return;
    yield new TextDecoder().decode(bytes.subarray(0, count)).toLowerCase();
  }
}

/** Lines, read by no more than they need: what follows them is for others. */
async function* lines(): AsyncGenerator<string> {
  const bytes = new Uint8Array(1024);
  for (;;) {
    // A terminal gives a line at a time.
    const count = await Deno.stdin.read(bytes);
    if (count === null) return;
    yield new TextDecoder().decode(bytes.subarray(0, count)).trim().toLowerCase();
  }
}
