import { compareRows, inFolder, run, runHost } from "./support/run.ts";
import { assertEquals } from "@std/assert";

const files = {
  a: "hello world\nfoo\n",
  b: "x".repeat(3000),
  empty: "",
  "odd\nname": "odd\n",
  "d/": "",
  "list.md5": "37af9c6a851ff085b7e3caca4be3d495  a\n",
  "list.tag": "MD5 (a) = 37af9c6a851ff085b7e3caca4be3d495\nMD5 (b) = 37af9c6a851ff085b7e3caca4be3d495\n",
  "list.bad": "nonsense\n37af9c6a851ff085b7e3caca4be3d495  a\n37af9c6a851ff085b7e3caca4be3d495  missing\n",
  "list.b2": "8f3fdab7d72daf4bf41ccc65840577c7  a\nBLAKE2b-128 (a) = 8f3fdab7d72daf4bf41ccc65840577c7\n",
};
const on = (...argv: string[]) => ({ argv, files });
const fed = (stdin: string, ...argv: string[]) => ({ argv, files, stdin });

compareRows([
  ...["sha224sum", "sha384sum", "sha512sum", "b2sum"].flatMap((name) => [
    on(name, "a", "b", "empty"),
    fed("text", name),
    fed("text", name, "-"),
    on(name, "missing", "a"),
    on(name, "d"),
    on(name, "--tag", "a"),
    on(name, "-b", "a"),
    on(name, "-z", "a"),
    on(name, "odd\nname"),
    on(name, "-c", "a"),
    on(name, "--quiet", "a"),
    on(name, "-w", "a"),
  ]),
  on("b2sum", "-l", "128", "a"),
  on("b2sum", "-l", "128", "--tag", "a"),
  on("b2sum", "--length=0", "a"),
  on("b2sum", "-l", "7", "a"),
  on("b2sum", "-l", "1024", "a"),
  on("b2sum", "-l", "x", "a"),
  on("b2sum", "-c", "list.b2"),
  on("b2sum", "-c", "list.md5"),
  on("md5sum", "-c", "list.md5"),
  on("md5sum", "-c", "list.tag"),
  on("md5sum", "-c", "list.bad"),
  on("md5sum", "-c", "--strict", "--ignore-missing", "list.bad"),
  on("md5sum", "-c", "--quiet", "list.tag"),
  on("md5sum", "-c", "--status", "list.tag"),
  on("sum", "a", "b", "empty"),
  on("sum", "a"),
  fed("text", "sum"),
  fed("text", "sum", "-s"),
  fed("text", "sum", "-"),
  on("sum", "-s", "a", "b"),
  on("sum", "-r", "a"),
  on("sum", "-s", "-r", "a"),
  on("sum", "--sysv", "a"),
  on("sum", "missing", "a"),
  on("sum", "d"),
  on("sum", "-x"),
  on("cksum", "a", "b", "empty"),
  fed("text", "cksum"),
  fed("text", "cksum", "-"),
  on("cksum", "missing", "a"),
  on("cksum", "--tag", "a"),
  on("cksum", "--untagged", "a"),
  on("cksum", "-z", "a"),
  on("cksum", "odd\nname"),
  ...["bsd", "sysv", "crc", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b"].flatMap((
    name,
  ) => [
    on("cksum", "-a", name, "a", "b"),
    on("cksum", `--algorithm=${name}`, "--untagged", "a"),
  ]),
  on("cksum", "-a", "blake2b", "-l", "128", "a"),
  on("cksum", "-a", "blake2b", "-l", "7", "a"),
  on("cksum", "-l", "8", "a"),
  on("cksum", "-a", "foo", "a"),
  on("cksum", "-c", "list.tag"),
  on("cksum", "-c", "list.md5"),
  on("cksum", "-a", "md5", "-c", "list.md5"),
  on("cksum", "-a", "sha1", "-c", "list.tag"),
  on("cksum", "-a", "crc", "-c", "list.md5"),
  on("cksum", "--quiet", "a"),
]);

Deno.test("b2sum and its kin check what the machine's programs have written, and the other way round", async () => {
  await inFolder({
    ...files,
    "two words": "1\n",
    "back\\slash": "2\n",
    long: "long line of text ".repeat(50_000),
  }, async (cwd) => {
    for (const argv of [["b2sum"], ["b2sum", "-l", "256", "--tag"], ["sha512sum"], ["sha384sum", "--tag"]]) {
      const list = [...argv, "a", "b", "long", "odd\nname", "two words", "back\\slash"];
      const ours = (await run(list, { cwd })).stdout;
      assertEquals(ours, (await runHost(list, { cwd })).stdout);
      await Deno.writeTextFile(`${cwd}/sums`, ours);
      const check = [argv[0], "-c", "sums"];
      assertEquals(await run(check, { cwd }), await runHost(check, { cwd }));
    }
  });
});
