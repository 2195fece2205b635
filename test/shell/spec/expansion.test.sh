# 3.5 Shell expansions, in short
#### braces: lists, sequences, nesting
echo {a,b}{1,2} x{1..5}y {a..e..2} {10..1..3} {01..03} {a,{b,c}d} {,x} {a} {a,b
#### braces and quotes
echo "{a,b}" {'a b',c} a{,}b \{a,b} {a\,b,c}
#### tilde
HOME=/h; echo ~ ~/x a~ "~" ~/"x y" x=~ ; y=~/a:~/b; echo $y
#### default values
unset u; e=; echo "${u-d}" "${u:-d}" "${e-d}" "${e:-d}" "${u+s}" "${e+s}" "${e:+s}|"
#### assigning defaults
echo ${n:=val} $n; echo ${e2=x y} "$e2"
#### error if unset
(echo ${u?is unset}) 2>/dev/null; echo $?
#### length
x=héllo; echo ${#x} ${#u} ; set -- a b c; echo $# ${#@} ${#*}
#### prefix and suffix
p=/a/b.c.d; echo ${p#*/} ${p##*/} ${p%.*} ${p%%.*} ${p#x} ${p%/*}
#### replacement
s=banana; echo ${s/a/X} ${s//a/X} ${s/#b/X} ${s/%a/X} ${s//[an]/} ${s//n/&&} ${s/x/y}
#### replacement with slash and quotes
s=a/b/c; echo ${s//\//-} ${s/"/"/+} "${s//\//:}"
#### case
s='hello World'; echo "${s^}" "${s^^}" "${s,}" "${s,,}" "${s^^[lo]}"
#### slices of text
s=0123456789; echo ${s:3} ${s:3:2} ${s: -3} ${s: -3:2} ${s:2:-2} ${s:20}| ${s:(1+1):1}
#### slices of positionals
set -- a b c d e; echo "${@:2}" "|" "${@:2:2}" "|" "${@: -2}" "|" "${*:1:1}"
#### indirection
v=w; w=deep; echo ${!v}; ab1=1 ab2=2; echo ${!ab*} "${!ab@}"
#### transformations
x="a b'c"; echo "${x@Q}" "${x@U}" "${x@u}" "${x@L}"; y='a\tb'; echo "${y@E}"; declare -i n=3; echo "${n@a}" "${n@A}"
#### nested expansions
a=; b=x; echo ${a:-${b:-y}} "${a:-"${b}z"}" ${a:-$(echo q)}
#### word splitting
x=' a  b c '; for w in $x; do echo "[$w]"; done; IFS=:; y='a::b:'; for w in $y; do echo "<$w>"; done
#### mixed IFS
IFS=' ,'; x='a , b,,c ,'; for w in $x; do echo "[$w]"; done
#### IFS empty and unset
x='a b'; IFS=; set -- $x; echo $#; unset IFS; set -- $x; echo $#
#### star and at
set -- 'a b' c; IFS=-; echo "$*" "$@" $*; for x in "$@"; do echo "[$x]"; done
#### empty at vanishes
set --; for x in "$@" "" ; do echo "[$x]"; done; set -- "$@" x; echo $#
#### command substitution strips newlines
x=$(printf 'a\n\nb\n\n'); echo "[$x]"; echo `echo \`echo nested\``
#### command substitution of a file
printf 'x\ny\n' > f; echo "$(<f)"
#### status of a substitution
x=$(exit 3); echo $?; local_test() { local y=$(exit 4); echo $?; }; local_test
#### arithmetic expansion
x=5; echo $((x+1)) $((x*x)) $(( x > 3 ? 1 : 0 )) $((x++)) $x $[x+1] $((0x1f)) $((2#101)) $((017)) $((-7/2)) $((-7%3)) $((2**10)) $((1<<4|1))
#### arithmetic with side effects
echo $((a=3, b=a*2, b)) $a $b; ((a+=4)); echo $a; let c=a*2; echo $c; ((0)); echo $?
#### arithmetic overflow wraps
echo $((9223372036854775807 + 1)) $((2**63)) $((9223372036854775807 * 2))
#### process substitution
cat <(echo a) <(echo b); while read x; do echo "[$x]"; done < <(printf '1\n2\n')
#### globs
touch a.txt b.txt c.md .hidden; mkdir d; touch d/e.txt; echo *.txt; echo *; echo ?.md; echo [ab].txt; echo [!a].txt; echo */*.txt; echo nomatch*; echo "*.txt" \*.txt
#### dotglob nullglob failglob
touch .h v; shopt -s dotglob; echo *; shopt -u dotglob; shopt -s nullglob; echo x* y; shopt -u nullglob; shopt -s failglob; echo q* 2>/dev/null; echo $?
#### globstar
mkdir -p a/b/c; touch a/1 a/b/2 a/b/c/3; shopt -s globstar; echo a/**; echo **/3; echo a/**/
#### extglob
shopt -s extglob
touch a ab abb b; echo a*(b) ; echo @(a|b); echo !(a|b); echo +(a|b)
x=aaab; echo ${x##+(a)} ${x/@(a|b)/X}
#### character classes
touch a1 aA a_ ; echo a[[:digit:]] a[[:upper:]] a[![:alnum:]] a[0-9A-Z]
#### variables that hold patterns
touch f1 f2; p='f*'; echo $p "$p"; set -f; echo $p
#### quoting removes after expansion only literal quotes
q='"a"'; echo $q 'b'"c"
