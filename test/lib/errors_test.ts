/** What is said of errors of the system. */
import { assertEquals } from "@std/assert";
import { describe, describeBriefly } from "../../src/lib/errors.ts";

Deno.test("describeBriefly() leaves out the system's number and the path that the message names already", () => {
  let thrown: unknown;
  try {
    Deno.readTextFileSync("/nowhere/at/all");
  } catch (error) {
    thrown = error;
  }
  assertEquals(describeBriefly(thrown), describe(thrown).split(" (os error")[0]);
  assertEquals(describeBriefly(new Error("it is not a file: a (b)")), "it is not a file: a (b)");
});
