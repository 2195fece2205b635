/** `myelin docs`: the documentation, which is inside the program. */
import architecture from "../../../docs/architecture.md" with { type: "text" };
import configuration from "../../../docs/configuration.md" with { type: "text" };
import context from "../../../docs/context.md" with { type: "text" };
import development from "../../../docs/development.md" with { type: "text" };
import headless from "../../../docs/headless.md" with { type: "text" };
import providers from "../../../docs/providers.md" with { type: "text" };
import recording from "../../../docs/recording.md" with { type: "text" };
import sandbox from "../../../docs/sandbox.md" with { type: "text" };
import sessionFormat from "../../../docs/session_format.md" with { type: "text" };
import sessions from "../../../docs/sessions.md" with { type: "text" };
import shell from "../../../docs/shell.md" with { type: "text" };
import tools from "../../../docs/tools.md" with { type: "text" };
import { nearest } from "../../lib/text/nearest.ts";
import { type CommandSpec, helpText, parseCommand, UsageError } from "../args.ts";
import { EXIT } from "../exit_codes.ts";

const TOPICS: Readonly<Record<string, string>> = {
  headless,
  configuration,
  providers,
  sandbox,
  sessions,
  context,
  shell,
  tools,
  recording,
  session_format: sessionFormat,
  architecture,
  development,
};

const SPEC: CommandSpec = {
  usage: "docs [TOPIC]",
  summary: `Prints a page of the documentation.\nTopics: ${Object.keys(TOPICS).join(", ")}`,
  options: [],
};

export function run(args: string[]): Promise<number> {
  const parsed = parseCommand(SPEC, args);
  const [topic] = parsed.positionals;
  if (parsed.has("help")) console.log(helpText(SPEC).trimEnd());
  else if (topic === undefined) {
    for (const [name, text] of Object.entries(TOPICS)) {
      console.log(`${name.padEnd(16)}${firstSentence(text)}`);
    }
  } else if (Object.hasOwn(TOPICS, topic)) console.log(TOPICS[topic].trimEnd());
  else {
    const near = nearest(topic, Object.keys(TOPICS));
    throw new UsageError(
      `There is no page "${topic}"`,
      near === undefined ? `Pages: ${Object.keys(TOPICS).join(", ")}` : `Did you mean "${near}"?`,
    );
  }
  return Promise.resolve(EXIT.ok);
}

function firstSentence(text: string): string {
  const paragraph = text.split("\n\n").find((part) => part.trim() !== "" && !part.startsWith("#")) ?? "";
  return paragraph.replace(/\s+/g, " ").split(/(?<=[.:])\s/, 1)[0].replace(/[.:]$/, "").slice(0, 90);
}
