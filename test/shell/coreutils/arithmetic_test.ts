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

const bc = async (program: string, ...argv: string[]) => {
  const { stdout, stderr } = await inFolder({}, (cwd) => run(["bc", ...argv], { cwd, stdin: program }));
  return stderr + stdout;
};

Deno.test("bc cuts results at the scale", async () => {
  assertEquals(
    await bc("1/3; scale=3; 1/3; 2^-2; -5%3; -5.5%3; 1.50*2.25; 0.50; 0.00\n"),
    "0\n.333\n.250\n-.002\n-.001\n3.375\n.50\n0\n",
  );
  assertEquals(
    await bc("2^3^2; -2^2; scale=10; sqrt(2); length(123.456); scale(1.20)\n"),
    "512\n4\n1.4142135623\n6\n2\n",
  );
});

Deno.test("bc reads and writes other bases", async () => {
  assertEquals(await bc("obase=16; 255; -10.5; obase=20; 399.5\n"), "FF\n-A.8\n 19 19.10\n");
  assertEquals(await bc("ibase=16; FF; A.8\nibase=2; 101.1\n"), "255\n10.5\n5.5\n");
});

Deno.test("bc has loops, conditions, arrays and functions", async () => {
  assertEquals(
    await bc("for (i = 0; i < 3; i++) i\nwhile (i > 1) { i -= 1; if (i == 2) continue; i }\n"),
    "0\n1\n2\n1\n",
  );
  assertEquals(
    await bc("define f(n) {\n  if (n <= 1) {\n    return 1\n  }\n  return n * f(n - 1)\n}\nf(20)\n"),
    "2432902008176640000\n",
  );
  assertEquals(
    await bc("define g(a[], i) { auto x; x = a[i]; return (x) }\nb[2] = 7; x = 1; g(b[], 2); x\n"),
    "7\n1\n",
  );
  assertEquals(await bc('print "a\\n", 1, "\\n"; "b"; x = 3; x++; x\n'), "a\n1\nb3\n4\n");
  assertEquals(await bc("5; .+1; last\nquit\n7\n"), "5\n6\n6\n");
});

Deno.test("bc -l has the functions of the library", async () => {
  assertEquals(
    await bc("e(1); s(1); c(1); a(1)*4; l(2); j(1,2); c(0); e(-1)\n", "-l"),
    "2.71828182845904523536\n.84147098480789650665\n.54030230586813971740\n3.14159265358979323844\n" +
      ".69314718055994530941\n.57672480775687338720\n1.00000000000000000000\n.36787944117144232159\n",
  );
});

Deno.test("bc says what is wrong and goes on with the next line", async () => {
  assertEquals(await bc("1/0; 5\n6\n"), "Runtime error (func=(main)): Divide by zero\n6\n");
  assertEquals(await bc("3 +\n4\n"), "(standard_in) 2: syntax error\n4\n");
  assertEquals(await bc("f(1)\n"), "Runtime error (func=(main)): Function f not defined.\n");
  assertEquals(await bc("break\n1\n"), "(standard_in) 1: Break outside a for/while\n1\n");
});

Deno.test("bc breaks long numbers, unless BC_LINE_LENGTH is 0", async () => {
  const { stdout } = await inFolder({}, (cwd) => run(["bc"], { cwd, stdin: "10^80\n" }));
  assertEquals(stdout, `1${"0".repeat(67)}\\\n${"0".repeat(13)}\n`);
  const whole = await inFolder(
    {},
    (cwd) => run(["bc"], { cwd, stdin: "10^80\n", env: { BC_LINE_LENGTH: "0" } }),
  );
  assertEquals(whole.stdout, `1${"0".repeat(80)}\n`);
});
