# 3.5.7 Word splitting, 3.5.9 Quote removal
#### white space runs
x=$'  a \t b\n\nc  '; for w in $x; do echo "[$w]"; done; set -- $x; echo $#
#### other delimiters keep empty fields
IFS=:; x=':a::b:'; set -- $x; echo $#; for w in "$@"; do echo "[$w]"; done; x='a:b'; set -- $x; echo $#
#### mixed delimiters
IFS=': '; x=' a : b:: c '; for w in $x; do echo "[$w]"; done
#### only expansions are split
IFS=x; y=axb; echo axb $y "$y" ${y}xc; IFS=,; set -- a,b $y; echo $#
#### joined pieces
x='a b'; for w in p$x'q'; do echo "[$w]"; done; for w in $x"$x"$x; do echo "<$w>"; done; y=' c '; for w in a${y}b; do echo "{$w}"; done
#### empty expansions vanish, quoted ones stay
e=; set -- $e "$e" '' $e$e a$e; echo $#; set -- "" $e""; echo $#; set -- $(:) "$(:)"; echo $#
#### null IFS
IFS=; x='a b'; set -- $x; echo $#; y=$(echo 'p q'); set -- $y; echo $#; set -- a b; echo "$*" $*
#### unset IFS is the default
unset IFS; x=$'a b\tc\nd'; set -- $x; echo $#
#### IFS with backslash, star, letters
IFS='\'; x='a\b'; set -- $x; echo $1 $2; IFS='*'; y='a*b'; set -- $y; echo $#; IFS=abc; z=xaybzc; set -- $z; echo $# $1
#### newline only
IFS=$'\n'; x=$'a b\nc d'; for w in $x; do echo "[$w]"; done
#### trailing delimiter
IFS=,; x=a,b,; set -- $x; echo $#; x=,; set -- $x; echo $#; x=,,; set -- $x; echo $#; x='a, ,b'; set -- $x; echo $#
#### read splits in its own way
IFS=: read a b c <<< 'x:y:z:w:'; echo "[$a][$b][$c]"; IFS=: read a b <<< 'x:'; echo "[$a][$b]"; read a b <<< '  p   q  r  '; echo "[$a][$b]"; IFS=, read -a arr <<< 'a,,b,'; echo ${#arr[@]}
#### read keeps white space with an empty IFS
IFS= read -r l <<< '  a  '; echo "[$l]"; read -r l <<< '  a  '; echo "[$l]"; read <<< '  b  '; echo "[$REPLY]"
#### arithmetic results split too
IFS=1; x=$((5+6)); echo "$x" $((5+6)) | od -c | head -2; IFS=' '; echo $((10+1))
#### at and star with IFS
IFS=-; set -- a b; x=$*; y="$*"; z=$@; w="$@"; echo "$x $y $z $w"; a=(1 2); v=${a[*]}; echo "$v" "${a[*]}" ${a[*]}
#### assignments, cases, here strings do not split
x='a  b'; y=$x; echo "$y"; cat <<< $x; case $x in 'a  b') echo same;; esac; [[ $x == 'a  b' ]] && echo same
#### quotes vanish unless they come from an expansion
q="'a'"; echo $q "b"'c'\d "\"" '\' \\ "a"''"b"; e='"x y"'; for w in $e; do echo "[$w]"; done
#### export and declare do not split their values
x='a b'; export y=$x; echo "$y"; declare z=$x; echo "$z"; f() { local w=$x; echo "$w"; }; f; readonly v=$x; echo "$v"
#### redirection targets are not split but globbed alone
f='a b'; echo 1 > $f 2>/dev/null; echo $?; echo 2 > "$f"; cat "a b"
