import { assertEquals } from "@std/assert";
import { IdleTimer } from "../../src/llm/idle.ts";

/** Runs with timers and a clock that move only when told to. */
function withClock(test: (pass: (ms: number) => void) => void): void {
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    now: performance.now,
  };
  let now = 0;
  let ids = 0;
  const timers = new Map<number, { at: number; run: () => void }>();
  Object.assign(globalThis, {
    setTimeout: (run: () => void, ms: number) => (timers.set(++ids, { at: now + ms, run }), ids),
    clearTimeout: (id: number) => timers.delete(id),
  });
  performance.now = () => now;
  try {
    test((ms) => {
      const end = now + ms;
      while (true) {
        const due = [...timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
        if (due === undefined) break;
        timers.delete(due[0]);
        now = due[1].at;
        due[1].run();
      }
      now = end;
    });
  } finally {
    Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
    performance.now = real.now;
  }
}

Deno.test("IdleTimer fires after so much silence, and not before", () => {
  withClock((pass) => {
    const fired: number[] = [];
    const idle = new IdleTimer(1000, (ms) => fired.push(ms));
    idle.wait();
    pass(999);
    assertEquals(fired, []);
    pass(1);
    assertEquals(fired, [1000]);
  });
});

Deno.test("IdleTimer counts from the last bytes, however often they come", () => {
  withClock((pass) => {
    const fired: number[] = [];
    const idle = new IdleTimer(1000, (ms) => fired.push(ms));
    for (let i = 0; i < 50; i++) {
      idle.wait();
      pass(900);
      idle.arrived(true);
    }
    assertEquals(fired, []);
    idle.wait();
    pass(1000);
    assertEquals(fired, [1000]);
  });
});

Deno.test("IdleTimer does not count the time in which nobody reads", () => {
  withClock((pass) => {
    const fired: number[] = [];
    const idle = new IdleTimer(1000, (ms) => fired.push(ms));
    idle.wait();
    idle.arrived(true);
    pass(1_000_000);
    idle.wait();
    pass(900);
    assertEquals(fired, []);
    pass(100);
    assertEquals(fired, [1000]);
  });
});

Deno.test("IdleTimer lets bytes without progress hold for ten times as long", () => {
  withClock((pass) => {
    const fired: [number, number][] = [];
    let waited = 0;
    const idle = new IdleTimer(1000, (ms) => fired.push([ms, waited]));
    while (fired.length === 0 && waited < 30_000) {
      idle.wait();
      pass(500);
      waited += 500;
      idle.arrived(false);
    }
    assertEquals(fired, [[10_000, 9500]]);
  });
});

Deno.test("IdleTimer waits shortly once the answer is complete, and never after close()", () => {
  withClock((pass) => {
    const fired: number[] = [];
    const idle = new IdleTimer(1000, (ms) => fired.push(ms));
    idle.wait();
    idle.shorten(100);
    pass(100);
    assertEquals(fired, [100]);
    const other = new IdleTimer(1000, (ms) => fired.push(ms));
    other.wait();
    other.close();
    pass(5000);
    assertEquals(fired, [100]);
  });
});
