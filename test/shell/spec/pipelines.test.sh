# 3.2.3 Pipelines
#### every part runs in a subshell
x=1; echo a | { x=2; cat; }; echo $x; { x=3; } | cat; echo $x
#### status is that of the last part
false | true; echo $?; true | false; echo $?; exit 3 | exit 4; echo $?
#### PIPESTATUS holds each status
false | (exit 2) | true | (exit 9); echo ${PIPESTATUS[*]}; true; echo ${PIPESTATUS[*]}
#### PIPESTATUS after a compound command
if false | true; then echo ${PIPESTATUS[*]}; fi; (exit 3); echo ${PIPESTATUS[@]} ${#PIPESTATUS[@]}
#### pipefail takes the last failing status
set -o pipefail; (exit 3) | (exit 5) | true; echo $?; true | true; echo $?; ! false | true; echo $?
#### negation of a pipeline
! true; echo $?; ! false | false; echo $?; ! ! true; echo $?; ! (exit 7); echo $?
#### a lone exclamation mark
! ; echo $?
#### both outputs through a bar
{ echo o; echo e >&2; } |& sort; ls /nonexistent |& wc -l
#### a bar at the end of a line continues
echo a |
 tr a b |

 cat
#### reader that ends early
yes | head -n 2; seq 1 100000 | head -1; echo ${PIPESTATUS[1]}
#### writer that ends with the pipe signal
(trap '' PIPE; yes 2>/dev/null; echo $? >&2) 2>&1 | head -c 4; echo; yes | true; echo ${PIPESTATUS[0]}
#### loops in pipelines
printf '%s\n' 3 1 2 | sort | while read n; do echo "n=$n"; done | tail -2
for i in 1 2; do echo $i; done | { read a; read b; echo $b$a; }
#### builtins at both ends
echo x y | read a b; echo "[$a$b]"; set -- 1 2 | cat; echo $#
#### functions in pipelines
up() { tr a-z A-Z; }; gen() { printf 'a\nb\n'; }; gen | up | while read l; do echo "<$l>"; done
#### lastpipe
shopt -s lastpipe; printf '1\n2\n' | while read l; do s+=$l; done; echo $s; echo a | mapfile -t m; echo ${m[0]}
#### time prints nothing to standard output
TIMEFORMAT='t=%0R'; { time true; } 2>&1; { time sleep 0 | cat; } 2>&1
#### time with an empty format
TIMEFORMAT=; { time echo x; } 2>&1; ! time false; echo $?
#### TIMEFORMAT conversions
TIMEFORMAT='%% a %3U' ; { time :; } 2>&1 | sed 's/[0-9]\.[0-9]*/N/'
#### time -p has three lines
{ time -p :; } 2>&1 | sed 's/ .*//'
#### large data through three parts
head -c 300000 /dev/zero | tr '\0' x | wc -c; seq 20000 | sort -rn | tail -1
#### exit in a part ends that part only
echo a | exit 3; echo $?; exit 2 | cat; echo here
#### input of the first part is the shell's
printf 'a\nb\n' > f; { head -n 1 | cat; cat | tr b c; } < f | wc -l
#### subshell part and its variables
(echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL)) | cat; echo $BASH_SUBSHELL | cat
