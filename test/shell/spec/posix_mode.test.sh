# 6.11 Bash and POSIX
#### command substitution inherits errexit
bash --posix -c 'set -e; x=$(false; echo no); echo no'; echo $?; bash -c 'set -e; x=$(false; echo still); echo $x'
#### sh is posix
sh -c 'echo a; [ "$1" = b ] && echo b' s b; sh -c 'x=1; f() { x=2; }; f; echo $x'; sh -c 'echo ${x:-d}'
#### unset finds functions too
f() { :; }; unset f; type -t f; bash --posix -c 'f() { :; }; unset f; type f' 2>/dev/null; echo $?
#### special builtins keep assignments
set -o posix; x=1 export y=2; echo $x; a=5 eval :; echo $a; b=6 true; echo "[$b]"
#### redirection errors of special builtins
bash --posix -c ': > /nonexistent/x; echo no' 2>/dev/null; echo $?; bash --posix -c 'echo > /nonexistent/x; echo yes' 2>/dev/null
#### aliases are on
bash --posix -c 'alias e="echo al"
e x'
#### trap output and kill -l
bash --posix -c 'trap "echo x" INT; trap'; bash -c 'trap "echo x" INT; trap'
#### source needs a slash or PATH
echo 'echo here' > lib; bash --posix -c '. lib' 2>/dev/null; echo $?; bash -c '. lib'
#### export -p and readonly -p forms
bash --posix -c 'export A=1; export -p | grep " A="; readonly B=2; readonly -p | grep " B="'; bash -c 'export A=1; export -p | grep " A="'
#### tilde and assignments
HOME=/h; set -o posix; echo a=~ ; x=~; echo $x
#### assignments before functions and ordinary commands do not stay
set -o posix; f() { :; }; x=1 f; echo "[${x-}]"; y=2 true; echo "[${y-}]"; z=3 :; echo "[$z]"
#### the mode goes on and off
set -o posix; [[ -o posix ]] && echo on; set +o posix; [[ -o posix ]] || echo off; POSIXLY_CORRECT=y; [[ -o posix ]] && echo on
