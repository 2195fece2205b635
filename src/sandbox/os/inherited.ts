/**
 * Descriptors that whoever started this process has left open in it: a file,
 * a folder, a socket. A program would inherit them, and through them reach what
 * no wall keeps it from any more. This process's own are closed in every
 * program by the runtime; those that came with it are marked so here, once,
 * before the first program starts. Linux only.
 */

const FLAGS = /^flags:\s*([0-7]+)/m;
const O_CLOEXEC = 0o2000000;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
/** Of glibc and of musl. */
const LIBRARIES = ["libc.so.6", "libc.so"];

let done = false;

/** From here on programs inherit nothing but what they are given. Never throws. */
export function keepFromPrograms(): void {
  if (done || Deno.build.os !== "linux") return;
  done = true;
  const open = inherited();
  if (open.length > 0) mark(open);
}

/** Numbers above the three of every program that a program would inherit. */
function inherited(): number[] {
  try {
    return Array.from(Deno.readDirSync("/proc/self/fd"), ({ name }) => Number(name))
      .filter((number) => number > 2 && isInherited(number));
  } catch {
    // Without /proc nothing is known of them.
    return [];
  }
}

function isInherited(number: number): boolean {
  try {
    const flags = FLAGS.exec(Deno.readTextFileSync(`/proc/self/fdinfo/${number}`))?.[1];
    return flags !== undefined && (parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // That which the listing itself has opened.
    return false;
  }
}

function mark(open: readonly number[]): void {
  // Asking for the right would wait for an answer at a terminal.
  if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return;
  for (const name of LIBRARIES) {
    try {
      const library = Deno.dlopen(name, {
        fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
      });
      for (const number of open) library.symbols.fcntl(number, F_SETFD, FD_CLOEXEC);
      library.close();
      return;
    } catch {
      // Not this one's name here.
    }
  }
}
