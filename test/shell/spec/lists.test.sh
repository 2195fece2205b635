# 3.2.4 Lists of commands
#### and, or are left associative and equal
true || echo a && echo b; false && echo c || echo d; false || false || echo e
#### status of lists
false && true; echo $?; true || false; echo $?; (exit 3) || (exit 4); echo $?
#### operators at the end of lines
true &&
echo a
false ||

echo b
#### background lists
{ sleep 0.01; echo late > f; } & wait; cat f; false & wait $!; echo $?
#### an and list in the background
true && echo bg > f & wait; cat f
#### a status of a background command is zero
false & echo $?; wait
#### mixed with pipes and groups
true && { echo a; false; } | cat || echo no; echo ${?}; ! { true && false; } && echo inv
#### assignments in lists
x=1 && y=$x || z=3; echo $x$y$z; false && x=9; echo $x
#### errexit leaves lists alone
set -e; false && true; echo a; false || echo b; true && false || echo c; { false && true; }; echo d
#### errexit at the end of an and list
(set -e; true && false; echo no); echo $?
#### redirections in lists belong to one command
echo a > f && echo b >> f; cat f; { echo c && echo d; } > g; cat g
#### semicolon, newline and ampersand together
sleep 0 & echo a; wait; echo b & wait
echo c
#### long chains
true && true && true && false || true && echo end; for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done
#### return and break in lists
f() { true && return 4; echo no; }; f || echo $?; for i in 1 2; do false || break; echo no; done; echo i=$i
