import { assert, assertEquals } from "@std/assert";
import { compareRows, inFolder, run, runHost } from "./support/run.ts";

const tree = {
  "a.txt": "hello\n",
  "sub/c.txt": "x\n",
  "sub/deep/d.js": "y\n",
  "empty/": "",
  "link": "-> a.txt",
  "dirlink": "-> sub",
  "dangling": "-> nowhere",
};
const on = (argv: string[], files: Record<string, string> = tree) => ({ argv, files });

compareRows([
  on(["rmdir", "empty"]),
  on(["rmdir", "sub"]),
  on(["rmdir", "-p", "x/y/z"], { "x/y/z/": "" }),
  on(["rmdir", "missing"]),
  on(["rmdir", "--ignore-fail-on-non-empty", "sub"]),
  on(["rmdir"]),
  on(["ln", "a.txt", "hard"]),
  on(["ln", "-s", "a.txt", "soft"]),
  on(["ln", "-s", "../a.txt", "sub"]),
  on(["ln", "-sf", "sub", "link"]),
  on(["ln", "-sfn", "empty", "dirlink"]),
  on(["ln", "-s", "a.txt", "link"]),
  on(["ln", "-sv", "a.txt", "soft"]),
  on(["ln", "-sr", "sub/c.txt", "empty/rel"]),
  on(["ln", "sub", "x"]),
  on(["ln", "missing", "x"]),
  on(["ln", "-s", "a.txt", "sub/c.txt", "empty"]),
  on(["ln", "-t", "empty", "a.txt"]),
  on(["ln"]),
  on(["chmod", "600", "a.txt"]),
  on(["chmod", "u+x,g-r,o=", "a.txt"]),
  on(["chmod", "+x", "a.txt"]),
  on(["chmod", "a=rX", "a.txt", "sub"]),
  on(["chmod", "-R", "go-rx", "sub"]),
  on(["chmod", "-v", "755", "a.txt"]),
  on(["chmod", "-c", "644", "a.txt"]),
  on(["chmod", "-w", "a.txt"]),
  on(["chmod", "g=u", "a.txt"]),
  on(["chmod", "2755", "sub"]),
  on(["chmod", "xyz", "a.txt"]),
  on(["chmod", "644", "missing"]),
  on(["chmod", "--reference=a.txt", "sub/c.txt"]),
  on(["chmod"]),
  on(["chmod", "644"]),
  on(["readlink", "link", "a.txt"]),
  on(["readlink", "-f", "link", "dangling", "sub/../link", "missing/x"]),
  on(["readlink", "-e", "dangling"]),
  on(["readlink", "-m", "missing/x/../y"]),
  on(["readlink", "-n", "link"]),
  on(["readlink"]),
  on(["realpath", "link", "sub/../dirlink/c.txt"]),
  on(["realpath", "missing"]),
  on(["realpath", "missing/x"]),
  on(["realpath", "-s", "dirlink/../a.txt"]),
  on(["realpath", "--relative-to=sub", "a.txt", "sub/c.txt"]),
  on(["realpath", "--relative-base=.", "a.txt", "/"]),
  on(["stat", "-c", "%n %s %F %a %A %h %U %G", "a.txt", "sub", "link"]),
  on(["stat", "-c", "%Y", "a.txt"]),
  on(["stat", "-c", "%N", "link"]),
  on(["stat", "-L", "-c", "%F", "link"]),
  on(["stat", "--printf", "%n\\t%s\\n", "a.txt"]),
  on(["stat", "-c", "%y", "a.txt"]),
  on(["stat", "missing"]),
  on(["stat", "-c", "%F", "empty.txt"], { "empty.txt": "" }),
  on(["du", "-b", "sub"]),
  on(["du", "-a", "-b", "sub/deep"]),
  on(["du", "-sb", "sub", "a.txt"]),
  on(["du", "-k", "--apparent-size", "a.txt"]),
  on(["du", "-sh", "a.txt"]),
  on(["du", "-cb", "a.txt", "sub/c.txt"]),
  on(["du", "-d1", "-b", "."]),
  on(["du", "missing"]),
  on(["file", "a.txt", "sub", "link", "dangling", "e", "j.json", "s.sh", "p.py", "u", "crlf", "bin"], {
    ...tree,
    e: "",
    "j.json": '{"a": 1}\n',
    "s.sh": "#!/bin/sh\necho\n",
    "p.py": "#!/usr/bin/env python3\nprint()\n",
    u: "é\n",
    crlf: "a\r\nb\r\n",
    bin: "\0\x01\x02",
  }),
  on(["file", "-b", "--mime-type", "a.txt", "sub"]),
  on(["file", "-i", "a.txt", "missing"]),
  on(["nproc"]),
  on(["uname"]),
  on(["uname", "-sm"]),
  on(["whoami"]),
  on(["id", "-u"]),
  on(["id", "-un"]),
  on(["hostname"]),
  on(["which", "sh", "nothing-like-this"]),
  on(["timeout", "5", "sh", "-c", "echo hi; exit 3"]),
  on(["timeout", "0.2", "sleep", "5"]),
  on(["timeout", "-s", "KILL", "0.2", "sleep", "5"]),
  on(["timeout", "x", "true"]),
  on(["timeout"]),
  on(["timeout", "-s", "NOPE", "1", "true"]),
  on(["tar", "tf", "missing.tar"]),
  on(["tar", "cf", "x.tar"]),
  on(["gzip", "missing"]),
  on(["gzip", "sub"]),
  on(["gunzip", "a.txt"]),
]);

Deno.test("gzip, gunzip and zcat understand each other and the machine's", async () => {
  const text = "some text, again and again. ".repeat(5000);
  await inFolder({ f: text }, async (cwd) => {
    assertEquals(await run(["gzip", "-k", "f"], { cwd }), { stdout: "", stderr: "", status: 0 });
    assert((await Deno.stat(`${cwd}/f.gz`)).size < 2000);
    assertEquals((await runHost(["gzip", "-dc", "f.gz"], { cwd })).stdout, text);
    assertEquals((await run(["zcat", "f.gz"], { cwd })).stdout, text);
    await runHost(["gzip", "-9", "-f", "f"], { cwd });
    assertEquals(await run(["gunzip", "f.gz"], { cwd }), { stdout: "", stderr: "", status: 0 });
    assertEquals(await Deno.readTextFile(`${cwd}/f`), text);
    assertEquals((await run(["gzip", "-t", "f"], { cwd })).status, 1);
  });
});

Deno.test("tar makes what the machine's tar reads, and reads what it makes", async () => {
  const long = "a-name-that-is-long/".repeat(6) + "file";
  const files = { "d/a": "hello\n", "d/b/c": "x".repeat(2000), "d/link": "-> a", [`d/${long}`]: "deep\n" };
  for (const zip of ["", "z"]) {
    await inFolder({ ...files, "out1/": "", "out2/": "" }, async (cwd) => {
      assertEquals(await run(["tar", `c${zip}f`, "ours.tar", "d"], { cwd }), {
        stdout: "",
        stderr: "",
        status: 0,
      });
      const list = await runHost(["tar", `tf`, "ours.tar"], { cwd });
      assertEquals(list.status, 0, list.stderr);
      assertEquals((await run(["tar", "tf", "ours.tar"], { cwd })).stdout, list.stdout);
      await runHost(["tar", `c${zip}f`, "theirs.tar", "d"], { cwd });
      assertEquals(
        (await run(["tar", "-tvf", "theirs.tar"], { cwd })).stdout,
        (await runHost(["tar", "-tvf", "theirs.tar"], { cwd })).stdout,
      );
      assertEquals(await run(["tar", "xf", "theirs.tar", "-C", "out1"], { cwd }), {
        stdout: "",
        stderr: "",
        status: 0,
      });
      await runHost(["tar", "xf", "ours.tar", "-C", "out2"], { cwd });
      assertEquals(await runHost(["diff", "-r", "d", "out1/d"], { cwd }), {
        stdout: "",
        stderr: "",
        status: 0,
      });
      assertEquals(await runHost(["diff", "-r", "d", "out2/d"], { cwd }), {
        stdout: "",
        stderr: "",
        status: 0,
      });
      const some = await run(["tar", "xf", "theirs.tar", "--strip-components=1", "-O", "d/a"], { cwd });
      assertEquals(some, { stdout: "hello\n", stderr: "", status: 0 });
    });
  }
});

Deno.test("tar does not leave the folder it unpacks in", async () => {
  await inFolder({ "w/x": "bad\n", "t/": "" }, async (cwd) => {
    await runHost(["tar", "-cPf", "evil.tar", "--transform=s,w/x,../escaped,", "w/x"], { cwd });
    const dots = await run(["tar", "xf", "../evil.tar"], { cwd: `${cwd}/t` });
    assertEquals(dots.status, 2);
    assert(dots.stderr.includes("Member name contains '..'"), dots.stderr);
    await Deno.symlink("..", `${cwd}/t/up`);
    await runHost(["tar", "-cf", "through.tar", "--transform=s,w/x,up/escaped,", "w/x"], { cwd });
    const link = await run(["tar", "xf", "../through.tar"], { cwd: `${cwd}/t` });
    assertEquals(link.status, 2);
    assertEquals([...Deno.readDirSync(cwd)].map(({ name }) => name).includes("escaped"), false);
  });
});

Deno.test("tree draws folders", async () => {
  await inFolder({ "a": "", "b/c": "", "b/d/e": "", ".hid": "" }, async (cwd) => {
    assertEquals(
      (await run(["tree"], { cwd })).stdout,
      ".\n|-- a\n`-- b\n    |-- c\n    `-- d\n        `-- e\n\n3 directories, 3 files\n",
    );
    assertEquals(
      (await run(["tree", "-L", "1", "--noreport", "-a"], { cwd })).stdout,
      ".\n|-- .hid\n|-- a\n`-- b\n",
    );
  });
});

Deno.test("mktemp makes a new file or folder", async () => {
  await inFolder({}, async (cwd) => {
    const file = await run(["mktemp", "x.XXXXXX"], { cwd });
    assert(/^x\.\w{6}\n$/.test(file.stdout), file.stdout);
    assertEquals((await Deno.stat(`${cwd}/${file.stdout.trim()}`)).mode! & 0o777, 0o600);
    const folder = await run(["mktemp", "-d", "-p", cwd], { cwd });
    assert((await Deno.stat(folder.stdout.trim())).isDirectory);
    assertEquals((await run(["mktemp", "x.XX"], { cwd })).stderr, "mktemp: too few X's in template 'x.XX'\n");
  });
});

Deno.test("df tells of the file system that holds a path", async () => {
  await inFolder({}, async (cwd) => {
    const ours = (await run(["df", "-P", "/"], { cwd })).stdout.split("\n");
    const theirs = (await runHost(["df", "-P", "/"], { cwd })).stdout.split("\n");
    const columns = (line: string) => line.split(/ +/);
    assertEquals(ours[0], theirs[0]);
    assertEquals([columns(ours[1])[0], columns(ours[1])[1], columns(ours[1])[5]], [
      columns(theirs[1])[0],
      columns(theirs[1])[1],
      columns(theirs[1])[5],
    ]);
    assertEquals((await run(["df", "missing"], { cwd })).status, 1);
  });
});
