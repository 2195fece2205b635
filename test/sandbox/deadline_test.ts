import { assertEquals } from "@std/assert";
import { Deadline } from "../../src/sandbox/worker/deadline.ts";

/** Timers fire in the order of their time: one of the same length that was set later fires later. */
function timerAfter(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test("Deadline expires once its time is over, and not after end()", async () => {
  const said: string[] = [];
  const ends = new Deadline(() => said.push("ended"));
  const stays = new Deadline(() => said.push("expired"));
  ends.set(0);
  stays.set(0);
  ends.end();
  await timerAfter(5);
  assertEquals(said, ["expired"]);
  assertEquals([ends.isSet, stays.isSet], [false, true]);
});

Deno.test("Deadline stands still until the last hold is released, also where it is set meanwhile", async () => {
  let expired = 0;
  const deadline = new Deadline(() => expired++);
  deadline.set(0);
  deadline.hold();
  deadline.hold();
  deadline.release();
  deadline.set(0);
  await timerAfter(5);
  assertEquals(expired, 0);
  deadline.release();
  await timerAfter(5);
  assertEquals(expired, 1);
});

Deno.test("Deadline: a hold that outlives the call starts no timer", async () => {
  let expired = 0;
  const deadline = new Deadline(() => expired++);
  deadline.set(0);
  deadline.hold();
  deadline.end();
  deadline.release();
  await timerAfter(5);
  assertEquals(expired, 0);
});
