# 3.7 Executing commands, 3.8 Shell scripts
#### order: function, builtin, file
echo() { builtin echo "fn $*"; }; echo a; unset -f echo; echo b; ls() { echo lsfn; }; ls; command ls -d .; \ls
#### search in PATH
mkdir bin; printf '#!/bin/sh\necho mine $1\n' > bin/tool; chmod +x bin/tool; PATH=$PWD/bin:$PATH; tool x; command -v tool | sed 's,.*/bin,bin,'; type -t tool
#### not found and not executable
nosuch_cmd; echo $?; ./nosuch; echo $?; echo x > f; ./f; echo $?; mkdir d; ./d; echo $?; /; echo $?
#### command_not_found_handle
command_not_found_handle() { echo "no $1 with $2"; return 9; }; nosuch arg; echo $?
#### environment of commands
a=1; export b=2; c=3 env | grep -E '^[abc]=' | sort; export a; env | grep -c '^a='; unset b; env | grep -c '^b='; export -n a; bash -c 'echo ${a-none}'
#### env -i and env with assignments
env -i X=1 /bin/bash -c 'echo $X ${HOME-nohome}'; env A=5 bash -c 'echo $A'; env -u HOME bash -c 'echo ${HOME-gone}'
#### exit statuses
true; echo $?; (exit 256); echo $?; (exit -1); echo $?; bash -c 'kill -TERM $$'; echo $?; bash -c 'kill -9 $$'; echo $?; sh -c 'exit 77'; echo $?
#### exit with bad arguments
(exit x) 2>&1; echo $?; (exit 1 2) 2>&1; echo $?
#### simple command expansion order
x=1; x=2 echo $x; x=3 eval 'echo $x'; set -- $(echo a b); echo $2; y=$(echo side > f; echo v) cat f; echo ${y-u}
#### a command that expands to nothing
e=; $e; echo $?; $(exit 3); echo $?; $e x=5; echo "[$x]"; $(true) echo a; "" 2>/dev/null; echo $?
#### a command from an array and a string
c=(printf '%s|' 'a b' c); "${c[@]}"; echo; s='echo a b'; $s; "$s" 2>/dev/null; echo $?
#### scripts without a first line
echo 'echo plain $1' > s; chmod +x s; ./s a; bash ./s b; . ./s c
#### scripts and their names
echo 'echo $0 $1 ${BASH_SOURCE[0]} $LINENO' > s; bash s a; bash ./s b; mkdir d; cp s d; (cd d; bash ../s x)
#### source searches PATH and the folder
mkdir p; echo 'echo sourced $1' > p/lib; PATH=$PWD/p:$PATH; . lib x; shopt -u sourcepath; . lib 2>/dev/null; echo $?; source p/lib y
#### script from standard input
echo 'echo in $0; read l; echo "got $l"
data' | bash; printf 'echo a\nexit 3\necho b\n' | bash; echo $?; echo 'echo $1' | bash -s arg
#### bash -c with names
bash -c 'echo $0 $@' n a b; bash -c 2>/dev/null; echo $?; bash -c 'exit 5'; echo $?; bash -ec 'false; echo no'; echo $?
#### options on the command line
bash -u -c 'echo $x' 2>/dev/null; echo $?; bash -o pipefail -c 'false | true; echo $?'; bash -O extglob -c '[[ aa == +(a) ]] && echo yes'; bash +B -c 'echo {a,b}'; bash -x -c 'echo a' 2>&1
#### no such script
bash nosuch.sh 2>&1; echo $?; . ./nosuch 2>/dev/null; echo $?
#### comments and empty lines in scripts
printf '# c\necho ok\n' | bash; printf 'echo a # b\n\n\n' > s; bash s
#### nested shells keep only the exported
x=1; export y=2; f() { :; }; alias q=echo; bash -c 'echo ${x-u} $y; type f q 2>/dev/null; echo $?; echo $#'
#### kill of oneself
bash -c 'trap "echo t" TERM; kill $$; echo after'; bash -c 'kill -INT $$; echo no'; echo $?; (kill -HUP $BASHPID; echo no); echo $?
#### what a reader leaves in a file is there for the next
seq 6 > f; { head -n 1; read a; tail -n 1; } < f; { head -n 2 | tail -n 1; cat | wc -l; } < f
#### a script that changes itself is read line by line
printf 'echo one\necho two\n' > s; bash s; printf 'exit 3\n)\n' > t; bash t; echo $?
#### PATH with empty parts and changes
printf '#!/bin/sh\necho here\n' > t1; chmod +x t1; PATH=:/usr/bin:/bin; t1; PATH=/usr/bin:/bin; t1 2>/dev/null; echo $?; PATH=. t1
#### first lines with options
printf '#!/bin/bash -e\nfalse\necho no\n' > s; chmod +x s; ./s; echo $?; printf '#!/usr/bin/env bash\necho $0 $#\n' > t; chmod +x t; ./t 1 2
#### first lines with env -S
printf '#!/usr/bin/env -S bash -e\nfalse\necho no\n' > s; chmod +x s; ./s; echo $?; printf '#!/usr/bin/env -S bash -u -o pipefail\necho $# "$1"; false | true; echo $?; echo $none; echo no\n' > t; chmod +x t; ./t '1 2' 3 2>/dev/null; echo $?
printf '#!/usr/bin/env -S A=1 bash\necho $A $#\n' > u; chmod +x u; ./u 1; printf '#!/usr/bin/env -S bash -c "echo \${0##*/}"\n' > v; chmod +x v; ./v
#### BASH_ENV
echo 'echo env' > e; BASH_ENV=$PWD/e bash -c 'echo run'; BASH_ENV=$PWD/none bash -c 'echo ok' 2>/dev/null
#### exec replaces the shell
bash -c 'exec echo a; echo no'; (exec nosuch 2>/dev/null; echo no); echo $?; (exec -a name bash -c 'echo $0'); bash -c 'exec >f; echo x'; cat f
#### an exported function reaches a bash that a program starts
f() { echo "hi $1"; }; export -f f; python3 -c 'import subprocess; subprocess.run(["/bin/bash","-c","f x"])'
#### assignments before a command see each other
X=1 Y=$X bash -c 'echo "[$X$Y]"'; f() { echo "$X$Y"; }; X=2 Y=$X f; echo "${X-none}"; a=1 b=$((a+1)) bash -c 'echo $b'; X=5 Y=${X}a eval 'echo $X$Y'; readonly R=1; R=2 S=$R bash -c 'echo "$S"'
#### bytes that are zero in a script on standard input
printf 'echo a\0b; exit 4' | bash; echo $?
