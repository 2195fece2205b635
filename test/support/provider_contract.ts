/** What every protocol must hold to, run over each entry of the list: a new one is covered before it has its own tests. */
import { assert, assertEquals } from "@std/assert";
import { LlmError } from "../../src/llm/errors.ts";
import type { Endpoint, LlmRequest } from "../../src/llm/provider.ts";
import type { ProviderEntry } from "../../src/llm/providers/mod.ts";
import { collect } from "./llm_run.ts";

/** Registers the tests. `endpoint` need not lead anywhere: a failure must keep the contract too. */
export function testProviderContract(entry: ProviderEntry, endpoint: Endpoint, request: LlmRequest): void {
  Deno.test(`provider ${entry.api} has the name it is listed under`, async () => {
    assertEquals((await entry.load()).api, entry.api);
  });

  Deno.test(`provider ${entry.api} never throws, and ends with one done or error`, async () => {
    const provider = (await entry.load()).create(endpoint);
    const types = (await collect(provider, request)).map((event) => event.type);
    const ends = types.filter((type) => type === "done" || type === "error");
    assertEquals(ends.length, 1, types.join(" "));
    assertEquals(types.at(-1), ends[0]);
  });

  Deno.test(`provider ${entry.api} turns a failing key or recording into its last event`, async () => {
    const fail = () => Promise.reject(new Error("the door is locked"));
    const provider = (await entry.load()).create({ ...endpoint, apiKey: fail, recording: fail });
    const last = (await collect(provider, request)).at(-1);
    assert(last?.type === "done" || (last?.type === "error" && last.error instanceof LlmError));
  });

  Deno.test(`provider ${entry.api} ends without a last event when cancelled`, async () => {
    const provider = (await entry.load()).create(endpoint);
    const events = await collect(provider, request, AbortSignal.abort());
    assertEquals(events.filter((event) => event.type === "done" || event.type === "error"), []);
  });
}
