# 4.3 Options, in short
#### errexit
(set -e; false; echo no); echo $?; (set -e; false || true; if false; then :; fi; ! true; echo yes); (set -e; f() { false; echo in; }; f && true; echo z)
#### errexit in substitutions
set -e; x=$(false; echo still); echo "$x"; y=$(false); echo no
#### inherit_errexit
shopt -s inherit_errexit; set -e; x=$(false; echo still) || echo caught; echo "[$x]"
#### errexit in subshells and pipelines
set -e; (false); echo no
#### errexit and pipefail
set -eo pipefail; false | true; echo no
#### nounset
(set -u; echo ${x-ok} "$@" $*; echo $undefined; echo no) 2>/dev/null; echo $?
#### nounset with arrays
set -u; a=(); echo "${a[@]}" ${#a[@]}; (echo "${a[0]}") 2>/dev/null; echo $?
#### xtrace
{ set -x; x=1; echo $x "a b"; [[ $x == 1 ]]; for i in 1; do :; done; set +x; } 2>&1
#### PS4
{ PS4='> '; set -x; echo a; } 2>&1
#### noglob, allexport, physical
touch a; set -f; echo *; set +f; set -a; v=1; set +a; bash -c 'echo $v'
#### noexec
set -n; echo no
#### verbose
bash -v -c 'echo a' 2>&1
#### dollar dash
set -eu; case $- in *e*u*|*u*e*) echo both;; esac; set +eu; case $- in *e*) echo no;; *) echo off;; esac
#### strict mode
set -euo pipefail; trap 'echo cleanup' EXIT; f() { local x=$1; echo $x; }; f ok; grep -q nomatch /dev/null || echo none; cat /nonexistent 2>/dev/null; echo no
#### posix names
set -o posix; shopt -o posix; set +o posix; [[ -o posix ]] || echo off
