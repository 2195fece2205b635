# 3.5.4 Command substitution, 3.5.6 Process substitution
#### newlines at the end go, inside stay when quoted
x=$(printf 'a\n\nb\n\n\n'); echo "[$x]"; echo [$x]; y=`printf '\n\nz'`; echo "[$y]"
#### splitting of the result
for w in $(echo 'a b  c'); do echo "[$w]"; done; for w in "$(echo 'a b')"; do echo "<$w>"; done; IFS=,; for w in $(echo a,b,,c); do echo "{$w}"; done
#### globbing of the result
touch f1 f2; echo $(echo 'f*') "$(echo 'f*')"
#### status and variables inside
x=1; y=$(x=2; echo $x; exit 5); echo $? $x $y; z=$(exit 3)$(exit 4); echo $?; echo $(exit 7); echo $?
#### nested three deep, both styles
echo $(echo $(echo $(echo d))) `echo \`echo \\\`echo e\\\`\`` "$(echo "`echo "f g"`")"
#### file shorthand
printf 'l1\nl2\n' > f; echo "$(< f)"; echo $(<f); n=f; x=$(< "$n"); echo ${#x}; y=$(< nope) 2>/dev/null; echo $?
#### comments and quotes inside
echo $(echo a # comment )
) "$(echo ')' '(' "x)")" $(echo \))
#### case and here documents inside
echo $(case x in x) echo in;; esac) $(cat <<E
doc
#### functions, parameters and options inside
f() { echo "f$1"; }; echo $(f 1)$(f 2); set -- a b; echo $(echo $2 $#); set -f; echo $(echo $-) | grep -c f
#### errors inside go to standard error
x=$(nosuchcmd 2>&1); echo "$x" $?; { echo "[$(echo err >&2)]"; } 2>&1
#### NUL bytes are dropped
x=$(printf 'a\0b') 2>/dev/null; echo ${#x} $x
#### arithmetic or subshell
echo $((1+2)) $( (echo sub) ) $((echo a); echo b)
#### input inside
printf '1\n2\n' | { x=$(read a; echo $a); read b; echo $x $b; }; echo in | echo $(cat)
#### background and exit inside
x=$(sleep 0.01 & echo now; wait; exit 2); echo $? $x; echo $(trap 'echo bye' EXIT; echo hi)
#### large output
x=$(seq 1 20000); echo ${#x}; set -- $(seq 1 5000); echo $#
#### process substitution as files
cat <(echo a) <(echo b; echo c); diff <(echo x) <(echo x) && echo same; wc -l < <(seq 3); sort <(printf 'b\na\n') -
#### process substitution for loops
while read -r a b; do echo "$b $a"; done < <(printf '1 x\n2 y\n'); mapfile -t m < <(seq 3); echo ${m[@]}
#### process substitution as output
{ echo a; echo b; } > >(cat > out); sleep 0.2; cat out; { echo a; echo b; } | tee >(wc -l > n) > /dev/null; sleep 0.2; cat n | tr -d ' '
#### process substitution with descriptors
exec 3< <(printf 'l1\nl2\n'); read a <&3; read b <&3; exec 3<&-; echo $a $b; read x < <(echo q); echo $x
#### process substitution in a function and its status
f() { cat "$1" "$2"; }; f <(echo 1) <(echo 2); cat <(exit 3); echo $?; [[ <(:) == /dev/fd/* ]] && echo path
#### process substitution paste and comm
paste <(seq 3) <(seq 4 6); comm -12 <(printf 'a\nb\n') <(printf 'b\nc\n')
