#### to files
echo a > f; echo b >> f; cat f; echo c >| f; cat < f
#### descriptors
{ echo out; echo err >&2; } 2>&1 | sort; { echo x >&3; } 3> f; cat f; exec 4> g; echo y >&4; exec 4>&-; cat g
#### both
{ echo o; echo e >&2; } &> f; sort f; { echo o2; echo e2 >&2; } &>> f; sort f
#### order matters
{ echo o; echo e >&2; } 2>&1 >/dev/null | cat
#### noclobber
set -C; echo a > f; echo b > f; echo $?; echo c >| f; cat f
#### missing input
cat < nope; echo $?; echo x > /nonexistent/f; echo $?
#### read and write
echo abc > f; exec 3<> f; read -n 1 x <&3; echo $x; echo Z >&3; exec 3>&-; cat f
#### variables for descriptors
exec {fd}> f; echo hi >&$fd; exec {fd}>&-; cat f; [ $fd -ge 10 ] && echo big
#### shared offsets
printf '1\n2\n3\n' > f; { read a; read b; cat; } < f; echo $a $b
#### closing
echo x >&- 2>/dev/null; echo $?
#### move
exec 5> f; { echo m >&6; } 6>&5-; exec 5>&-; cat f
#### ambiguous
touch a b; echo x > * 2>/dev/null; echo $?
#### redirection without command
> f; [ -e f ] && echo made; x=5 > g; echo $x
#### dev names
echo a > /dev/stdout; echo b > /dev/null; cat /dev/stdin <<< c; cat /dev/fd/0 <<< d
