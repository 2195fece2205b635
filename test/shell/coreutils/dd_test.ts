import { assert, assertEquals, assertMatch } from "@std/assert";
import { inFolder, type Outcome, outcome, type Row, run, runHost, sourceOf } from "./support/run.ts";

const files = { a: "hello world\nfoo\n", b: "0123456789ABCDEFGHIJ\n", "d/": "", big: "x".repeat(10_000) };

const rows: Row[] = [
  ["if=a", "of=n"],
  ["if=a", "of=n", "bs=4"],
  ["if=a", "bs=4", "count=2"],
  ["if=a", "bs=4", "skip=1", "count=1"],
  ["if=a", "of=b", "bs=4", "seek=2", "conv=notrunc,ucase"],
  ["if=a", "of=b", "bs=4", "seek=2"],
  ["if=a", "of=b", "conv=notrunc"],
  ["if=a", "of=n", "bs=4", "seek=2"],
  ["if=a", "of=b", "oflag=append", "conv=notrunc"],
  ["if=a", "of=b", "seek=3", "oflag=seek_bytes", "conv=notrunc"],
  ["if=a", "of=b", "seek=3B", "conv=notrunc"],
  ["if=a", "of=b", "oseek=1", "bs=2", "conv=notrunc"],
  ["if=missing"],
  ["of=no/x"],
  ["of=d"],
  ["if=d", "of=n"],
  ["foo"],
  ["foo=1"],
  ["bs=x"],
  ["bs=0"],
  ["bs="],
  ["bs=99999999999999999999"],
  ["count=-1"],
  ["count=1x"],
  ["conv=foo"],
  ["conv="],
  ["conv=lcase,ucase"],
  ["conv=excl,nocreat"],
  ["iflag=foo"],
  ["oflag=fullblock"],
  ["status=foo"],
  ["-x"],
  ["--foo"],
  ["if=a", "of=n", "conv=lcase", "status=noxfer"],
  ["if=a", "status=none"],
  ["if=a", "bs=10", "conv=sync", "status=none"],
  ["if=a", "bs=10", "conv=sync"],
  ["if=a", "ibs=4", "obs=6", "of=n"],
  ["if=big", "ibs=1000", "obs=300"],
  ["if=big", "ibs=300", "obs=1000", "conv=ucase"],
  ["if=big", "bs=1k"],
  ["if=big", "bs=1kB"],
  ["if=big", "bs=1kB", "count=1"],
  ["if=big", "bs=2x3", "count=4"],
  ["if=big", "bs=1KiB", "count=1"],
  ["if=big", "bs=2b", "count=1"],
  ["if=big", "bs=3w", "count=1"],
  ["if=big", "bs=1M"],
  ["if=/dev/zero", "bs=1M", "count=2", "of=/dev/null"],
  ["if=/dev/zero", "bs=1M", "count=15", "of=/dev/null"],
  ["if=/dev/zero", "bs=999999", "count=1", "of=/dev/null"],
  ["if=/dev/zero", "bs=1023", "count=1", "of=/dev/null"],
  ["if=/dev/zero", "bs=1024", "count=1", "of=/dev/null"],
  ["if=/dev/null"],
  ["if=/dev/zero", "count=0"],
  ["if=/dev/zero", "bs=1", "count=1", "of=/dev/null"],
  ["if=a", "of=b", "conv=excl"],
  ["if=a", "of=n", "conv=excl"],
  ["if=a", "of=n", "conv=nocreat"],
  ["if=a", "of=b", "conv=nocreat"],
  ["if=a", "conv=swab"],
  ["if=b", "conv=lcase"],
  ["if=a", "bs=4", "skip=100"],
  ["if=a", "bs=5", "skip=3B", "iflag=count_bytes"],
  ["if=a", "iflag=skip_bytes,count_bytes", "skip=2", "count=3"],
  ["if=a", "bs=1K", "count=7B"],
  ["if=a", "iseek=1", "bs=3"],
  ["if=a", "of=n", "conv=fsync,fdatasync,sparse"],
  ["if=a", "iflag=append"],
  ["if=a", "conv=noerror", "bs=4"],
  ["if=a", "bs=4", "status=progress", "count=1"],
  ["if=a", "of=/dev/stdout", "bs=4"],
  ["if=a", "of=/dev/stdout", "count=1", "bs=3"],
].map((args) => ({ argv: ["dd", ...args], files }));

const fed: Row[] = [[], ["bs=3", "skip=1"], ["bs=1", "skip=10"], ["bs=4", "iflag=fullblock"], ["of=n"], [
  "count=0",
]]
  .map((args) => ({ argv: ["dd", ...args], files, stdin: "abcdefgh" }));

/** How long it took is no matter. */
function timeless(result: Outcome): Outcome {
  return { ...result, stderr: result.stderr.replace(/ copied, .*/g, " copied") };
}

for (const row of [...rows, ...fed]) {
  Deno.test(`like GNU: ${row.argv.join(" ")}${row.stdin === undefined ? "" : " < stdin"}`, async () => {
    for (const locale of ["C", "C.UTF-8"]) {
      const here = { ...row, env: { LC_ALL: locale } };
      assertEquals(timeless(await outcome(here, run)), timeless(await outcome(here, runHost)), locale);
    }
  });
}

Deno.test("dd tells time and rate in the original's form", async () => {
  await inFolder(files, async (cwd) => {
    const { stderr } = await run(["dd", "if=big", "of=n"], { cwd });
    assertMatch(
      stderr,
      /^19\+1 records in\n19\+1 records out\n10000 bytes \(10 kB, 9\.8 KiB\) copied, [\d.e-]+ s, [\d.]+ [kMG]B\/s\n$/,
    );
  });
});

Deno.test("dd counts what a pipe gives in pieces, and fills blocks where it is told to", async () => {
  await inFolder({}, async (cwd) => {
    const pieces = () => sourceOf("abcdefghij", 3);
    const short = await run(["dd", "bs=4", "count=2", "status=noxfer"], { cwd, stdin: pieces() });
    assertEquals(short, { stdout: "abcdef", stderr: "0+2 records in\n0+2 records out\n", status: 0 });
    const full = await run(["dd", "bs=4", "count=2", "iflag=fullblock", "status=noxfer"], {
      cwd,
      stdin: pieces(),
    });
    assertEquals(full, { stdout: "abcdefgh", stderr: "2+0 records in\n2+0 records out\n", status: 0 });
  });
});

Deno.test("dd reads no more of its input than it is to copy", async () => {
  await inFolder(files, async (cwd) => {
    let asked = 0;
    const stdin = {
      read: (into: Uint8Array) => (asked += into.length, into.fill(97), into.length),
      close() {},
    };
    assertEquals(
      (await run(["dd", "bs=10", "count=3", "status=none"], { cwd, stdin })).stdout,
      "a".repeat(30),
    );
    assert(asked === 30, `asked for ${asked} bytes`);
  });
});

Deno.test("dd refuses a conversion that it does not know", async () => {
  await inFolder(files, async (cwd) => {
    assertEquals(await run(["dd", "conv=ebcdic", "if=a"], { cwd }), {
      stdout: "",
      stderr: "dd: option conv=ebcdic is not supported here\n",
      status: 2,
    });
  });
});
