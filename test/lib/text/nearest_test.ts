import { assertEquals } from "@std/assert";
import { nearest } from "../../../src/lib/text/nearest.ts";

for (
  const [wrong, expected] of [
    ["sanbox", "sandbox"],
    ["SANDBOX", "sandbox"],
    ["mdoel", "model"],
    ["modle", "model"],
    ["hook", "hooks"],
    ["xyz", undefined],
    ["", undefined],
    ["sandboxes and more", undefined],
  ] as const
) {
  Deno.test(`nearest() takes "${wrong}" for ${expected}`, () => {
    assertEquals(nearest(wrong, ["model", "sandbox", "hooks"]), expected);
  });
}
