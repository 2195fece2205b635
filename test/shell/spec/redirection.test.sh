# 3.6 Redirections
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
#### order from left to right
{ echo o; echo e >&2; } > f 2>&1; cat f; { echo o; echo e >&2; } 2>&1 > g | sed s/^/p/; cat g
#### append
echo a >> f; echo b >> f; { echo c; echo d; } >> f; cat f; echo e 1>> f; wc -l < f
#### clobber
set -C; echo a > f; (echo b > f) 2>&1; cat f; echo c >| f; cat f; echo d >> f; cat f; echo x > /dev/null && echo null
#### both outputs, all forms
f() { echo o; echo e >&2; }; f &> a; cat a; f >& b; cat b; f &>> a; wc -l < a; f > c 2>&1; cat c
#### duplicates of numbers
exec 3>&1; echo a >&3; { echo b >&3; } > /dev/null; exec 3>&-; (echo c >&3) 2>&1
#### duplicates of inputs
exec 4<<< $'l1\nl2'; read a <&4; read b 0<&4; echo $a $b; exec 4<&-; (read x <&4) 2>&1
#### moves
exec 3> f; echo a >&3; exec 4>&3-; echo b >&4; (echo c >&3) 2>/dev/null; echo $?; exec 4>&-; cat f
#### closes
(echo a >&-) 2>&1; echo $?; (exec >&-; echo b) 2>&1; { echo c; } 2>&- ; (cat <&-) 2>/dev/null; echo $?
#### names for numbers
exec {a}> f {b}>&1; ((a>=10&&b>a)) && echo big; echo x >&$a; echo y >&$b; exec {a}>&- {b}>&-; cat f; (echo z >&$a) 2>/dev/null; echo $?
#### names for numbers outlive the command
: {fd}< /dev/null; [[ $fd -ge 10 ]] && echo open; exec {fd}<&-; shopt -s varredir_close; : {g}< /dev/null; (cat <&$g) 2>/dev/null; echo $?
#### here documents with tabs, quotes, expansions
x=v
cat <<-A
	$x \$x `echo bq` $((1+1)) "q" 'q' \\ \a
		two
	A
cat <<"B"
$x \$x
B
cat <<\C
`no`
C
#### here documents join lines
cat <<A
one \
two
A
cat <<'B'
one \
two
B
#### here documents in loops and functions
f() { cat <<E
arg $1
