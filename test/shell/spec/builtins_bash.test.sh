# 4.2 Bash builtins
#### alias and unalias
shopt -s expand_aliases; alias a='echo A' b=a; alias a; alias; unalias a; alias a 2>&1; echo $?; unalias -a; alias; unalias nosuch 2>&1; echo $?
#### builtin and command
builtin echo a; builtin nosuch 2>&1; echo $?; echo() { :; }; command echo b; builtin echo c; command -v echo; command -V cd; command -v nosuch; echo() { command echo "<$@>"; }; echo d
#### command -p and options
command -p echo x; command -v if; command -v :; command -V if; command -V nosuch 2>&1; command -x 2>/dev/null; echo $?
#### declare finds by attribute
declare -i zi=1; declare -r zr=1; declare -x zx=1; declare -a za=(1); declare -A zA=([q]=1); declare -i | grep z; declare -r | grep zr; declare -x | grep zx; declare -a | grep za; declare -A | grep zA
#### declare functions
f() { echo a; }; declare -f f; declare -F f; declare -F | grep -c f; declare -f nosuch; echo $?; declare -F nosuch; echo $?
#### echo
echo -n a -n; echo; echo -e 'a\tb\\c\x41\0101\e' | od -c | head -2; echo -E 'a\tb'; echo -ne 'x\n'; echo -nx; echo - ; echo --; echo -e 'a\cb' c; echo
#### echo with xpg_echo
shopt -s xpg_echo; echo 'a\tb'; echo -E 'a\tb'; shopt -u xpg_echo; echo 'a\tb'
#### enable
enable -n test; type -t test; enable test; type -t test; enable | grep -c '^enable echo$'; enable -n cd; enable -n; enable cd; enable nosuch 2>&1; echo $?
#### help answers
help cd > /dev/null; echo $?; help nosuch > /dev/null 2>&1; echo $?
#### local outside of a function
local x=1 2>&1; echo $?
#### logout in a script
logout 2>&1; echo $?
#### mapfile
printf 'a\nb\nc\n' > f; mapfile m < f; echo ${#m[@]} "${m[0]}"; mapfile -t m < f; echo ${m[@]}; mapfile -t -n 2 m < f; echo ${m[@]}; mapfile -t -s 1 m < f; echo ${m[@]}; mapfile -t -O 2 m < f; echo ${!m[@]}; readarray -t -d b m < f; declare -p m
#### mapfile with a callback
printf '%s\n' a b c d > f; cb() { echo "at $1: $2"; }; mapfile -t -C cb -c 2 m < f; mapfile -t < f; echo ${MAPFILE[3]}; mapfile -u 3 -t x 3< f; echo ${x[0]}
#### printf numbers
printf '%d|%i|%u|%o|%x|%X|%#x|%#o|%+d|% d|%05d|%-5d|%5.3d\n' 42 42 42 42 255 255 255 8 5 5 42 42 7; printf '%d %d %d %d\n' 0x1f 010 "'a" '"b'; printf '%d\n' -5 9223372036854775807
#### printf strings
printf '%s|%10s|%-10s|%.2s|%c|%5c\n' abc abc abc abc xyz q; printf '%*s|%-*s|%.*s\n' 6 ab 6 cd 1 ef; printf '%s\n'; printf '%s %s\n' a b c; printf 'no format\n' extra
#### printf escapes
printf 'a\tb\\n\n\x41\101\u00e9\U1F600\e[0m\n' | od -An -tx1 | head -3; printf '%b\n' 'x\ty\0101\\'; printf '%b|' 'a\cb' c; echo; printf '\c' 2>/dev/null; printf "%%|%5%|\n" 2>/dev/null
#### printf %q
printf '%q\n' 'a b' "it's" '' 'a$b' $'a\tb' 'é' '~' 'a~' '#x' 'x#' '=a' 'a=b' '{a,b}' 'a!b' '*'; printf '%Q\n' 'a b'; printf '%.3q|\n' 'a b c' 2>/dev/null
#### printf times
printf '%(%Y-%m-%d %H:%M:%S)T\n' 0 86399; printf '%(%a %b %e %j %y)T\n' 1000000000; printf '%(%F)T' -1 | grep -c '^....-..-..$'; printf '%(%s)T\n' 5; printf '%()T\n' 0
#### printf -v
printf -v x '%03d' 7; echo $x; printf -v a[2] '%s' el; echo ${a[2]} ${#a[@]}; declare -A m; printf -v 'm[k]' v; echo ${m[k]}; printf -v 1x a 2>&1; echo $?; printf -v 2>/dev/null; echo $?
#### printf errors
printf '%d\n' abc 2>&1; echo $?; printf '%d\n' 5x 2>&1; echo $?; printf '%z\n' 2>&1; echo $?; printf 2>/dev/null; echo $?; printf '%d\n' '' 2>&1; echo $?; printf '%d\n' 99999999999999999999 2>&1; echo $?; printf '%f\n' x 2>&1
#### read options
read -n 3 x <<< abcdef; echo $x; read -N 4 x <<< $'a\nb\nc'; echo "$x"; read -d , x <<< 'a b,c'; echo "$x"; read -a r <<< '1 2 3'; echo ${r[1]}; read -r x <<< 'a\b'; echo $x; read x <<< 'a\b\\c'; echo $x; read -p prompt x <<< v; echo $x
#### read statuses and timeouts
read x < /dev/null; echo $?; printf 'partial' | { read x; echo $? $x; }; read -t 0 x < /dev/null; echo $?; read -u 9 x 2>/dev/null; echo $?; read -t 0.01 x < <(sleep 1); echo $(($?>128)); read 1x <<< a 2>/dev/null; echo $?
#### read line continuation
printf 'a\\\nb c\n' | { read x y; echo "$x|$y"; }; printf 'a\\\nb\n' | { read -r x; echo "$x"; }; printf 'a\\ b c\n' | { read x y; echo "$x|$y"; }
#### read from a descriptor shares it
printf '1\n2\n3\n' > f; while read -u 4 x; do echo $x; read -u 4 y; done 4< f; exec 3< f; read -n 1 a <&3; read b <&3; read c <&3; echo "$a|$b|$c"
#### source
echo 'echo ${#} ${BASH_SOURCE[0]} ${FUNCNAME[0]}' > s; f() { source ./s 1 2; }; f; source ./s; source 2>/dev/null; echo $?
#### type
f() { :; }; alias a=b; type f; type -t f cd ls if nosuch; type cd if; type -a echo | head -1; type nosuch 2>&1; echo $?; type -P cat | grep -c cat; type -p cd; echo $?; type -f f 2>&1; hash ls; type ls | grep -c ls
#### typeset is declare
typeset -i n=2+2; echo $n; f() { typeset x=l; }; x=g; f; echo $x; typeset -p n; typeset -f f
#### ulimit answers
ulimit -S -n > /dev/null; echo $?; ulimit -c 0; ulimit -c; ulimit -a | grep -c 'open files'; ulimit -q 2>/dev/null; echo $?; ulimit -n x 2>&1; echo $?
#### bind, complete, history do no harm
complete -W 'a b' cmd; echo $?; history > /dev/null; echo $?; complete -r cmd; echo $?; set -o history; echo $?
#### declare prints
x='a b' y=$'c\nd'; declare -p x y; declare -a a=(1 'b c' [5]=d); declare -p a; declare -A m=([k 1]='v 1'); declare -p m; declare -i n=3; declare -p n nosuch 2>&1; echo $?
#### declare errors
declare 1x 2>&1; echo $?; declare -a 'x=y z' ; declare -p x; declare -z 2>/dev/null; echo $?; declare -A m; declare -a m 2>&1; echo $?; a=1; declare -A a 2>&1; echo $?; declare -p a
#### mapfile errors
mapfile 1x < /dev/null 2>&1; echo $?; mapfile -n x y < /dev/null 2>&1; echo $?; declare -A h; mapfile h < /dev/null 2>&1; echo $?
#### every way to assign to a constant
readonly x=1; f() { local x=2; echo in $?; }; f; echo $?; export x=3; echo $?; declare x=4; echo $?; for x in a; do echo; done; echo $?; read x <<< 1; echo $?; ((x=2)); echo $?; printf -v x a; echo $?; x+=1 true; echo $?; unset x; echo $?; getopts a x -a; echo $?; mapfile x <<< 1; echo $?
