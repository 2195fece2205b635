# Utilities that start commands: nohup, setsid, nice
#### what cannot be run
for c in nohup setsid nice; do $c nothing-like-this 2>&1; echo $?; mkdir -p d; $c ./d 2>&1; echo $?; $c ./missing 2>&1; echo $?; touch f; $c ./f 2>&1; echo $?; done
#### they start utilities, shells and scripts
for c in nohup "setsid -w" "nice -n 3"; do $c sh -c 'echo "$0 $1 $x"; exit 4' zero one; echo $?; x=5 $c sh -c 'echo $x'; echo text | $c tr a-z A-Z; printf 'echo script $1\nexit 3\n' > s; chmod +x s; $c ./s arg; echo $?; done
#### functions, builtins and aliases of the shell are nothing to them
f() { echo function; }; for c in nohup setsid nice; do $c f 2>&1; echo $?; $c type x 2>/dev/null; echo $?; $c printf '%s\n' a; $c test 1 -eq 2; echo $?; $c false; echo $?; done
#### redirections
nohup sh -c 'echo out; echo err >&2' > o 2> e; cat o e; nice cat < o; setsid -w cat <<< here; nohup cat o > p; cat p; ls
#### nohup: SIGHUP is nothing to it in the background
nohup sleep 0.3 & p=$!; sleep 0.1; kill -HUP $p; wait $p; echo $?
#### nohup: nor to a shell that it starts, whose traps are not set
nohup sh -c 'trap "echo hup" HUP; kill -HUP $$; echo on; (kill -HUP $BASHPID; echo sub)' 2>/dev/null; echo $?
#### nohup: other signals end it
nohup sleep 5 & p=$!; sleep 0.1; kill $p; wait $p; echo $?; timeout 0.1 nohup sleep 5; echo $?
#### nohup: the group is sent SIGHUP
sh -c 'nohup sh -c "sleep 0.2; echo lived > f" & sleep 0.1; kill -HUP $!; wait; cat f'
#### nohup: the shell that started it dies of SIGHUP, it goes on
sh -c 'nohup sh -c "sleep 0.3; echo lived > f" & sleep 0.1; kill -HUP $$; sleep 1; echo not reached'; echo $?; sleep 0.5; cat f
#### setsid -f answers at once
setsid -f sh -c 'sleep 0.2; echo later > f'; echo $?; ls; sleep 0.5; cat f; setsid --fork nothing-like-this 2>/dev/null; echo $?
#### setsid -f: not a job of the shell
setsid -f sleep 0.2; jobs; wait; echo $?
#### setsid: signals to a timeout's group do not reach it
timeout 0.2 sh -c 'setsid sh -c "sleep 0.5; echo lived > f" & wait; echo not reached'; echo $?; sleep 0.7; cat f
#### setsid: a signal to the command itself does
setsid sleep 5 & p=$!; sleep 0.1; kill $p; wait $p; echo $?; timeout 0.1 setsid sleep 5; echo $?
#### setsid -w: the status
setsid -w sh -c 'exit 7'; echo $?; setsid --wait false || echo no; setsid true && echo yes
#### nested in each other
nice -n 2 nohup setsid -w timeout 5 env X=1 sh -c 'echo $X; exit 6'; echo $?; nohup nice timeout 0.1 sleep 5; echo $?
#### in pipelines and substitutions
echo "$(nohup echo a | nice cat)"; seq 3 | nohup head -1; x=$(setsid -w echo b); echo "$x"; yes | nice head -2
#### nice: what is said without a command
nice; nice -n 1 true; echo $?; nice -n 2>&1; echo $?; nice -n 5 2>&1; echo $?
#### their own mistakes
nohup 2>&1; echo $?; nohup --bad 2>&1; echo $?; setsid 2>&1; echo $?; nice -n z true 2>&1; echo $?
