# 3.2.5.1 Looping constructs
#### until with a compound test
i=0; until ((++i > 3)); do echo $i; done; until false || true; do echo no; done; echo $?
#### while with several commands in its test
i=0; while i=$((i+1)); echo t$i; [ $i -lt 3 ]; do echo b$i; done
#### status of a loop that never ran
while false; do (exit 3); done; echo $?; for x in; do false; done; echo $?; until true; do :; done; echo $?
#### status of a loop is that of its last body
for i in 1 2; do (exit $i); done; echo $?
#### for without in
f() { for x do echo "<$x>"; done; }; f a 'b c'; set -- z; for y; do echo $y; done
#### for with newlines before do
for x in a b
do
echo $x
done
for y
in c; do echo $y; done
#### for over expansions
v='a b'; for x in $v "$v" {1..3} $(echo q r); do echo "[$x]"; done
#### the variable keeps its last value
for i in 1 2 3; do :; done; echo $i; for j in; do :; done; echo "[$j]"
#### changing the list while it runs
set -- a b; for x; do set -- q; echo $x; done; echo $#
#### arithmetic for forms
for ((i=3;i;i--)) do echo $i; done; for ((;;)) { break; }; echo out; for (( i = 0 ; i < 2 ; ++i )); do echo $i; done
#### arithmetic for with empty parts
i=0; for ((;i<2;)); do echo $i; ((i++)); done; for ((i=0;;i++)); do ((i>1)) && break; done; echo $i
#### braces instead of do
for x in a b; { echo $x; }; for ((i=0;i<2;i++)) { echo $i; }
#### break with a count beyond the depth
for i in 1 2; do for j in 1 2; do break 9; done; echo no; done; echo $i $j
#### continue with a count
for i in 1 2; do for j in a b; do continue 2; echo no; done; echo no; done; echo $i$j
#### break and continue need numbers above zero
for i in 1 2; do break 0; echo no; done 2>&1; echo $?
#### break in a subshell or function
for i in 1 2; do (break); echo $i; done 2>/dev/null; f() { break; }; for i in 1 2; do f 2>/dev/null; echo $i; done
#### break inside eval and source
for i in 1 2; do eval break; echo no; done; echo 'continue; echo no' > s; for i in 1 2; do . ./s; echo no; done; echo $i
#### while read until the last line without newline
printf 'a\nb' | while IFS= read -r l || [[ -n $l ]]; do echo "[$l]"; done
#### loops with redirections
i=0; while ((i<3)); do echo $i; ((i++)); done > f; cat f; until ! read x; do echo "<$x>"; done < f
#### nested loops and labels of counts
for a in 1 2 3; do while :; do until false; do [ $a = 2 ] && break 3; continue 3; done; done; done; echo $a
#### break returns zero
for i in 1; do false; break; done; echo $?; while true; do (exit 3); break; done; echo $?
#### loop variable that is an array element or readonly
readonly r=1; for r in 2; do echo $r; done 2>&1; echo $?
#### loop with a nameref variable
declare -n ref; a=1 b=2; for ref in a b; do echo $ref; ref+=x; done; echo $a $b
