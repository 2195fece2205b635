# 4 Shell builtin commands, in short
#### printf conversions
printf '%s|%5s|%-5s|%05d|%x|%X|%o|%c|%%|%e|%.2f|%g\n' a b c 42 255 255 8 xyz 1234.5 3.14159 0.0001
#### printf reuses its format
printf '%s-%s\n' a b c; printf '[%s]' ; echo; printf '%d\n' 0x10 010 "'A"
#### printf %b %q -v
printf '%b|' 'a\tb' '\101' '\x41'; printf '%q ' 'a b' "it's" '' $'a\nb'; printf -v v '%03d' 7; echo $v
#### printf stars and precision
printf '[%*s][%-*s][%.*s][%.3s]\n' 5 a 5 b 2 xyz abcdef
#### echo options
echo -n a; echo -e 'b\tc\n'; echo -E 'd\n'; echo -- -n; echo -x; echo -e 'a\cb'; echo
#### read
printf 'a b c\nd\\\ne\n' > f; { read x y; echo "[$x][$y]"; read z; echo "[$z]"; } < f; read -r r <<< 'a\b'; echo $r; IFS=: read a b <<< 1:2:3; echo $a $b; read -n 2 n <<< abc; echo $n; read -d x d <<< 1x2; echo $d; read q < /dev/null; echo $?
#### test operators
touch f; mkdir d; [ -f f ] && [ -d d ] && [ ! -e n ] && [ -s f ] || echo empty; [ a = a -a b != c ] && echo and; [ 1 -lt 2 ] && [ 2 -ge 2 ] && echo num; test -n x -o -z x && echo or; [ "" ] || echo null; [ 1 -eq x ] 2>/dev/null; echo $?
#### shift and set
set -- a b c d; shift; echo $1 $#; shift 2; echo $1; shift 5; echo $? $#; set -- ; echo $#
#### getopts
set -- -a -b val -c rest; while getopts ab:c o; do echo $o $OPTARG; done; shift $((OPTIND-1)); echo $1; OPTIND=1; getopts :x o -z; echo $o $OPTARG
#### eval and source
eval 'x=1; echo $x'; echo 'y=2; return 5; echo no' > f; . ./f; echo $? $y; source ./f a b; echo $#
#### type and command
f() { :; }; type -t f cd if nosuch; command -v cd; command -v f; alias zz=ls; command -v nosuch; echo $?; command echo x
#### declare attributes
declare -i i=2+3; echo $i; declare -u u=abc; declare -l l=ABC; echo $u $l; declare -r r=1; r=2; echo no
#### export and env
export A=1; B=2 env | grep '^[AB]=' | sort; export -n A; env | grep -c '^A='; C=3; export C; bash -c 'echo $C'
#### unset
x=1; unset x; echo ${x-gone}; f() { echo f; }; unset -f f; f 2>/dev/null; echo $?; readonly q=1; unset q 2>/dev/null; echo $?
#### trap
trap 'echo exit' EXIT; trap 'echo int' INT; trap -p INT; trap - INT; trap -p INT; (trap 'echo sub' EXIT; echo in); kill -l 15
#### traps on signals
trap 'echo usr1' USR1; kill -USR1 $$; echo after; trap '' TERM; kill -TERM $$; echo alive
#### ERR and RETURN and DEBUG
trap 'echo err $?' ERR; false; true; f() { return 2; }; f; trap - ERR; trap 'echo ret' RETURN; g() { :; }; g; trap - RETURN; trap 'echo dbg' DEBUG; :; trap - DEBUG
#### jobs and wait
sleep 0.05 & p=$!; wait $p; echo $?; (exit 7) & wait $!; echo $?; false & true & wait; echo $?; wait 99999 2>/dev/null; echo $?
#### wait -n
(sleep 0.05; exit 3) & wait -n; echo $?; wait -n; echo $?
#### kill a job
sleep 100 & kill $!; wait $! 2>/dev/null; echo $?
#### cd pwd pushd
mkdir -p a/b; cd a; cd b; pwd | sed 's,.*/a,a,'; cd ..; cd - > /dev/null; basename "$PWD"; cd ../..; pushd a > /dev/null; dirs | wc -w; popd > /dev/null; cd nope 2>/dev/null; echo $?; cd -P a; basename $PWD
#### umask
umask 027; umask; umask -S; > f; stat -c %a f; umask u=rwx,g=,o=; umask
#### hash and builtin
hash -r; builtin echo b; builtin nosuch 2>/dev/null; echo $?; enable -n echo; type -t echo; enable echo; type -t echo
#### exec replaces
(exec echo gone; echo no); exec 3<<< here; cat <&3
#### let
let 'x = 3 + 4' y=x*2; echo $x $y; let 0; echo $?
#### caller and FUNCNAME
f() { caller 0 > /dev/null; echo ${FUNCNAME[@]}; g; }; g() { echo ${FUNCNAME[@]} ${#BASH_LINENO[@]}; }; f
#### alias
shopt -s expand_aliases
alias hi='echo hello' e='echo '
hi there
e hi
unalias hi; hi 2>/dev/null; echo $?
#### shopt and set -o
shopt -q extglob; echo $?; shopt -s extglob; shopt extglob; set -o | grep -c on; set -o noglob; echo $-| tr -d hBc; shopt -po nounset
#### times and ulimit answer
times > /dev/null; echo $?; ulimit -n > /dev/null; echo $?
#### compgen
compgen -W 'apple apricot bob' ap; f1x() { :; }; compgen -A function f1; compgen -W 'a' z; echo $?
#### bash and sh in-process
bash -c 'echo $0 $1' n a; sh -c 'exit 3'; echo $?; printf '#!/bin/bash\necho script $1\n' > s; chmod +x s; ./s arg; echo 'echo from stdin $1' | bash -s x
#### printenv of a function export
f() { echo exported; }; export -f f; bash -c f
