# 4.3 Modifying shell behavior: set and shopt
#### set lists
set -o | head -3; set +o | head -3; set -o | grep -c .; x_test=1; set | grep '^x_test='
#### set -o by name and letter
set -o noglob; [[ $- == *f* ]] && echo f; set +o noglob; set -e; [[ -o errexit ]] && echo e; set +e; set -o nosuch 2>&1; echo $?; set -Q 2>&1 | head -1; echo ${PIPESTATUS[0]}
#### errexit in functions, conditions, substitutions
(set -e; f() { false; echo in; }; f; echo no); echo $?; (set -e; if f() { false; }; f; then :; fi; echo yes); (set -e; while false; do :; done; echo a; until true; do :; done; echo b); (set -e; x=$(false); echo no); echo $?; (set -e; echo $(false); echo ok)
#### errexit with compound commands
(set -e; { false; }; echo no); echo $?; (set -e; (false); echo no); echo $?; (set -e; for i in 1; do false; done; echo no); echo $?; (set -e; case a in a) false;; esac; echo no); echo $?; (set -e; ((0)); echo no); echo $?; (set -e; [[ a == b ]]; echo no); echo $?; (set -e; let 0; echo no); echo $?
#### errexit and local, export
(set -e; f() { local x=$(false); echo in; }; f; export y=$(false); echo ok); (set -e; f() { local x; x=$(false); echo no; }; f); echo $?
#### errexit and pipelines, negation
(set -e; false | true; echo a; ! true; echo b; true | false; echo no); echo $?; (set -eo pipefail; false | true; echo no); echo $?; (set -e; ! false; echo c)
#### errexit and traps
(set -e; trap 'echo exit $?' EXIT; trap 'echo err $?' ERR; (exit 3); echo no); echo $?
#### errexit in subshells of conditions
(set -e; if (false; echo in); then echo then; fi; (false; echo in2) || echo or; x=$(set -e; false; echo no) || echo sub)
#### hashall, braceexpand, interactive are what they are
[[ -o hashall ]] && echo h; [[ -o braceexpand ]] && echo B; [[ -o interactive-comments ]] && echo ic; [[ -o monitor ]] || echo no m; [[ -o history ]] || echo no H
#### noclobber
set -C; > f; > f; echo $?; set +C; > f; echo $?
#### noexec
bash -n -c 'echo no'; echo $?; bash -n -c 'if' 2>/dev/null; echo $?; eval 'set -n; echo no'; echo no
#### nounset
(set -u; echo "$u"; echo no) 2>&1; (set -u; echo ${u-ok} ${u:+x} ${#u}) 2>&1; (set -u; echo $1) 2>&1; (set -u; a=(); echo "${a[@]}" ok); (set -u; echo ${a[0]}) 2>&1; (set -u; echo $((u+1))) 2>&1; (set -u; [[ -v u ]] || echo v; x=${u=def}; echo $x)
#### pipefail
set -o pipefail; false | true; echo $?; set +o pipefail; false | true; echo $?
#### verbose
bash -c 'set -v
echo a
set +v
echo b' 2>&1
#### functrace and errtrace
trap 'echo E' ERR; f() { false; }; f; set -E; f; set +E; trap - ERR; trap 'echo R' RETURN; g() { :; }; g; set -T; g; set +T
#### positional parameters with set
set a b; echo $*; set -- -e; echo $1 $-| tr -d hBc; set - x; echo $1; set -u y; echo $1; set +u; set -f -- '*'; echo $1
#### shopt errors and -o
shopt nosuch 2>&1; echo $?; shopt -s nosuch 2>&1; echo $?; shopt -so noglob; [[ -o noglob ]] && echo on; shopt -uo noglob; shopt -o noglob; shopt -po noglob
#### shopt autocd, checkwinsize, cmdhist exist
for o in autocd cdable_vars checkhash cmdhist complete_fullquote direxpand dirspell execfail expand_aliases extdebug extquote force_fignore globasciiranges globskipdots gnu_errfmt histappend huponexit inherit_errexit lastpipe lithist localvar_unset mailwarn noexpand_translation progcomp promptvars shift_verbose sourcepath xpg_echo; do shopt -q $o; echo -n $?; done; echo
#### execfail
shopt -s execfail; exec nosuch 2>/dev/null; echo still; shopt -u execfail; exec nosuch 2>/dev/null; echo no
#### SHELLOPTS and BASHOPTS
set -f; [[ :$SHELLOPTS: == *:noglob:* ]] && echo a; shopt -s nullglob; [[ :$BASHOPTS: == *:nullglob:* ]] && echo b; (SHELLOPTS=x) 2>&1; export SHELLOPTS; bash -c 'echo $-' | grep -c f
#### allexport
set -a; A=1; f() { echo fn; }; set +a; B=2; bash -c 'echo $A ${B-none}; f'
#### xtrace of everything
{ set -x; x=1 y='a b'; echo "$x" $y 'q"' $'\t'; [[ $x == 1 && -n $y ]]; ((x+1)); case $x in 1) :;; esac; for i in a; do : $i; done; f() { :; }; f z; (echo sub); a=(1 2); echo > /dev/null; x=$(echo s); set +x; } 2>&1
#### xtrace with PS4 and BASH_XTRACEFD
exec 7> t; BASH_XTRACEFD=7; PS4='+$LINENO '; set -x; echo a; set +x; cat t; unset BASH_XTRACEFD; { PS4='>> '; set -x; : b; set +x; } 2>&1
#### posix and special builtins
(set -o posix; readonly r=1; r=2; echo no) 2>/dev/null; echo $?; (set -o posix; x=1 :; echo $x); (x=1 :; echo "[$x]"); bash --posix -c '[[ -o posix ]] && echo p'
#### cdable_vars and shift_verbose
d=/; shopt -s cdable_vars; cd d; pwd; shopt -s shift_verbose; set --; shift 2>&1; echo $?
#### localvar_unset
shopt -s localvar_unset; v=g; f() { local v=l; g; echo "${v-unset}"; }; g() { unset v; }; f
#### -u and the length of an array that is not set
set -u
echo ${#a[@]}
echo next
#### -u and the length of arrays and of texts
set -u; a=1; echo ${#a[@]}; b=(); echo ${#b[@]}
#### globskipdots
shopt -u globskipdots; touch .a b; echo .*; echo *; shopt -s dotglob; echo *
