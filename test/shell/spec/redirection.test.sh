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
#### here document as a stream with others after
cat <<A | tr a-z A-Z; echo after
text
A
cat <<A > f && cat f
into
A
#### several here documents on a line
cat <<A 3<<B; cat /dev/fd/3 3<<C
a
A
b
B
c
C
#### here document delimiter with blanks and signs
cat <<'E O F'
x
E O F
cat <<E-1
y
E-1
#### here document with a parameter expansion over lines
cat <<E
${u:-a
b} "${u:-"c"}" ${u:-'d'}
E
#### here strings in every form
cat <<< word; x='a  b'; cat <<< $x; cat <<< "$x"$'\n'end; cat <<< 'it''s'; cat <<< $(echo sub); cat <<< ''; wc -c <<< ''; tr a b <<<a
#### here strings with arrays and tilde
a=(1 2); cat <<< ${a[@]}; cat <<< "${a[*]}"; HOME=/h; cat <<< ~; cat <<< *; cat <<< {a,b}
#### redirections anywhere in a command
> f echo a; cat f; echo b >> f c; cat < f; 2>/dev/null ls /nonexistent; echo $?; <f cat >g; cat g
#### redirections alone
> f; [[ -e f && ! -s f ]] && echo empty; < nope 2>/dev/null; echo $?; x=1 > g; echo $x; [[ -e g ]] && echo g
#### redirection errors stop the command
echo no > /nonexistent/f 2>/dev/null; echo $?; cat < nope 2>&1; echo $?; { echo no; } < nope 2>/dev/null; echo $?; f() { echo no; }; f < nope 2>/dev/null; echo $?
#### redirection errors of special builtins
: > /nonexistent/f 2>/dev/null; echo $?; export x=1 > /nonexistent/x 2>/dev/null; echo "[$x]"
#### targets that are expansions
n=f; echo a > $n.txt; cat f.txt; echo b > "$n $n"; cat 'f f'; echo c > $(echo g); cat g; (echo d > $u) 2>&1; (echo e > "") 2>&1
#### descriptors through functions and groups
f() { echo to3 >&3; }; f 3>&1; { f; } 3> x; cat x; g() { cat <&5; }; g 5<<< five
#### exec changes the rest
(exec > f; echo a; exec 2>&1; echo b >&2); cat f; exec 5>&1 > g; echo hidden; exec >&5 5>&-; echo shown; cat g
#### a shared position
printf '1\n2\n3\n4\n' > f; exec 3< f; read a <&3; (read b <&3; echo $b); read c <&3; echo $a $c; head -n 1 <&3; exec 3<&-
#### special names
echo a > /dev/stdout; { echo b > /dev/stderr; } 2>&1; echo c > /dev/fd/1; cat /dev/stdin <<< d; read x < /dev/null; echo $?
#### swap of outputs
f() { echo out; echo err >&2; }; { f 3>&1 1>&2 2>&3 3>&-; } 2> e; cat e; f 2>&1 >/dev/null
#### saving and restoring
exec 6>&1 > f; echo in file; exec 1>&6 6>&-; echo back; cat f; exec 7<&0 < f; read l; exec 0<&7 7<&-; echo $l
#### numbers must touch the operator
echo 2 > f; cat f; echo 2> f; cat f; echo a2> f; cat f; echo \2> f; cat f
#### ambiguous targets
touch x1 x2; (echo a > x*) 2>&1; v='p q'; (echo a > $v) 2>&1; (cat < $v) 2>&1; echo $?
#### bad descriptors
(echo a >&9) 2>&1; (cat <&9) 2>&1; (echo a >&x9y) ; cat x9y; (: 3>&word) 2>&1; (: <&word) 2>&1; echo $?
#### big descriptors
echo a 20>&1 >&20; exec 99> f; echo b >&99; exec 99>&-; cat f
#### a message that has nowhere to go does not change the status
ls nosuch 2>&-; echo $?; ls nosuch a 2>/dev/null; echo $?; cat nosuch 2>&-; echo $?
#### a here-document that the text ends
cat <<E
abc
#### descriptors beyond every limit
echo a 922337203>f; echo $?; cat 99999999<<< x; echo $?; exec 922337203>&-; echo $?
