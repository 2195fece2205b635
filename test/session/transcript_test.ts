import { assertEquals, assertStringIncludes } from "@std/assert";
import { createMemorySession } from "../../src/session/store.ts";
import { toMarkdown, transcript } from "../../src/session/transcript.ts";
import { answer, result, RUN, submission } from "./sample.ts";

Deno.test("transcript() gives each call its result, in the order of the path", async () => {
  const session = createMemorySession({ cwd: "/w" });
  for (const payload of RUN) await session.append(payload);
  const items = transcript(session).map((item) =>
    item.type === "call" ? `${item.name}: ${item.result?.text ?? "open"}` : item.type
  );
  assertEquals(items, [
    "user",
    "assistant",
    "bash: a.txt\nb.txt",
    "assistant",
    "run_end",
    "user",
    "assistant",
    "write: written",
    "bash: open",
  ]);
});

Deno.test("toMarkdown() fences outputs that hold fences themselves", async () => {
  const session = createMemorySession({ cwd: "/w" });
  await session.append(submission("show"));
  await session.append(answer("Here:", ["a", "bash"]));
  await session.append(result("a", "bash", "```\ncode\n```", true));
  await session.append({ kind: "run_end", runId: "r", reason: "error", error: "it\nbroke" });
  const text = toMarkdown(session);
  assertStringIncludes(text, "## User\n\nshow\n");
  assertStringIncludes(text, "### bash (failed)");
  assertStringIncludes(text, "````\n```\ncode\n```\n````");
  assertStringIncludes(text, "*Run ended: error: it broke*");
});
