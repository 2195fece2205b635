# 3.4 Shell parameters
#### positional beyond nine
set -- a b c d e f g h i j k; echo $1 $10 ${10} ${11} $#; shift 3; echo $1 ${8}
#### star and at, quoted and not
set -- 'a b' '' c; echo $*; echo "$*"; echo "$@"; for x in "$@"; do echo "[$x]"; done; for x in $*; do echo "<$x>"; done; for x in "$*"; do echo "{$x}"; done
#### at inside a longer word
set -- a 'b c' d; for x in "x$@y"; do echo "[$x]"; done; for x in x$@y; do echo "<$x>"; done; set --; for x in "x$@y"; do echo "[$x]"; done
#### star with IFS
set -- a b c; IFS=:; echo "$*"; IFS=; echo "$*"; unset IFS; echo "$*"; IFS=xy; echo "$*"; x=$*; echo "$x"; x=$@; echo "$x"
#### question mark
(exit 9); echo $?; echo $?; x=$(exit 4); echo $?; ! :; echo $?
#### dollar and bang
[[ $$ == [0-9]* ]] && echo pid; (echo $(( $$ == BASHPID ))); echo "[$!]"; : & [[ $! == [0-9]* ]] && echo bang; wait
#### setting and unsetting
set -- a; set x y; echo $*; set --; echo $#; set - a -x; echo $*; set -- -a -b; echo $*; set +- 2>/dev/null; echo $#
#### shift results
set -- a b; shift 0; echo $#; shift 3; echo $? $#; shift -1 2>/dev/null; echo $?; shift; shift; shift; echo $?
#### names are case sensitive and may hold digits
a=1 A=2 _a1=3 a1_=4; echo $a$A$_a1$a1_ ${a}1 "$a"b
#### append
s=a; s+=b; s+=c$s; echo $s; declare -i n=1; n+=2; n+=n; echo $n; a=(1); a+=(2 3); a+=x; echo ${a[@]}; unset u; u+=new; echo $u
#### assignment does not split or glob
touch f1 f2; x=*; y='a  b'; z=$y; echo "$x" "$z"; w=$(echo 'p  q'); echo "$w"; v=a\ b; echo "$v"
#### assignment expands from left to right
x=1 y=$x z=$y$x; echo $x$y$z; a=$b b=2; echo "[$a]"
#### several assignments with a status
x=$(exit 3) y=ok; echo $?; x=$(exit 3) true; echo $?; x=a$(exit 2)b; echo $? $x
#### empty and unset differ
e=; unset u; echo "[${e-x}][${u-x}][${e:-x}]"; [[ -v e ]] && echo set; [[ -v u ]] || echo unset; [ -z "$u" ] && echo z
#### temporary assignments are exported for one command
X=1 bash -c 'echo $X'; echo "[$X]"; X=2 Y=3 env | grep -c '^[XY]='; X=$((1+1)) bash -c 'echo $X'
#### temporary assignments and builtins
IFS=: read a b <<< 'x:y'; echo $a $b "[${IFS@Q}]"; x=5 eval 'echo $x'; echo "[$x]"; PWD=/x pwd >/dev/null; x=1 :; echo "[$x]"
#### namerefs
declare -n r=t; r=5; echo $t $r ${!r}; t=6; echo $r; unset r; echo ${t-unset}; unset -n r; declare -p r 2>/dev/null; echo $?
#### namerefs to elements
a=(1 2 3); declare -n e='a[1]'; echo $e; e=x; echo ${a[@]}; declare -A m; declare -n k='m[key]'; k=v; echo ${m[key]}
#### namerefs in functions
set_it() { local -n out=$1; out=$2; }; set_it res val; echo $res; app() { declare -n arr=$1; arr+=("$2"); }; L=(); app L 'a b'; app L c; echo ${#L[@]} "${L[0]}"
#### attributes print
declare -i i=5; declare -l l=ABC; declare -u u=abc; declare -x x=1; declare -r r=2; declare -t t=3; declare -a a; declare -A m; declare -p i l u x r t a m
#### integer attribute evaluates
declare -i i; i=2*3; echo $i; i=abc; echo $i; i+=4; echo $i; i='i * 2'; echo $i; i=0x1F; echo $i; i=; echo $i
#### readonly errors
readonly r=1; r=2 2>/dev/null; echo no
#### underscore
echo a b c; echo $_; : x y; echo "$_"; f() { echo "f:$_"; }; f last; [[ a ]]; echo $_
#### case attributes
declare -u a=straße; declare -l b='ÀB'; declare -c c='hello WORLD'; echo $a $b $c; a+=x; echo $a
#### constants in arithmetic
readonly x=1; ((x++)); let x=3; echo $((x=4)); echo no
#### a constant before a command
readonly x=1; x=2 echo hi; echo $?; x+=2 echo hi; echo $?
#### the status in the values of assignments
f() { return $1; }; f 3; a[$?]=x; echo "${!a[@]}"; f 4; a[1]=$? c=$?; echo ${a[1]} $c; x=$(exit 3) y=$?; echo $y $?; declare -A m; f 5; m[k]=$?; echo ${m[k]} $?; f 6; z=(a $?); echo ${z[1]}; f 7; z+=($?); echo ${z[2]}; x[0]=$(exit 11); echo $?
#### the status that the body of case sees
false; case x in x) echo $?;; esac; case $(exit 3) in *) echo $?;; esac; false; case x in x) ;; esac; echo $?; false; case x in y) ;; esac; echo $?; false; case x in x) ;& y) echo $?;; esac
