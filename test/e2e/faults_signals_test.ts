/**
 * Ending a run while it waits: for a server that is silent, or for its next
 * attempt. The waits of these tests are longer than anybody would wait for
 * the test, and a run that sat one out would end with another status.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertCleanTexts, assertContinues } from "../support/fault_run.ts";
import { type FaultScenario, startFaultServer } from "../support/fault_server.ts";
import { createProject } from "../support/program.ts";

interface Interruption {
  readonly scenario: FaultScenario;
  /** Further arguments of `run`. */
  readonly args?: readonly string[];
  /** When the signal is sent: as soon as this is on stdout, or the server has the request. */
  readonly when: string | "request";
  readonly signal: Deno.Signal;
  readonly code: number;
  /** Of the last line; default "cancelled". */
  readonly reason?: string;
  /** What the continued session tells the model of the half that had arrived. */
  readonly tells?: string;
}

async function interrupt(row: Interruption): Promise<void> {
  const asked = Promise.withResolvers<void>();
  const server = startFaultServer(row.scenario, { onRequest: () => asked.resolve() });
  try {
    await using project = await createProject({ url: server.url, provider: { idleTimeout: "10m" } });
    const running = project.start(["run", "-o", "stream-json", ...row.args ?? [], "do it"]);
    if (row.when === "request") await asked.promise;
    else await running.until(row.when);
    running.kill(row.signal);
    const ended = await running.ended;
    const end = ended.lines.at(-1) ?? {};
    assertEquals(
      [ended.code, end.type, end.reason],
      [row.code, "run_end", row.reason ?? "cancelled"],
      ended.stderr,
    );
    assertEquals(server.requests.length, 1);
    assertCleanTexts(ended);
    await assertContinues({ project, server });
    assertStringIncludes(server.requests.at(-1)!.text, row.tells ?? "do it");
  } finally {
    await server.close();
  }
}

const WAIT: FaultScenario = [{ fault: "429", retryAfter: "100" }];
const STALL: FaultScenario = ["stall"];

Deno.test("Ctrl-C ends a run that waits for its next attempt, at once and with 130", () =>
  interrupt({ scenario: WAIT, when: '"retry"', signal: "SIGINT", code: 130 }));

Deno.test("Ctrl-C ends a run whose server is silent in mid-answer, and keeps what was said", () =>
  interrupt({
    scenario: STALL,
    when: '"text_delta"',
    signal: "SIGINT",
    code: 130,
    tells: "which had begun: half",
  }));

Deno.test("Ctrl-C ends a run whose server sends no headers", () =>
  interrupt({ scenario: ["no_headers"], when: "request", signal: "SIGINT", code: 130 }));

Deno.test("Ctrl-C ends a run whose server sends nothing but comments", () =>
  interrupt({ scenario: ["comments"], when: '"text_delta"', signal: "SIGINT", code: 130 }));

Deno.test("SIGTERM ends a run that waits for its next attempt with 143", () =>
  interrupt({ scenario: WAIT, when: '"retry"', signal: "SIGTERM", code: 143 }));

Deno.test("--timeout ends a run that waits for its next attempt, and one whose server is silent, with 124", async () => {
  const runs = [WAIT, STALL, ["no_headers"] as FaultScenario].map(async (scenario) => {
    const server = startFaultServer(scenario);
    await using project = await createProject({ url: server.url });
    const ended = await project.run(["run", "-o", "json", "--timeout", "700ms", "do it"]);
    assertEquals([ended.code, ended.lines[0].reason], [124, "timeout"], ended.stderr);
    assert(server.requests.length <= 1);
    await server.close();
  });
  await Promise.all(runs);
});
