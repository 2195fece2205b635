import { assert, assertEquals, assertMatch } from "@std/assert";
import { bubblewrap } from "../../../src/sandbox/os/bubblewrap.ts";
import { openFilter, withFilter } from "../../../src/sandbox/os/filter_file.ts";
import { machineMounts } from "../../../src/sandbox/os/mounts.ts";
import { exists, realPath } from "../../../src/sandbox/os/places.ts";
import { syscallFilter } from "../../../src/sandbox/os/syscall_filter.ts";
import { type PairOptions, withPair } from "../worker_pair.ts";

const KINDS = { x86_64: 0xc000003e, i386: 0x40000003, aarch64: 0xc00000b7, arm: 0x40000028 };
const [ALLOWED, EPERM, ENOSYS, EAFNOSUPPORT] = [0x7fff0000, 0x50001, 0x50026, 0x50061];

/** Runs a filter as the kernel does, for a call of a kind and number with these arguments. */
function answer(bytes: Uint8Array, kind: number, number: number, ...args: number[]): number {
  const view = new DataView(bytes.buffer);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, kind, true);
  args.forEach((value, i) => data.setUint32(16 + 8 * i, value, true));
  let word = 0;
  for (let at = 0; at < bytes.length; at += 8) {
    const value = view.getUint32(at + 4, true);
    const jump = (yes: boolean) => at += 8 * view.getUint8(at + (yes ? 2 : 3));
    switch (view.getUint16(at, true)) {
      case 0x20:
        word = data.getUint32(value, true);
        break;
      case 0x54:
        word = (word & value) >>> 0;
        break;
      case 0x15:
        jump(word === value);
        break;
      case 0x45:
        jump((word & value) !== 0);
        break;
      case 0x06:
        return value;
      default:
        throw new Error("unknown instruction");
    }
  }
  throw new Error("no answer");
}

Deno.test("syscallFilter() refuses sockets to the machine's host, by each way a machine has, if the network is confined", () => {
  const ways: [string, number, number[]][] = [
    ["x86_64", KINDS.x86_64, [41, 53, 0x40000000 | 41]],
    ["x86_64", KINDS.i386, [359, 360]],
    ["aarch64", KINDS.aarch64, [198, 199]],
    ["aarch64", KINDS.arm, [281, 288]],
  ];
  for (const [arch, kind, numbers] of ways) {
    const [confined, free] = [syscallFilter(arch, true)!, syscallFilter(arch, false)!];
    for (const number of numbers) {
      assertEquals(answer(confined, kind, number, 40, 1, 0), EAFNOSUPPORT, `${arch} ${number}`);
      for (const family of [1, 2, 10, 16]) assertEquals(answer(confined, kind, number, family, 1), ALLOWED);
      assertEquals(answer(free, kind, number, 40, 1, 0), ALLOWED);
    }
    assertEquals(answer(confined, kind, 425), ENOSYS);
    assertEquals(answer(confined, 0x12345, numbers[0], 2), ALLOWED);
  }
  assertEquals(answer(syscallFilter("x86_64", true)!, KINDS.i386, 102), ENOSYS);
  assertEquals(syscallFilter("sparc", true), undefined);
});

Deno.test("syscallFilter() refuses set-ID bits in every mode, and heeds no mode where nothing is made", () => {
  const chmods: [string, number, number, number][] = [
    ["x86_64", KINDS.x86_64, 90, 1],
    ["x86_64", KINDS.x86_64, 268, 2],
    ["x86_64", KINDS.x86_64, 452, 2],
    ["x86_64", KINDS.x86_64, 85, 1],
    ["x86_64", KINDS.i386, 15, 1],
    ["aarch64", KINDS.aarch64, 53, 2],
    ["aarch64", KINDS.arm, 333, 2],
  ];
  for (const [arch, kind, number, place] of chmods) {
    const filter = syscallFilter(arch, false)!;
    const call = (mode: number) => answer(filter, kind, number, ...Array(place).fill(0o6000), mode);
    for (const mode of [0o4755, 0o2755, 0o6000]) assertEquals(call(mode), EPERM, `${arch} ${number}`);
    for (const mode of [0o755, 0o1777, 0o100644]) assertEquals(call(mode), ALLOWED);
  }
  const opens: [string, number, number][] = [
    ["x86_64", KINDS.x86_64, 257],
    ["x86_64", KINDS.i386, 295],
    ["aarch64", KINDS.aarch64, 56],
    ["aarch64", KINDS.arm, 322],
  ];
  for (const [arch, kind, number] of opens) {
    const call = (flags: number, mode: number) =>
      answer(syscallFilter(arch, true)!, kind, number, 0, 0, flags, mode);
    assertEquals(call(0o100 | 1, 0o4755), EPERM);
    assertEquals(call(0o20200000 | 1, 0o4755), EPERM);
    assertEquals(call(0o100 | 1, 0o644), ALLOWED);
    assertEquals(call(0o2000001, 0o7777), ALLOWED);
  }
});

/** Under the real bubblewrap. */
function confined(
  name: string,
  work: Parameters<typeof withPair>[1],
  policy?: PairOptions["policy"],
): void {
  const ignore = Deno.build.os !== "linux" || syscallFilter(Deno.build.arch, true) === undefined;
  Deno.test({ name, ignore, fn: () => withPair({ wrapper: "real", policy }, work) });
}

const SOCKETS =
  `for my $f (1, 2, 40) { print "$f:", (socket(my $s, $f, 1, 0) ? "yes" : $! + 0), " " } socketpair(A, B, 1, 1, 0) or print "no pair"`;

confined("confined programs make no socket to the machine's host, others they do", async ({ sh }) => {
  assertEquals((await sh(`perl -e '${SOCKETS}'`)).out, "1:yes 2:yes 40:97 ");
});

confined("confined programs with every host allowed are kept from no socket", async ({ sh }) => {
  const outside = await new Deno.Command("perl", { args: ["-e", SOCKETS] }).output();
  assertEquals((await sh(`perl -e '${SOCKETS}'`)).out, new TextDecoder().decode(outside.stdout));
}, { net: ["*"] });

const [ADD_KEY, KEYCTL] = Deno.build.arch === "aarch64" ? [217, 219] : [248, 250];

Deno.test("syscallFilter() knows no keyrings, on any machine and in any network", () => {
  for (
    const [arch, kind, numbers] of [
      ["x86_64", KINDS.x86_64, [248, 249, 250]],
      ["x86_64", KINDS.i386, [286, 287, 288]],
      ["aarch64", KINDS.aarch64, [217, 218, 219]],
      ["aarch64", KINDS.arm, [309, 310, 311]],
    ] as const
  ) {
    for (const number of numbers) {
      assertEquals(answer(syscallFilter(arch, true)!, kind, number), ENOSYS, `${arch} ${number}`);
      assertEquals(answer(syscallFilter(arch, false)!, kind, number), ENOSYS);
    }
  }
});

confined("confined programs reach no keyring of the user's", async ({ sh }) => {
  const { out } = await sh(
    `perl -e '$u = "user"; for ([${ADD_KEY}, $u, "n", "x", 1, -4], [${KEYCTL}, 0, -4, 0]) { my @a = @$_; print syscall(shift @a, @a), ":", $! + 0, " " }'`,
  );
  assertEquals(out, "-1:38 -1:38 ");
});

confined("confined programs set no set-ID bit", async ({ sh, workspace }) => {
  assertMatch((await sh("cp /bin/true t && chmod u+s t")).out, /not permitted/);
  assertMatch((await sh("chmod g+s t")).out, /not permitted/);
  assertMatch((await sh("install -m 4755 /bin/true u")).out, /not permitted/);
  const { out } = await sh(
    `umask 0; perl -MFcntl -e 'print sysopen(my $f, "v", O_CREAT | O_WRONLY, 04755) ? "made" : "refused"'`,
  );
  assertEquals(out, "refused");
  assertEquals((await sh("chmod 1755 t && mkdir d && chmod 1777 d")).out, "");
  for (const { name } of Deno.readDirSync(workspace)) {
    assertEquals(Deno.statSync(`${workspace}/${name}`).mode! & 0o6000, 0, name);
  }
});

confined("what keeps the sandbox is filtered, too, and no program inherits the filter", async ({ sh }) => {
  const { out } = await sh("cat /proc/1/status /proc/2/status; ls /proc/self/fd");
  assertEquals(out.match(/^Seccomp:\s*2$/gm)?.length, 2, out);
  assert(!/^6$/m.test(out.slice(out.lastIndexOf(":"))), out);
});

Deno.test({
  name: "a confined program alone has the filter, and nothing starts where it cannot be read",
  ignore: Deno.build.os !== "linux" || syscallFilter(Deno.build.arch, true) === undefined,
  fn: () =>
    withPair({ wrapper: "none" }, async ({ policy, workspace }) => {
      const filter = openFilter(policy)!;
      const run = async (script: string) => {
        const wrapper = bubblewrap(
          "/usr/bin/bwrap",
          exists,
          Deno.uid() === 0,
          undefined,
          realPath,
          machineMounts,
          filter.path,
        );
        const command = {
          program: "/bin/sh",
          argv: ["sh", "-c", script],
          cwd: workspace,
          env: { PATH: "/usr/bin:/bin" },
        };
        const { program, argv, env } = await wrapper.wrap(command, policy);
        const { stdout } = await new Deno.Command(program, { args: argv.slice(1), env, clearEnv: true })
          .output();
        return new TextDecoder().decode(stdout);
      };
      assertEquals(await run(`perl -e '${SOCKETS}'`), "1:yes 2:yes 40:97 ");
      assertEquals(await run("(echo x >&6) 2>/dev/null || echo closed"), "closed\n");
      filter.close();
      assertEquals(await run("echo ran"), "");
      // Where its number stands for a pipe by now, that would never end.
      const [sh, ...args] = withFilter("/proc/self/fd/0", ["/bin/cat", "/dev/fd/6"]);
      const child = new Deno.Command(sh, { args, stdin: "piped" }).spawn();
      assertEquals((await child.status).code, 126);
      await child.stdin.close();
    }),
});
