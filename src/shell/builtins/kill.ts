import { HostError } from "../host.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { printed } from "./shared/print.ts";
import { listSignals, signalName, signalNumber } from "./shared/signals.ts";

const USAGE = "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]";

/** `kill [-s signal] pid|%job …`, `kill -l` */
export const kill: LanguageBuiltin = {
  name: "kill",
  run(sh, args) {
    let signal = "TERM";
    let i = 0;
    if (args.length === 0) return usage(sh);
    if (args[0] === "-l" || args[0] === "-L") return list(sh, args.slice(1));
    if (args[0] === "-s" || args[0] === "-n") {
      if (args[1] === undefined) {
        sh.warn(`kill: ${args[0]}: option requires an argument`);
        return 1;
      }
      const name = args[1] === "0" ? "0" : signalName(args[1]);
      if (name === undefined) return bad(sh, args[1]);
      signal = name;
      i = 2;
    } else if (args[0] !== "--" && /^-./.test(args[0])) {
      const text = args[0].slice(1);
      const name = text === "0" ? "0" : signalName(text);
      if (name === undefined) return bad(sh, text);
      signal = name;
      i = 1;
    }
    if (args[i] === "--") i++;
    if (i >= args.length) return usage(sh);
    let status = 0;
    for (const target of args.slice(i)) if (!send(sh, target, signal)) status = 1;
    if (sh.process.killed !== undefined) sh.poll();
    return status;
  },
};

function usage(sh: Shell): number {
  sh.writeError(`kill: usage: ${USAGE}\n`);
  return 2;
}

function bad(sh: Shell, signal: string): number {
  sh.warn(`kill: ${signal}: invalid signal specification`);
  return 1;
}

function list(sh: Shell, args: readonly string[]): number | Promise<number> {
  if (args.length === 0) return printed(sh, listSignals());
  let text = "";
  let status = 0;
  for (const a of args) {
    if (/^[0-9]+$/.test(a)) {
      const n = Number(a);
      const name = n === 0 ? "EXIT" : signalName(String(n > 128 ? n - 128 : n));
      if (name === undefined) {
        sh.warn(`kill: ${a}: invalid signal specification`);
        status = 1;
      } else text += name + "\n";
      continue;
    }
    const name = signalName(a);
    if (name === undefined) {
      sh.warn(`kill: ${a}: invalid signal specification`);
      status = 1;
    } else text += signalNumber(name) + "\n";
  }
  return printed(sh, text, status);
}

function send(sh: Shell, target: string, signal: string): boolean {
  if (target.startsWith("%")) {
    if (sh.jobs.ambiguous(target)) {
      sh.warn(`kill: ${target.slice(1).replace(/^\?/, "")}: ambiguous job spec`);
      return false;
    }
    const job = sh.jobs.find(target);
    if (job === undefined || job.foreign) {
      sh.warn(`kill: ${target}: no such job`);
      return false;
    }
    if (signal !== "0") job.process.send("SIG" + signal);
    return true;
  }
  if (!/^-?[0-9]+$/.test(target)) {
    sh.warn(`kill: ${target}: arguments must be process or job IDs`);
    return false;
  }
  const pid = Number(target);
  const inner = pid === sh.shellPid
    ? sh.session.processes.get(pid) ?? sh.process
    : sh.session.processes.get(Math.abs(pid));
  if (inner !== undefined && (pid === sh.shellPid || sh.jobs.endedStatus(pid) === undefined)) {
    if (signal !== "0") inner.send("SIG" + signal);
    return true;
  }
  if (pid === 0) {
    if (signal !== "0") sh.process.send("SIG" + signal);
    return true;
  }
  try {
    if (sh.host.kill === undefined || sh.jobs.endedStatus(pid) !== undefined) {
      throw new HostError("ENOENT", undefined, "No such process");
    }
    // Whether a process is there is asked of the system's list where it has one.
    if (signal === "0" && sh.host.platform === "linux") {
      sh.fs.stat(`/proc/${pid}`);
      return true;
    }
    sh.host.kill(pid, signal === "0" ? "0" : "SIG" + signal);
    return true;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    sh.warn(`kill: (${target}) - ${error.code === "ENOENT" ? "No such process" : error.message}`);
    return false;
  }
}
