# 3.5.3 Shell parameter expansion
#### defaults with quotes and blanks
unset u; for x in ${u:-a b} "${u:-c d}" ${u:-"e f"} "${u:-"g h"}" ${u:-'i j'} "${u:-'k'}"; do echo "[$x]"; done
#### assigning defaults keep quotes away
unset u v; : ${u:="a  b"}; echo "$u"; : "${v=x y}"; echo "$v"; e=; : ${e=no}; echo "[$e]"; : ${e:=yes}; echo $e
#### default of positional and special
set --; echo ${1-none} ${1:-none} "${@-none}" "${*:-none}" ${#:-x}; set -- ''; echo "[${1-x}]" "[${1:-x}]" "[${@:-y}]"
#### assigning to a positional is an error
(echo ${1:=x}) 2>&1; echo $?
#### alternative values
x=1 e=; echo "${x+a}${e+b}${u+c}${x:+d}${e:+e}" ${x:+"a b"}; set -- a; echo ${1+"$@"} ${2+no}
#### errors say why
(echo ${u?}) 2>&1; (echo ${u:?my text here}) 2>&1; (e=; echo ${e:?}) 2>&1; (echo ${e?fine}); echo $?
#### lengths
x=abc; echo ${#x} ${#u} ${#} "${#x}"; set -- a bb; echo ${#1} ${#2} ${#@} ${#*}; y=$'a\nb'; echo ${#y}; z=日本; echo ${#z}
#### substrings with expressions
s=abcdefgh; n=2; echo ${s:n} ${s:n:n+1} ${s:(-3):2} ${s: -3} ${s:0:-1} ${s:$((1+1)):1} ${s:n>1?3:0} "[${s:8}]" "[${s:9}]"
#### substrings of arrays with holes
a=([1]=b [3]=d [5]=f); echo ${a[@]:1:2} ${a[@]:2} ${a[@]: -1} ${a[@]:0:1}; b=(abc def); echo ${b:1} ${b[1]:0:2}
#### prefixes of names
abc1=1 abc2=2; echo ${!abc*} "${!abc@}"; for n in "${!abc@}"; do echo ${!n}; done; IFS=-; echo "${!abc*}"
#### keys
a=(x [4]=y); declare -A m=([k]=1); echo ${!a[@]} "${!m[*]}"; s=1; echo ${!s[@]}; echo "[${!u[@]}]"
#### indirect with operators
a=b b='c d'; echo "${!a}" ${!a#c} "${!a/ /_}" ${!a:-x} ${#a}; n=a; echo ${!n^^}; p=1; set -- pos; echo ${!p} ${!#}; q=arr[1]; arr=(1 2); echo ${!q}
#### indirect through unset is an error or empty
unset u; (echo "[${!u}]") 2>&1; u=; (echo "[${!u}]") 2>&1; v=w; unset w; echo "[${!v}]" "${!v-def}"
#### removal of prefixes and suffixes
f=/a/b/c.tar.gz; echo ${f##*/} ${f#*/} ${f%.*} ${f%%.*} ${f#/a} ${f%"gz"} ${f%[gz]z} ${f##*.} ${f%/*}/x
#### removal with quoted patterns
x='a*b*c'; echo ${x#*'*'} ${x##*"*"} ${x%\**} "${x%%'*'*}"; p='*'; echo ${x#$p} "${x#"a$p"}" ${x##a$p}
#### removal over lists
set -- a.x b.y; echo ${@%.*} "${*#?.}"; a=(one two); echo ${a[@]#?} "${a[*]%?}" ; declare -A m=([k]=val); echo ${m[@]#v}
#### replacement forms
s='hello world'; echo ${s/o/0} ${s//o/0} ${s/#h/J} ${s/%d/D} ${s//l} "${s// /_}" ${s/x/y} ${s/o*/!} ${s//[aeiou]/<&>}
#### replacement with an ampersand
s=abc; echo ${s/b/[&]} ${s/b/\&} ${s/b/"&"} ; r='&&'; echo ${s/b/$r} "${s/b/"$r"}"; shopt -u patsub_replacement; echo ${s/b/&}
#### replacement at empty patterns and anchors
s=abc; e=; echo ${s/$e/x} ${s//$e/x} ${s/#/x} ${s/%/x}; echo ${s/#$e/pre-} ${s/%$e/-post}
#### replacement over lists
set -- foo boo; echo ${@/o/0} "${*//o/0}"; a=(x1 x2); echo "${a[@]/#x/y}" ${a[@]/%/!}
#### replacement takes the longest match
s=aaa.bbb.ccc; echo ${s/a*b/X} ${s/./-} ${s//?/x}; shopt -s extglob
echo ${s//+(a|b)/Z} ${s/@(aaa|aaa.b)/L}
#### case changes
s='heLLo wORLD'; echo "${s^}" "${s^^}" "${s,}" "${s,,}" "${s^^[a-l]}" "${s,,[A-L]}" "${s~}" "${s~~}"; a=(ab cd); echo ${a[@]^} ${a[@]^^}; e=; echo "[${e^^}]"
#### case changes of other letters
s=éàü; echo ${s^^} ${s^}; t=ÉÀ; echo ${t,,}; x=ß; echo ${x^^}
#### transformations Q E P A a
x='a b'; echo ${x@Q} "${x@A}"; y=$'t\ta'; echo "${y@Q}"; z='\x41\n'; echo "${z@E}"; declare -rx v=1; echo ${v@a} "${v@A}"; p='\u' ; echo "${x@U} ${x@u} ${x@L}"
#### transformations of arrays
a=('x y' z); echo "${a[@]@Q}" "${a[@]@A}"; declare -A m=([k]='v w'); echo "${m[@]@A}" "${m[@]@K}"; echo "${a[*]@K}"; b=("${m[@]@k}"); echo ${#b[@]}; set -- p 'q r'; echo "${@@Q}" "${@@A}"
#### transformation of unset and bad letters
unset u; echo "[${u@Q}]" "[${u@a}]"; x=1; (echo ${x@Z}) 2>&1; echo $?
#### nested forms
a=x; x=deep; echo ${u:-${a:+${!a}}} "${u:-$(echo "${a}")}" ${a/${a}/${x}} ${x:${#a}} ${u:=$((1+2))} $u
#### tilde in the word
HOME=/h; echo ${u-~} "${u-~}" ${u-~/x} ${u-a~}; : ${t=~/y}; echo $t
#### bad substitutions
(echo ${}) 2>&1; (echo ${a b}) 2>&1; (echo ${-x-y}) 2>&1; (echo ${1a}) 2>&1; (echo ${a.b}) 2>&1; echo $?
#### special parameters with operators
set -- x y; (exit 3); echo ${?} ${?#3}; echo ${#-} | grep -c '[0-9]'; echo ${*%y} "${@/x/z}" ${@^}; echo ${0##*/} ${$:+pid}
#### substring errors
s=abc; (echo ${s:0:-4}) 2>&1; (echo ${s: -4}) ; (echo ${s:x y}) 2>&1; echo $?
#### replacement with slashes and backslashes
p=a/b/c; echo ${p//\//.} ${p/b\/c/X} "${p//'/'/-}"; b='a\b'; echo "${b//\\/\/}" ${b/\\/x}; q=/; echo ${p//$q/+}
#### replacement is read as outside of double quotes
x=abc; echo "${x/a/'q'}" "${x/a/\/}" "${x/a/"z"}" "${x/a/\z}" "${x/a/$x}" "${x/a/\$x}" "${x/a/\\}" "${x/b/&&}" "${x/b/\&}"
#### a slice needs an offset
x=abc; (echo ${x:}) 2>&1; echo ${x: } ${x::2}; a=(1 2); (echo ${a[@]:}) 2>&1; echo $?
#### indirection through an associative array has no value
declare -A A=([A]=a); echo "[${!A}]" $?
