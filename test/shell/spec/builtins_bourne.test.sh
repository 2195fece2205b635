# 4.1 Bourne shell builtins
#### colon and its expansions
: ${x:=5} $((y=6)); echo $x $y $?; : > f; ls f; : "$(exit 3)"; echo $?
#### dot with arguments and returns
echo 'echo "$# $1"; set -- new; return 4' > s; set -- old; . ./s a b; echo $? $1; . ./s; echo $1; echo 'v=1; exit 3' > t; (. ./t; echo no); echo $?
#### dot without arguments or file
(.) 2>&1; echo $?; (. ./nope; echo after) 2>&1; echo $?
#### break and continue outside of loops
break; echo $?; continue; echo $?; f() { break; }; f; echo $?
#### cd forms
mkdir -p a/b; cd a/b; pwd | sed 's,.*/a/,a/,'; cd ..; cd - >/dev/null; basename $PWD; cd ../..; ln -s a/b l; cd l; basename $(pwd); basename $(pwd -P); cd ..; ls -d a; cd -P l; cd ..; basename $PWD
#### cd errors
cd nosuch; echo $?; touch f; cd f; echo $?; (unset HOME; cd) 2>&1; (unset OLDPWD; cd -) 2>&1; cd a b 2>&1; echo $?; cd '' && echo same
#### CDPATH
mkdir -p p/q; CDPATH=$PWD/p; cd q | sed 's,.*/p/,p/,'; CDPATH=; cd p && basename $PWD
#### eval
eval echo a 'b  c'; eval 'x=1; y=$x'; echo $y; eval "echo \$y"; z='$y'; eval echo $z; eval 'exit 3' & wait $!; echo $?; eval -- echo dd; eval 'for i in 1 2; do' 'echo $i; done'
#### exec with descriptors and without
exec 3> f; echo a >&3; exec 3>&-; cat f; exec; echo $?; (exec false); echo $?
#### exit in places
f() { exit 6; }; (f; echo no); echo $?; (trap 'exit 7' EXIT; exit 1); echo $?; (false; exit); echo $?; eval '(exit 9)'; echo $?
#### export
export A=1 B; B=2; C=3; export C; env | grep '^[ABC]=' | sort; export -p | grep -c ' [ABC]='; export -n A; env | grep -c '^A='; export 1x 2>&1; echo $?; export D=a' b'; echo "$D"
#### getopts in full
f() { local OPTIND=1 o; while getopts ':ab:c' o; do case $o in a|c) echo $o;; b) echo "b=$OPTARG";; :) echo "need $OPTARG";; \?) echo "bad $OPTARG";; esac; done; shift $((OPTIND-1)); echo "rest $*"; }; f -a -b x -c r s; f -abx -c; f -b; f -z -- -a; f -ac -bv -- p; f p -a
#### getopts messages
getopts ab: o -x; echo $o "[$OPTARG]"; OPTIND=1; getopts ab: o -b; echo $o "[$OPTARG]"; OPTERR=0; OPTIND=1; getopts a o -q; echo $o $?; getopts a o; echo $? $OPTIND
#### getopts over given arguments
set -- x; while getopts n:v o -v -n 5 tail; do echo $o $OPTARG; done; echo $OPTIND; getopts 2>/dev/null; echo $?
#### hash
hash -r; hash 2>&1; hash ls; hash -t ls | grep -c ls; hash nosuch 2>&1; echo $?; hash -p /bin/echo myecho; myecho hi; hash -d myecho; myecho 2>/dev/null; echo $?
#### pwd
cd /; pwd; mkdir -p "$HOME/x y"; cd "$HOME/x y"; pwd | sed "s,$HOME,H,"; pwd -L | sed "s,$HOME,H,"; pwd extra >/dev/null; echo $?
#### readonly
readonly a=1 b; readonly -p | grep -E ' (a|b)(=|$)'; a=2 2>/dev/null
echo after $a; unset a 2>&1; readonly -a arr=(1 2); (arr[0]=5) 2>&1; (declare +r a) 2>&1; echo $?
#### return outside
return 3 2>&1; echo $?
#### shift
set -- a b c d; shift; shift 2; echo $*; shift 2; echo $? $*; shift x 2>&1; echo $?
#### test with every count of arguments
[ ]; echo $?; [ x ]; echo $?; [ ! x ]; echo $?; [ -n x ]; echo $?; [ a = a ]; echo $?; [ ! a = a ]; echo $?; [ ! -z x ]; echo $?; [ '(' a ')' ]; echo $?; [ -a = -a ]; echo $?; [ a -a b ]; echo $?; [ '' -o b ]; echo $?; [ ! '' -a b ]; echo $?
#### test with odd words
[ -f = -f ]; echo $?; [ = ]; echo $?; [ '(' ]; echo $?; [ ! ]; echo $?; [ -z ]; echo $?; [ -n ]; echo $?; [ ! ! ]; echo $?; [ a ' = ' ] 2>/dev/null; echo $?; [ -t ]; echo $?
#### test compares numbers and texts
[ 2 -lt 10 ]; echo $?; [ 2 \< 10 ]; echo $?; [ -5 -ge -6 ]; echo $?; [ 08 -eq 8 ]; echo $?; [ ' 3 ' -eq 3 ]; echo $?; [ a \> b ]; echo $?; [ 1 -eq 1x ] 2>&1; echo $?; [ '' -eq 0 ] 2>/dev/null; echo $?
#### test errors
[ a b c ] 2>&1; echo $?; [ a = b c ] 2>&1; echo $?; [ -q x ] 2>&1; echo $?; [ a = a 2>&1; echo $?; test a -foo b 2>&1; echo $?; [ '(' a ] 2>&1; echo $?
#### test on files
touch f; mkdir d; ln -s f l; ln -s none n; chmod 000 f; echo x > g; for t in '-e f' '-f f' '-d d' '-h l' '-L n' '-e n' '-s g' '-s f' '-r g' '-x g' '-x d' '-p f' '-S f' '-b f' '-c /dev/null' '-O f' '-G f' '-k f' '-u f' '-g f'; do [ $t ]; echo -n "$? "; done; echo
#### test newer, older, same
touch -d 2020-01-01 a; touch -d 2021-01-01 b; ln b c; [ b -nt a ]; echo $?; [ a -ot b ]; echo $?; [ b -ef c ]; echo $?; [ a -nt none ]; echo $?; [ none -ot a ]; echo $?; [ a -nt a ]; echo $?
#### test of options and variables
set -o nounset; [ -o nounset ]; echo $?; [ -o errexit ]; echo $?; x=; [ -v x ]; echo $?; [ -v y ]; echo $?; a=(1 2); [ -v a[1] ]; echo $?; [ -v a[5] ]; echo $?; declare -n r=x; [ -R r ]; echo $?
#### times
times | wc -l; times x >/dev/null; echo $?
#### trap listing and resetting
trap 'echo a' INT TERM; trap -p; trap - INT; trap; trap '' HUP; trap -p HUP; trap 2>&1 | wc -l; trap -l | head -1 | grep -c HUP
#### trap with numbers, names and errors
trap 'echo x' 15; trap -p TERM; trap - SIGTERM; trap -p TERM; trap 'y' NOSUCH 2>&1; echo $?; trap 'echo e' 0; trap -p EXIT
#### umask
umask 022; umask; umask -S; umask -p; umask 077; > f; stat -c %a f; mkdir d; stat -c %a d; umask g+rx,o=r; umask; umask 8 2>&1; echo $?; umask u=q 2>&1; echo $?
#### unset
x=1 y=2; unset x y; echo ${x-u}${y-u}; f() { :; }; f=1; unset f; type -t f; unset -f f; type -t f; echo $?; a=(1 2 3); unset a[1]; echo ${a[@]}; unset -v nosuch; echo $?; unset 1x 2>&1; echo $?
#### cd: no way leads through what is no folder
cd /usr/nope/.. ; echo $?; cd ./nope/../; echo $?; touch f; cd f/..; echo $?; mkdir -p a/b; cd a/b/../../a && basename "$PWD"; cd ../nope/../a; echo $?
