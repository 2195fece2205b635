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
