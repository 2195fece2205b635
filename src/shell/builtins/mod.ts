/** The builtins of the language. */
import type { LanguageBuiltin } from "../run/shell.ts";
import { alias, unalias } from "./alias.ts";
import { breakLoop, continueLoop } from "./break.ts";
import { caller } from "./caller.ts";
import { cd } from "./cd.ts";
import { colon, no, yes } from "./colon.ts";
import { builtin, command } from "./command.ts";
import { compgen, complete, compopt } from "./complete.ts";
import { declare, exports, local, readonly, typeset } from "./declare.ts";
import { dirs, popd, pushd } from "./dirs.ts";
import { echo } from "./echo.ts";
import { enable } from "./enable.ts";
import { evaluates } from "./eval.ts";
import { exec } from "./exec.ts";
import { exit, logout, returns } from "./exit.ts";
import { getopts } from "./getopts.ts";
import { hash } from "./hash.ts";
import { help } from "./help.ts";
import { bind, fc, history } from "./history.ts";
import { bg, disown, fg, jobs, suspend } from "./jobs.ts";
import { kill } from "./kill.ts";
import { lets } from "./let.ts";
import { mapfile, readarray } from "./mapfile.ts";
import { printf } from "./printf.ts";
import { pwd } from "./pwd.ts";
import { read } from "./read.ts";
import { set } from "./set.ts";
import { shift } from "./shift.ts";
import { shopt } from "./shopt.ts";
import { dot, source } from "./source.ts";
import { bracket, test } from "./test.ts";
import { times } from "./times.ts";
import { trap } from "./trap.ts";
import { type } from "./type.ts";
import { ulimit } from "./ulimit.ts";
import { umask } from "./umask.ts";
import { unset } from "./unset.ts";
import { wait } from "./wait.ts";

export const builtins: readonly LanguageBuiltin[] = [
  colon,
  yes,
  no,
  dot,
  bracket,
  alias,
  bg,
  bind,
  breakLoop,
  builtin,
  caller,
  cd,
  command,
  compgen,
  complete,
  compopt,
  continueLoop,
  declare,
  dirs,
  disown,
  echo,
  enable,
  evaluates,
  exec,
  exit,
  exports,
  fc,
  fg,
  getopts,
  hash,
  help,
  history,
  jobs,
  kill,
  lets,
  local,
  logout,
  mapfile,
  popd,
  printf,
  pushd,
  pwd,
  read,
  readarray,
  readonly,
  returns,
  set,
  shift,
  shopt,
  source,
  suspend,
  test,
  times,
  trap,
  type,
  typeset,
  ulimit,
  umask,
  unalias,
  unset,
  wait,
];
