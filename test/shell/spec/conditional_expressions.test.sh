# 6.4 Bash conditional expressions
#### files
touch f; mkdir d; ln -s f l; ln -s x broken; echo a > g; [[ -a f ]] && echo a; [[ -e l ]] && echo e; [[ -e broken ]] || echo broken; [[ -L broken && -h l ]] && echo L; [[ -d d && ! -d f ]] && echo d; [[ -f f && ! -f d ]] && echo f; [[ -s g && ! -s f ]] && echo s
#### permissions
touch f; chmod 644 f; [[ -r f && -w f ]] && echo rw; [[ -x f ]] || echo no x; chmod +x f; [[ -x f ]] && echo x; chmod u+s f; [[ -u f ]] && echo u; chmod g+s f; [[ -g f ]] && echo g; mkdir d; chmod +t d; [[ -k d ]] && echo k
#### devices, pipes, descriptors
[[ -c /dev/null ]] && echo c; mkfifo p; [[ -p p ]] && echo p; [[ -b /dev/null ]] || echo no b; [[ -S p ]] || echo no S; [[ -t 0 ]] || echo no t; : | { [[ -p /dev/stdin ]] && echo pipe; }
#### times and identity
touch -d '2001-01-01' a; touch -d '2002-01-01' b; [[ b -nt a && a -ot b && ! a -nt b ]] && echo t; ln a c; [[ a -ef c && ! a -ef b ]] && echo ef; [[ a -nt missing ]] && echo nt; [[ missing -ot a ]] && echo ot
#### texts
[[ abc ]] && echo 1; [[ '' ]] || echo 2; [[ -z '' && -n x ]] && echo 3; [[ a < b && b > a ]] && echo 4; [[ a = a && a == a && a != b ]] && echo 5; [[ B < a ]]; echo $?
#### numbers
[[ 1 -eq 1 && 1 -ne 2 && 1 -lt 2 && 1 -le 1 && 2 -gt 1 && 2 -ge 2 ]] && echo ok; [[ 0x10 -eq 16 ]] && echo hex; [[ ' 5 ' -eq 5 ]] && echo blank; [[ '' -eq 0 ]] && echo empty; [[ 1+1 -eq 2 ]] && echo expr
#### variables
x= a=(1 '') ; declare -A m=([k]=); [[ -v x ]] && echo 1; [[ -v nope ]] || echo 2; [[ -v a[1] ]] && echo 3; [[ -v a[7] ]] || echo 4; [[ -v m[k] ]] && echo 5; [[ -v a ]] && echo 6; b=([1]=x); [[ -v b ]] || echo 7; [[ -v b[@] ]] && echo 8; set -- p; [[ -v 1 ]] && echo 9
#### options and namerefs
set -u; [[ -o nounset ]] && echo o; [[ -o nosuch ]] || echo no; declare -n r=zz; [[ -R r ]] && echo R; [[ -v r ]] || echo unset
#### patterns
[[ foo.c == *.c ]] && echo 1; [[ foo.c == "*.c" ]] || echo 2; [[ abc == a?c ]] && echo 3; [[ abc == a[a-c]c ]] && echo 4; p='a*'; [[ abc == $p ]] && echo 5; [[ abc == "$p" ]] || echo 6; [[ 'a*c' == a\*c ]] && echo 7; [[ abc == +(a|b|c) ]] && echo 8; [[ '' == * ]] && echo 9
#### patterns with quotes in parts
x='b*'; [[ ab*c == a"$x"c ]] && echo 1; [[ abbc == a"$x"c ]] || echo 2; [[ 'a b' == a\ b ]] && echo 3; [[ 'a  b' == a*b ]] && echo 4; [[ $'a\nb' == a?b ]] && echo 5
#### not, and, or precedence
[[ ! a == b && c == c ]] && echo 1; [[ a == a || b == b && c == d ]] && echo 2; [[ ! ( a == a || b == b ) ]] || echo 3; [[ ! ! a == a ]] && echo 4; [[ ( a == a ) && ( b == b ) ]] && echo 5
#### regular expressions in depth
[[ aXbX =~ X(.) ]]; echo "${BASH_REMATCH[1]}"; [[ abc =~ ^a.c$ ]] && echo dot; [[ 'a.c' =~ a\.c ]] && echo esc; [[ ab =~ b|c ]] && echo alt; [[ aaa =~ a{2} ]]; echo $BASH_REMATCH; [[ x =~ y ]]; echo ${#BASH_REMATCH[@]}; [[ $'l1\nl2' =~ l2$ ]] && echo ml
#### regular expressions with sets
[[ 'a]b' =~ []] ]] && echo 1; [[ a-b =~ [x-] ]] && echo 2; [[ 'a b' =~ [[:space:]] ]] && echo 3; [[ a_1 =~ ^[[:alnum:]_]+$ ]] && echo 4; [[ é =~ ^.$ ]] && echo 5; r='[0-9]+\.[0-9]+'; [[ v1.25 =~ $r ]]; echo $BASH_REMATCH
#### regular expressions with backreferences to subshells and blanks
[[ 'key = val' =~ ^([a-z]+)\ *=\ *(.*)$ ]] && echo "${BASH_REMATCH[1]}|${BASH_REMATCH[2]}"; re='^ *([^ ]+) +(.*)$'; [[ '  cmd a b' =~ $re ]]; echo "${BASH_REMATCH[2]}"
#### wrong numbers
[[ a.b -eq 1 ]] 2>&1; echo $?; [[ 08 -eq 8 ]] 2>&1; echo $?; [[ 1x -eq 1 ]] 2>&1; echo $?
