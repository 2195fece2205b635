# 3.2.5.3 Grouping commands, 3.2.6 Coprocesses
#### a group keeps changes, a subshell does not
a=1; { a=2; cd /; }; echo $a $PWD; (a=3; cd /tmp; set -- x; f() { :; }); echo $a $PWD $#; type f 2>/dev/null; echo $?
#### exit in a group and in a subshell
(exit 3; echo no); echo $?; { (exit 4); }; echo $?; ( { exit 5; }; echo no ); echo $?
#### nested subshells count
echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL; ( (echo $BASH_SUBSHELL) )); echo $(echo $BASH_SUBSHELL)
#### parentheses next to each other
((echo a); echo b); ( (echo c) )
#### redirected groups share one file
{ echo a; echo b >&2; (echo c); } > f 2>&1; cat f; { cat; } < f | wc -l
#### group with several redirections
{ read x; read y <&3; echo $x$y; } 3<<< b <<< a
#### subshell sees unexported variables
x=plain; (echo $x); bash -c 'echo "[$x]"'
#### readonly and unset in a subshell
x=1; (unset x; readonly y=2; echo ${x-unset} $y); echo $x ${y-unset}; y=ok; echo $y
#### coproc reads to the end
coproc tr a-z A-Z; echo hello >&${COPROC[1]}; eval "exec ${COPROC[1]}>&-"; cat <&${COPROC[0]}; wait; echo ${COPROC_PID-gone}
#### coproc status
coproc (exit 5); wait $COPROC_PID; echo $?
#### subshells inherit traps of nothing, functions and options
f() { echo fn; }; set -f; (f; echo *); trap 'echo t' USR1; (trap -p USR1 | wc -l)
#### coproc with a name
coproc up { while read l; do echo "${l^^}"; done; }; echo abc >&${up[1]}; read r <&${up[0]}; echo $r; exec {up[1]}>&-; wait $up_PID; echo $?
