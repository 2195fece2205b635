/** `myelin docs`: the documentation, which is inside the program. */
import { DOC_NAMES, readDoc } from "../../context/mod.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { type CommandSpec, helpText, parseCommand, UsageError } from "../args.ts";
import { EXIT } from "../exit_codes.ts";

const SPEC: CommandSpec = {
  usage: "docs [TOPIC]",
  summary: `Prints a page of the documentation.\nTopics: ${DOC_NAMES.join(", ")}`,
  options: [],
};

export async function run(args: string[]): Promise<number> {
  const parsed = parseCommand(SPEC, args);
  const [topic] = parsed.positionals;
  if (parsed.has("help")) console.log(helpText(SPEC).trimEnd());
  else if (topic === undefined) {
    for (const name of DOC_NAMES) {
      console.log(`${name.padEnd(16)}${shorten(firstSentence(await readDoc(name) ?? ""), 63)}`);
    }
  } else {
    const text = await readDoc(topic);
    if (text === undefined) {
      const near = nearest(topic, DOC_NAMES);
      throw new UsageError(
        `There is no page "${topic}"`,
        near === undefined ? `Pages: ${DOC_NAMES.join(", ")}` : `Did you mean "${near}"?`,
      );
    }
    // Marks for the script that makes parts of a page are for nobody's eyes.
    console.log(text.replaceAll(/^<!-- .* -->\n/gm, "").trimEnd());
  }
  return EXIT.ok;
}

function firstSentence(text: string): string {
  const paragraph = text.split("\n\n").find((part) => part.trim() !== "" && !part.startsWith("#")) ?? "";
  return paragraph.replace(/\s+/g, " ").split(/(?<=[.:])\s/, 1)[0].replace(/[.:]$/, "").replace(/[`*]/g, "");
}

/** Whole words, so that a line of the list fits a terminal. */
function shorten(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, text.lastIndexOf(" ", room - 2))} …`;
}
