/**
 * What demo/tour says next, given the conversation. A pure function that reads
 * the results of its calls and goes on from what they really say: where a step
 * turns out otherwise than the sample project lets expect, it says so and
 * stops. It never claims what it has not seen.
 */
import {
  type AssistantMessage,
  type Message,
  textOf,
  toolCalls,
  type ToolResultMessage,
} from "../../message.ts";
import { fault, testCommand } from "./sample.ts";

/** `args` are plain data, for the tool of that name. */
interface ScriptedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** One turn: text, and calls unless it is the last. */
interface ScriptedTurn {
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
}

/** Stands in the first text and in the last. */
export const LABEL = "demo/tour is scripted, no model was asked.";

const RUN_TESTS: ScriptedCall = { name: "bash", args: { command: testCommand } };
const EDIT: ScriptedCall = {
  name: "edit",
  args: { path: fault.path, edits: [{ oldText: fault.wrong, newText: fault.right }] },
};
const NEEDED = ["ls", "bash", "read", "edit"];

/** The next turn. `tools` are the names on offer; without the needed ones it only explains itself. */
export function nextTurn(messages: readonly Message[], tools: readonly string[]): ScriptedTurn {
  const turns = turnsSinceUser(messages);
  const missing = NEEDED.filter((name) => !tools.includes(name));
  if (missing.length > 0) {
    return stop(`It needs the tools ${missing.join(", ")}, which are not on offer here.`);
  }
  if (turns.length === 0) return begin();
  const last = turns[turns.length - 1];
  const edited = turns.some((turn) => resultsOf(turn, "edit").length > 0);
  if (resultsOf(last, "edit").length > 0) return afterEdit(last);
  if (resultsOf(last, "bash").length > 0) return edited ? afterSecondTest(last) : afterFirstTest(last);
  if (resultsOf(last, "read").length > 0) return afterRead(last);
  return stop("The results of its calls did not come back, so there is nothing to go on from.");
}

function begin(): ScriptedTurn {
  return {
    text: `(${LABEL}) I look at what is here and run the tests.`,
    calls: [{ name: "ls", args: { path: "." } }, RUN_TESTS],
  };
}

function afterFirstTest(turn: Turn): ScriptedTurn {
  const listing = resultsOf(turn, "ls")[0];
  if (listing !== undefined && !textOf(listing.parts).includes("test.sh")) {
    return stop("There is no test.sh in this folder: the tour works on its own sample project only.");
  }
  const run = readTests(turn);
  if (run.failed === undefined) return stop(`The tests could not be run: ${run.said}`);
  if (run.failed === 0) return stop("The tests pass as they are, so there is nothing to mend.");
  return {
    text: `I see that ${fails(run.failed)}: ${run.said} I read the code and the test.`,
    calls: [{ name: "read", args: { path: fault.path } }, { name: "read", args: { path: "test.sh" } }],
  };
}

function afterRead(turn: Turn): ScriptedTurn {
  const code = resultsOf(turn, "read")[0];
  if (code.isError) return stop(`${fault.path} could not be read: ${firstLine(code)}`);
  if (!textOf(code.parts).includes(fault.wrong)) {
    return stop(`${fault.path} does not have the fault that the script knows how to mend.`);
  }
  return {
    text: "The limit itself should ship free, but -gt leaves it out: -ge is meant. I change that line.",
    calls: [EDIT],
  };
}

function afterEdit(turn: Turn): ScriptedTurn {
  const result = resultsOf(turn, "edit")[0];
  if (result.isError) return stop(`The change could not be made: ${firstLine(result)}`);
  return { text: "Changed. I run the tests again.", calls: [RUN_TESTS] };
}

function afterSecondTest(turn: Turn): ScriptedTurn {
  const run = readTests(turn);
  if (run.failed === undefined) {
    return stop(`The line was changed, but the tests could not be run again: ${run.said}`);
  }
  if (run.failed > 0) return stop(`The line was changed, but afterwards ${fails(run.failed)}: ${run.said}`);
  return stop(
    `Mended: in ${fault.path}, shipping() compared with -gt where the rule says "5000 and more"; ` +
      "it now uses -ge. All tests pass.",
  );
}

function stop(text: string): ScriptedTurn {
  return { text: `${text}\n\n(${LABEL})`, calls: [] };
}

/** An assistant message with the results that came back. */
interface Turn {
  readonly message: AssistantMessage;
  readonly results: readonly ToolResultMessage[];
}

function turnsSinceUser(messages: readonly Message[]): Turn[] {
  const turns: { message: AssistantMessage; results: ToolResultMessage[] }[] = [];
  const start = messages.findLastIndex((message) => message.role === "user");
  for (const message of messages.slice(start + 1)) {
    if (message.role === "assistant" && toolCalls(message).length > 0) turns.push({ message, results: [] });
    else if (message.role === "tool_result") turns.at(-1)?.results.push(message);
  }
  return turns;
}

function resultsOf(turn: Turn, name: string): ToolResultMessage[] {
  return turn.results.filter((result) => result.name === name);
}

/** How many tests failed, undefined where the run did not get that far; and the line that says most. */
function readTests(turn: Turn): { failed: number | undefined; said: string } {
  const result = resultsOf(turn, "bash")[0];
  const text = textOf(result.parts);
  const summary = /^(\d+) failed$/m.exec(text);
  if (summary === null) return { failed: undefined, said: firstLine(result) };
  const failing = /^FAIL +(.*)$/m.exec(text)?.[1] ?? "";
  return { failed: Number(summary[1]), said: failing === "" ? "" : `"${failing}".` };
}

function firstLine(result: ToolResultMessage): string {
  const line = textOf(result.parts).split("\n").find((line) => line.trim() !== "") ?? "no reason was given";
  return line.trim().slice(0, 200);
}

function fails(count: number): string {
  return count === 1 ? "one test fails" : `${count} tests fail`;
}
