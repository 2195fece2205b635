# 6.11 Bash and POSIX
#### command substitution inherits errexit
bash --posix -c 'set -e; x=$(false; echo no); echo no'; echo $?; bash -c 'set -e; x=$(false; echo still); echo $x'
#### sh is posix
sh -c 'echo a; [ "$1" = b ] && echo b' s b; sh -c 'x=1; f() { x=2; }; f; echo $x'; sh -c 'echo ${x:-d}'
#### unset finds functions too
f() { :; }; unset f; type -t f; bash --posix -c 'f() { :; }; unset f; type f' 2>/dev/null; echo $?
