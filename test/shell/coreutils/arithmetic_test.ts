import { assertEquals } from "@std/assert";
import { compareRows, inFolder, type Row, run } from "./support/run.ts";

const factor = (argv: string[], stdin = ""): Row => ({ argv: ["factor", ...argv], stdin });

compareRows([
  factor(["0", "1", "2", "12", "97", "1024", "3599", "9999991"]),
  factor(["18446744073709551615", "18446744073709551617"]),
  factor(["1000000016000000063"]),
  factor(["10000000000000000000000000000000000000000"]),
  factor(["170141183460469231731687303715884105727"]),
  factor(["99999999999999999999999999977"]),
  factor(["+7", " 8", "007"]),
  factor(["a", "6", "1.5"]),
  factor([], "6 7\n 8\t9\n\nx\n10"),
  factor(["-3"]),
]);

Deno.test("factor -h groups the same factors", async () => {
  const { stdout } = await inFolder({}, (cwd) => run(["factor", "-h", "72", "7"], { cwd }));
  assertEquals(stdout, "72: 2^3 3^2\n7: 7\n");
});
