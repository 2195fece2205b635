# 3.7.6 Signals, and trap in 4.1
#### EXIT in the shell, functions and subshells
(trap 'echo bye' EXIT; echo a); f() { trap 'echo fbye' EXIT; }; (f; echo in); (trap 'echo t' EXIT; exec true); (trap 'echo t' EXIT; false); echo $?
#### EXIT sees the status and may change it
(trap 'echo $?' EXIT; exit 3); echo $?; (trap 'exit 9' EXIT; exit 3); echo $?; (trap 'false' EXIT; exit 4); echo $?
#### EXIT is not inherited
trap 'echo outer' EXIT; (echo sub); x=$(echo y); echo $x | cat; { :; } & wait
#### ERR rules
trap 'echo err:$?' ERR; false; (exit 3); if false; then :; fi; false || true; ! true; true && false; f() { false; }; f; false | true; true | false; x=$(false); echo end
#### ERR inside functions needs errtrace
set -E; trap 'echo "E $FUNCNAME"' ERR; f() { false; true; }; f; (false); x=$(false; true)
#### DEBUG with extdebug skips
shopt -s extdebug; trap '[[ $BASH_COMMAND != "echo no"* ]]' DEBUG; echo yes; echo no; echo yes2; trap - DEBUG
#### signals run after the command
trap 'echo usr' USR1; kill -USR1 $$; echo a; x=$(kill -USR1 $$; echo sub); echo $x
#### ignored signals stay ignored
trap '' TERM; bash -c 'kill -TERM $$; echo alive'; (kill -TERM $BASHPID; echo sub); trap - TERM; (kill -TERM $BASHPID; echo no); echo $?
#### traps reset in subshells
trap 'echo p' USR1; (kill -USR1 $BASHPID; echo no); echo $?; (trap - USR1; trap -p USR1); trap -p USR1
#### traps with quotes and variables
x=1; trap "echo $x" USR1; x=2; kill -USR1 $$; trap 'echo $x' USR1; kill -USR1 $$; trap 'echo "a  b"' USR1; trap -p USR1; kill -USR1 $$
#### a trap keeps the status
trap 'false' USR1; true; kill -USR1 $$; echo $?; f() { return 5; }; trap 'f' USR1; (exit 3); kill -USR1 $$; echo $?
#### return in a trap of a function
f() { trap 'return 4' USR1; kill -USR1 $$; echo no; }; f; echo $?; trap - USR1
#### exit in a signal trap
bash -c 'trap "echo x; exit 5" TERM; kill $$; echo no'; echo $?; bash -c 'trap "exit 6" EXIT; trap "exit 5" TERM; kill $$'; echo $?
#### traps one after the other
trap 'echo one' USR1; trap 'echo two' USR2; kill -USR1 $$; kill -USR2 $$; kill -USR1 $$; trap 'kill -USR2 $$; echo nested' USR1; kill -USR1 $$
#### trap - and reset by name
trap 'echo a' EXIT INT; trap - EXIT; trap -p; trap INT; trap -p INT | wc -l; trap 'echo e' exit; trap -p EXIT; trap - exit
#### cleaning up
t=$(mktemp); trap 'rm -f "$t"; echo clean' EXIT; echo x > "$t"; cat "$t"; exit 0
#### PIPE trap
(trap 'echo pipe >&2' PIPE; for i in 1 2 3; do echo x; sleep 0.05; done) 2>&1 >/dev/null | head -1
#### EXIT on errors and signals
bash -c 'trap "echo e" EXIT; ${u?gone}' 2>/dev/null; echo $?; bash -c 'trap "echo e" EXIT; set -e; false'; echo $?; bash -c 'trap "echo e" EXIT; kill -TERM $$'; echo $?; bash -c 'trap "echo e" EXIT; )' 2>/dev/null; echo $?
#### DEBUG before each command
trap 'echo "D:$BASH_COMMAND"' DEBUG; x=1; for i in 1 2; do :; done; if true; then echo b; fi; case a in a) :;; esac; trap - DEBUG
#### INT and HUP defaults
for s in HUP INT QUIT TERM ALRM USR1 PIPE; do bash -c "kill -$s \$\$; echo alive" 2>/dev/null; echo $s $?; done
#### $? in a RETURN trap is from before the return
trap 'echo ret $?' RETURN; f() { return 3; }; f; set -T; f; echo 'return 4' > s; . ./s; g() { false; }; g; echo 'false' > s; . ./s; set +T; . ./s
#### a RETURN trap set by a function is not for the functions it calls
f() { trap 'echo ret' RETURN; g; }; g() { :; }; f
#### an ERR trap that a command sets is not for that command
f() { trap 'echo E' ERR; false; }; f; false; g() { false; }; g; echo -; trap 'echo D' DEBUG; g
#### a traced function has the RETURN trap
f() { trap 'echo ret' RETURN; }; f; g() { :; }; g; echo 2; declare -ft g; g; echo 3
#### return without a number inside a trap
f() { false; return; }; trap 'f; echo in $?' USR1; kill -USR1 $$; echo $?; trap '(exit 3); return 2>/dev/null; echo $?' USR2; kill -USR2 $$
#### exit without a number inside a trap
trap 'exit' TERM; (exit 4); kill $$; echo no
#### DEBUG runs before the body of a traced function as well
set -T; trap 'echo D $BASH_COMMAND $LINENO' DEBUG
f() { echo f; g; }
g() {
 echo g
}
f
#### BASH_COMMAND in an ERR trap
trap 'echo "failed: $BASH_COMMAND at $LINENO"' ERR
false
ls /nosuch 2>/dev/null
x=$(false)
(exit 3)
[[ a == b ]]
((0))
false | true | false
f() { false a b; }
f x
#### BASH_COMMAND in an EXIT trap
trap 'echo "exit: $BASH_COMMAND $?"' EXIT
echo hi
ls /nosuch 2>/dev/null
#### trap -p keeps the order of its arguments
trap 'echo a' INT TERM; trap '' HUP; trap -p; trap - INT; trap -p TERM HUP INT; trap; trap -l | head -3
#### a stack trace from an ERR trap
set -eE
trace() { local i=0; while caller $i; do ((++i)); done; }
trap trace ERR
a() { b; }
b() { false; }
a
#### wait: the trap that breaks it off sees its status
trap 'echo "w $?"' USR1; (sleep 0.2; kill -USR1 $$; sleep 0.1) & wait; echo "st $?"; wait; echo $?; bash -c 'trap "echo w" USR1; (sleep 0.2; kill -USR1 $$; sleep 0.1) & wait $!; echo "st $?"'
