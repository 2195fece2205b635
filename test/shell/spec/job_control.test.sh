# 7 Job control
#### wait for one, all, none
(exit 3) & a=$!; (exit 4) & b=$!; wait $b; echo $?; wait $a; echo $?; wait; echo $?; wait 999999 2>/dev/null; echo $?
#### wait for several gives the last
(exit 3) & a=$!; (exit 5) & b=$!; wait $a $b; echo $?; wait $b; echo $?
#### wait -n
(sleep 0.2; exit 4) & (exit 6) & wait -n; echo $?; wait -n; echo $?; wait -n; echo $?
#### wait -n -p
(sleep 0.2; exit 2) & p=$!; wait -n -p who; echo $? $((who==p)); wait -p none; echo "[${none-unset}]"
#### wait -n with numbers
sleep 0.3 & a=$!; (exit 7) & b=$!; wait -n $a $b; echo $?; kill $a; wait $a 2>/dev/null; echo $?
#### jobs by name
sleep 5 & sleep 7 & jobs %%; jobs %-; jobs %?7; kill %?7 %1; jobs %9 2>&1; echo $?; wait 2>/dev/null
#### kill names and numbers
kill -l 9; kill -l TERM; kill -l 137; kill -L | head -1 | grep -c HUP; kill -0 $$; echo $?; kill 2>/dev/null; echo $?; kill -NOSUCH $$ 2>&1; echo $?; kill abc 2>&1; echo $?
#### kill of jobs with signals
for s in TERM KILL HUP; do sleep 9 & kill -$s $!; wait $! 2>/dev/null; echo $s $?; done; sleep 9 & kill -s TERM $!; wait $! 2>/dev/null; echo $?; sleep 9 & kill -n 9 $!; wait $! 2>/dev/null; echo $?
#### disown
sleep 5 & p=$!; disown; jobs | wc -l; disown %9 2>&1; echo $?; kill $p
#### fg and bg without job control
fg 2>&1; echo $?; bg 2>&1; echo $?; fg %1 2>&1; echo $?
#### background changes nothing here
x=1; x=2 & wait; echo $x; { cd /; y=3; } & wait; echo ${y-unset}; f() { z=1; }; f & wait; echo ${z-unset}
#### traps and wait
trap 'echo got' USR1; (sleep 0.05; kill -USR1 $$) & wait; echo $(($?>128)); wait; echo $?
#### order of background output
{ sleep 0.1; echo second; } & { echo first; }; wait; echo third
#### many at once
for i in 1 2 3 4 5; do { sleep 0.0$i; echo $i; } & done; wait | cat; wait; echo done
#### limits by hand
n=0; for i in 1 2 3 4; do (exit $i) & ((++n >= 2)) && { wait -n; ((n--)); }; done; wait; echo $n
#### pipelines in the background
echo a | tr a b > f & wait $!; cat f; seq 3 | tail -1 & wait; (echo x; exit 5) | (cat; exit 6) & wait $!; echo $?
#### timeouts
timeout 0.1 sleep 5; echo $?; timeout 5 true; echo $?; timeout -s KILL 0.1 sleep 5; echo $?; timeout 5 sh -c 'exit 3'; echo $?
#### suspend is refused
suspend 2>&1 | head -1
#### a job that was waited for cannot be killed
(exit 0) & wait; kill $! 2>/dev/null; echo $?; kill -0 999999 2>/dev/null; echo $?
#### the texts of jobs
{ sleep 0.1; true; } & jobs; for i in 1; do sleep 0.1; done & jobs %2; (sleep 0.1; true) & jobs %3; if true; then sleep 0.1; fi & jobs %4; sleep 0.1 | cat & jobs %5; sleep 0.1 && true & jobs %6; while false; do :; done & wait
#### disown of what is and of what is not there
sleep 0.2 & disown; jobs; disown %1; echo $?; disown -a; echo $?; disown -r; disown 77; echo $?
#### SIGINT is nothing to what was started with &
(for i in 1 2 3; do sleep 0.05; done; echo full) & p=$!; sleep 0.05; kill -INT $p; wait $p; echo $?; (trap - INT; sleep 0.1; echo full) & p=$!; sleep 0.05; kill -INT $p; wait $p; echo $?; (trap 'echo int; exit 3' INT; touch up; while :; do sleep 0.02; done) & p=$!; until [ -e up ]; do sleep 0.02; done; kill -INT $p; wait $p; echo $?
#### a shell started with & cannot trap SIGINT
bash -c 'trap "echo int" INT; trap; sleep 0.1; echo full' & p=$!; sleep 0.05; kill -INT $p; wait $p; echo $?; trap '' TERM; bash -c 'trap "echo t" TERM; trap; kill -TERM $$; echo on'
#### kill: an ambiguous job
sleep 5 & sleep 6 & kill %sleep; echo $?; kill %1 %2; wait 2>/dev/null; echo done
