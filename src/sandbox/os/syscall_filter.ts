/**
 * The filter of system calls that bubblewrap gives to confined programs, as
 * the bytes of a classic BPF program. It refuses what no namespace and no
 * mount binds:
 *
 * - sockets to the host of a virtual machine (AF_VSOCK), which belong to no
 *   network namespace, where the network is confined;
 * - set-user-ID and set-group-ID bits: in the workspace such a file would be
 *   there for everyone on the machine, outside of the sandbox;
 * - the kernel's keyrings (add_key, request_key, keyctl), which belong to the
 *   user and not to a namespace: what other programs keep there is a secret;
 * - the two calls by which both could be had unseen: `io_uring` opens sockets
 *   and files past every filter, and a filter cannot read the mode that
 *   `openat2` is given. To a program they look as on an older kernel, where
 *   it does without them.
 *
 * Everything else is allowed. Calls of the 32-bit kind are met by their own
 * numbers; those of x32 by the ones of x86_64.
 */

/** What is done about one system call; the numbers are places of its arguments. */
type Rule =
  | { readonly family: number }
  | { readonly mode: number }
  | { readonly flags: number; readonly mode: number }
  | { readonly missing: true };

interface Machine {
  /** AUDIT_ARCH_…, as the kernel names the kind of a call. */
  readonly kind: number;
  /** What of a call's number counts. */
  readonly mask?: number;
  readonly network: Readonly<Record<number, Rule>>;
  readonly files: Readonly<Record<number, Rule>>;
}

const FAMILY: Rule = { family: 0 };
const MISSING: Rule = { missing: true };
const missing = (...numbers: readonly number[]): Readonly<Record<number, Rule>> =>
  Object.fromEntries(numbers.map((number) => [number, MISSING]));
/** Numbers that all machines share: io_uring_setup, openat2, fchmodat2. */
const SHARED: Readonly<Record<number, Rule>> = { 425: MISSING, 437: MISSING, 452: { mode: 2 } };

const X86_64: Machine = {
  kind: 0xc000003e,
  // The bit that marks calls of x32.
  mask: 0xbfffffff,
  network: { 41: FAMILY, 53: FAMILY },
  files: {
    ...SHARED,
    ...missing(248, 249, 250), // keyrings
    2: { flags: 1, mode: 2 }, // open
    85: { mode: 1 }, // creat
    90: { mode: 1 }, // chmod
    91: { mode: 1 }, // fchmod
    133: { mode: 1 }, // mknod
    257: { flags: 2, mode: 3 }, // openat
    259: { mode: 2 }, // mknodat
    268: { mode: 2 }, // fchmodat
  },
};

const I386: Machine = {
  kind: 0x40000003,
  // What `socketcall` (102) is given stands where a filter cannot read.
  network: { 102: MISSING, 359: FAMILY, 360: FAMILY },
  files: {
    ...SHARED,
    ...missing(286, 287, 288),
    5: { flags: 1, mode: 2 },
    8: { mode: 1 },
    14: { mode: 1 },
    15: { mode: 1 },
    94: { mode: 1 },
    295: { flags: 2, mode: 3 },
    297: { mode: 2 },
    306: { mode: 2 },
  },
};

const AARCH64: Machine = {
  kind: 0xc00000b7,
  network: { 198: FAMILY, 199: FAMILY },
  files: {
    ...SHARED,
    ...missing(217, 218, 219), // keyrings
    33: { mode: 2 }, // mknodat
    52: { mode: 1 }, // fchmod
    53: { mode: 2 }, // fchmodat
    56: { flags: 2, mode: 3 }, // openat
  },
};

const ARM: Machine = {
  kind: 0x40000028,
  network: { 281: FAMILY, 288: FAMILY },
  files: {
    ...SHARED,
    ...missing(309, 310, 311),
    5: { flags: 1, mode: 2 },
    8: { mode: 1 },
    14: { mode: 1 },
    15: { mode: 1 },
    94: { mode: 1 },
    322: { flags: 2, mode: 3 },
    324: { mode: 2 },
    333: { mode: 2 },
  },
};

const MACHINES: Readonly<Record<string, readonly Machine[]>> = {
  x86_64: [X86_64, I386],
  aarch64: [AARCH64, ARM],
};

type Instruction = readonly [code: number, yes: number, no: number, value: number];

/** Codes of instructions: load a word, and with, jump on equal, jump on any bit, return. */
const [LOAD, AND, EQUAL, ANY, RETURN] = [0x20, 0x54, 0x15, 0x45, 0x06];
const ALLOW: Instruction = [RETURN, 0, 0, 0x7fff0000];
const refuse = (errno: number): Instruction => [RETURN, 0, 0, 0x00050000 | errno];
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

/** Where the kernel puts the kind, the number and the arguments of a call. Of an argument its lower half counts: both machines have it first. */
const [NUMBER_AT, KIND_AT] = [0, 4];
const argumentAt = (place: number) => 16 + 8 * place;

const AF_VSOCK = 40;
const SET_ID_BITS = 0o6000;
/** O_CREAT and O_TMPFILE: without them an open has no mode. */
const MAKES = 0o100 | 0o20000000;

/** The program; undefined for machines that it knows nothing of. `confined`: the network is. */
export function syscallFilter(arch: string, confined: boolean): Uint8Array<ArrayBuffer> | undefined {
  const machines = MACHINES[arch];
  if (machines === undefined) return undefined;
  const program: Instruction[] = [[LOAD, 0, 0, KIND_AT]];
  for (const machine of machines) {
    const block = blockOf(machine, confined);
    program.push([EQUAL, 0, block.length, machine.kind], ...block);
  }
  program.push(ALLOW);
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  program.forEach(([code, yes, no, value], i) => {
    view.setUint16(i * 8, code, true);
    view.setUint8(i * 8 + 2, yes);
    view.setUint8(i * 8 + 3, no);
    view.setUint32(i * 8 + 4, value, true);
  });
  return bytes;
}

/** Ends with an answer. */
function blockOf({ mask, network, files }: Machine, confined: boolean): Instruction[] {
  const block: Instruction[] = [[LOAD, 0, 0, NUMBER_AT]];
  if (mask !== undefined) block.push([AND, 0, 0, mask]);
  for (const [number, rule] of Object.entries({ ...(confined ? network : {}), ...files })) {
    const answer = answerOf(rule);
    block.push([EQUAL, 0, answer.length, Number(number)], ...answer);
  }
  return [...block, ALLOW];
}

function answerOf(rule: Rule): Instruction[] {
  if ("missing" in rule) return [refuse(ENOSYS)];
  if ("family" in rule) {
    return [[LOAD, 0, 0, argumentAt(rule.family)], [EQUAL, 0, 1, AF_VSOCK], refuse(EAFNOSUPPORT), ALLOW];
  }
  const mode: Instruction[] = [
    [LOAD, 0, 0, argumentAt(rule.mode)],
    [ANY, 0, 1, SET_ID_BITS],
    refuse(EPERM),
    ALLOW,
  ];
  if (!("flags" in rule)) return mode;
  return [[LOAD, 0, 0, argumentAt(rule.flags)], [ANY, 0, mode.length - 1, MAKES], ...mode];
}
