import { assertEquals } from "@std/assert";
import { createInputBursts } from "../../../src/ui/tui/input_bursts.ts";

/** A clock that is moved by hand. */
function play() {
  const seen: [string, string][] = [];
  let time = 0;
  let timers: { at: number; call: () => void }[] = [];
  const bursts = createInputBursts(
    (text) => seen.push(["typed", text]),
    (text) => seen.push(["pasted", text]),
    {
      now: () => time,
      after(ms, call) {
        const timer = { at: time + ms, call };
        timers.push(timer);
        return () => timers = timers.filter((one) => one !== timer);
      },
    },
  );
  const pass = (ms: number) => {
    time += ms;
    const due = timers.filter(({ at }) => at <= time);
    timers = timers.filter(({ at }) => at > time);
    due.forEach(({ call }) => call());
  };
  return { seen, push: bursts.push, pass };
}

Deno.test("createInputBursts() lets typing through at once", () => {
  const { seen, push, pass } = play();
  push("a");
  pass(100);
  push("\r");
  push("\x1b[A");
  assertEquals(seen, [["typed", "a"], ["typed", "\r"], ["typed", "\x1b[A"]]);
});

Deno.test("createInputBursts() takes lines that come in one breath for a paste, in whatever pieces", () => {
  for (
    const pieces of [["one\rtwo\rthree\r"], ["one\r", "two\r", "three\r"], [
      "one",
      "\r",
      "two",
      "\r",
      "three",
      "\r",
    ]]
  ) {
    const { seen, push, pass } = play();
    for (const piece of pieces) {
      push(piece);
      pass(1);
    }
    pass(100);
    assertEquals(seen.filter(([kind]) => kind === "pasted").length, 1, JSON.stringify(pieces));
    assertEquals(seen.map(([, text]) => text).join(""), "one\rtwo\rthree\r");
    assertEquals(seen.filter(([kind, text]) => kind === "typed" && text.includes("\r")), []);
  }
});

Deno.test("createInputBursts() takes a word and Enter for typing", () => {
  const { seen, push, pass } = play();
  push("hello\r");
  pass(100);
  assertEquals(seen, [["typed", "hello\r"]]);
});

Deno.test("createInputBursts() keeps a paste with marks together, its end mark cut in two as well", () => {
  const { seen, push } = play();
  push("x\x1b[200~first\r");
  push("second\x1b[20");
  push("1~y");
  assertEquals(seen, [["typed", "x"], ["pasted", "first\rsecond"], ["typed", "y"]]);
});
