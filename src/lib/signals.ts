/** Signals as Linux numbers them. */

/** Names without SIG -> numbers; the real-time ones have none here. */
export const SIGNALS: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ILL: 4,
  TRAP: 5,
  ABRT: 6,
  BUS: 7,
  FPE: 8,
  KILL: 9,
  USR1: 10,
  SEGV: 11,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
  STKFLT: 16,
  CHLD: 17,
  CONT: 18,
  STOP: 19,
  TSTP: 20,
  TTIN: 21,
  TTOU: 22,
  URG: 23,
  XCPU: 24,
  XFSZ: 25,
  VTALRM: 26,
  PROF: 27,
  WINCH: 28,
  IO: 29,
  PWR: 30,
  SYS: 31,
};

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(SIGNALS).map(([name, number]) => [number, name]),
);

/** "KILL" for 137: the signal that a status above 128 tells of; undefined where it tells of none. */
export function signalOfStatus(status: number): string | undefined {
  return NAMES.get(status - 128);
}
