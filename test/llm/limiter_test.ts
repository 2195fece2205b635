import { assertEquals, assertRejects } from "@std/assert";
import { createLimiter } from "../../src/llm/limiter.ts";

/** A clock that moves when somebody waits. */
function clock() {
  let now = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    wait: (ms: number) => {
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}
const never = new AbortController().signal;

Deno.test("createLimiter() lets so many in at once, and the next one when one leaves, in order", async () => {
  const limiter = createLimiter(clock(), 2);
  const order: string[] = [];
  const first = await limiter.enter(never);
  await limiter.enter(never);
  const third = limiter.enter(never).then((leave) => (order.push("third"), leave));
  const fourth = limiter.enter(never).then((leave) => (order.push("fourth"), leave));
  await Promise.resolve();
  assertEquals(order, []);
  first();
  first();
  const leave = await third;
  assertEquals(order, ["third"]);
  leave();
  await fourth;
  assertEquals(order, ["third", "fourth"]);
});

Deno.test("createLimiter() makes all keep a pause that one was asked for, but not the one that has waited", async () => {
  const time = clock();
  const limiter = createLimiter(time);
  limiter.pause(2000);
  limiter.pause(1000);
  assertEquals(limiter.pausedMs, 2000);
  await limiter.enter(never, true);
  assertEquals(time.waits, []);
  await limiter.enter(never);
  assertEquals(time.waits, [2000]);
  await limiter.enter(never);
  assertEquals(time.waits, [2000]);
});

Deno.test("createLimiter() forgets a request that is cancelled while it waits for its turn", async () => {
  const limiter = createLimiter(clock(), 1);
  const leave = await limiter.enter(never);
  const abort = new AbortController();
  const waiting = limiter.enter(abort.signal);
  abort.abort(new Error("enough"));
  await assertRejects(() => waiting, Error, "enough");
  leave();
  await limiter.enter(never);
});
