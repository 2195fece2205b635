# 3.3 Shell functions
#### ways to write one
f() { echo 1; }; function g { echo 2; }; function h() { echo 3; }; i () (echo 4); j() for x in 5; do echo $x; done; k() [[ a == a ]]; f; g; h; i; j; k; echo $?
#### return values
f() { return; }; false; f; echo $?; g() { (exit 6); return; }; g; echo $?; h() { return 300; }; h; echo $?; i() { return -1; }; i; echo $?
#### return with a bad number
f() { return x; }; f 2>&1; echo $?
#### local hides and restores
x=g; f() { local x=l y; echo "$x ${y-unset}"; unset x; echo ${x-none}; }; f; echo $x
#### local without a value and inherit
x=g; f() { local x; echo "[${x-unset}]"; }; f; shopt -s localvar_inherit; h() { local x; echo "[$x]"; }; h
#### local of several kinds
f() { local -i n=2+3; local -a a=(1 2); local -A m=([k]=v); local -r r=1; echo $n ${a[1]} ${m[k]}; local -p | grep -c .; }; f
#### local shows dynamic scope to the called
f() { local v=f; g; }; g() { echo $v; v=g; h; }; h() { echo $v; local v=h; i; }; i() { echo $v; }; v=top; f; echo $v
#### unset of a local reveals the outer one
v=g; f() { local v=f; g; echo "f:${v-unset}"; }; g() { unset v; echo "g:$v"; }; f; echo $v
#### declare inside a function is local, -g is not
f() { declare a=1; declare -g b=2; typeset c=3; export d=4; readonly e=5; }; f; echo ${a-u} $b ${c-u} $d $e
#### assignments before a function
x=1; f() { echo $x; x=3; }; x=2 f; echo $x; y=5 f; echo ${y-unset}
#### recursion with locals
fib() { local n=$1 a b; if ((n < 2)); then r=$n; return; fi; fib $((n-1)); a=$r; fib $((n-2)); r=$((a+r)); }; fib 15; echo $r
#### FUNCNAME and BASH_LINENO
f() { g; }
g() { echo ${FUNCNAME[*]} ${BASH_LINENO[*]}; }
f
#### functions with redirections
f() { cat; echo err >&2; } < <(echo in) 2>&1; f | sort; g() { echo $1; } > out; g x; g y; cat out
#### a function replaces a builtin and command gets it back
cd() { builtin cd "$@" && echo moved; }; cd /; command cd /tmp; pwd; unset -f cd; cd /; pwd
#### names with odd characters
a-b() { echo dash; }; a.b() { echo dot; }; a:b() { echo colon; }; a-b; a.b; a:b; +x() { echo plus; }; +x
#### functions and special names
f() { echo "$FUNCNAME"; }; f; echo "[$FUNCNAME]"; g() { unset -f g; echo once; }; g; g 2>/dev/null; echo $?
#### printing functions
f() { local a=$1; if [[ -n $a ]]; then echo "$a"; else return 1; fi; case $a in x|y) echo xy ;; esac; for ((i=0;i<2;i++)); do :; done; (echo sub) | cat > /dev/null 2>&1 & wait; }; declare -f f; declare -F f
#### printing functions with here documents
f() {
cat <<X
body $1
X
echo after
}
declare -f f; f 1
#### exported functions
f() { echo "exported $1"; }; export -f f; bash -c 'f x'; export -nf f; bash -c 'f x' 2>/dev/null; echo $?
#### nested definitions
f() { g() { echo inner; }; }; f; g; h() { h() { echo second; }; echo first; }; h; h
#### readonly functions
f() { echo a; }; readonly -f f; f() { echo b; } 2>/dev/null; f; unset -f f 2>/dev/null; echo $?
#### return in a sourced file and a trap
echo 'return 3' > s; . ./s; echo $?; f() { trap 'echo ret' RETURN; return 2; }; f; echo $?
#### functions see positional parameters of their own
set -- a b; f() { set -- x y z; echo $#; }; f; echo $#; g() { echo "${@:2}" ${!#}; }; g 1 2 3
#### FUNCNEST
FUNCNEST=5; f() { echo $1; f $(($1+1)); }; f 1 2>&1; echo $?
#### variables set by a function in a pipeline or substitution
n=0; f() { n=5; echo $n; }; x=$(f); echo $n $x; f | cat; echo $n; f; echo $n
#### a function with errexit off in conditions
set -e; f() { false; echo reached; }; if f; then echo then; fi; f || echo no; ! f; echo end
#### local - keeps the options
f() { local -; set -f; echo *; }; touch a; f; echo *
#### loops in a printed function
f() { for x; do echo $x; done; for ((i=0;i<3;i++)); do :; done; for y in; do :; done; select z in a; do break; done; until false; do break; done; }; declare -f f
#### jobs, groups and functions in a printed function
f() { a & b; c & }; declare -f f; g() { { x; } > f; (y) 2>&1; ! a | b && c || d; }; declare -f g; h() { function inner { echo; }; inner2() { { a; b; }; } >x; }; declare -f h
#### here-documents in a printed function
f() { cat <<E; echo b; } 
a
E
declare -f f; g() { cat <<A <<B | cat; x; }
1
A
2
B
declare -f g; h() { echo a; cat <<E
1
E
echo c; }; declare -f h; i() { if true; then cat <<E
x
E
fi; while cat <<E
y
E
do cat <<E
z
E
done; }; declare -f i
#### here-documents before connectors in a printed function
f() { cat <<E && a || b
1
E
c & cat <<E &
2
E
{ cat <<E; }
3
E
( cat <<E; d )
4
E
}; declare -f f; g() { case a in a) cat <<E ;; b) x; cat <<-'E';; esac; y; }
5
E
	6
	E
declare -f g; h() { ! cat <<E; } 
7
E
declare -f h
#### several here-documents in a printed function
f() { cat <<E >out 2>&1; a <<E 3>b c
x
E
y
E
}; declare -f f; g() { while read x; do echo; done <<E; echo z; }
q
E
declare -f g
#### local without arguments lists the locals
f() { local a=1; local; }; f; g() { local -a b=(1 2); local -r c=3; local -A d=([k]=v); local; }; g; h() { local -i n=1; local x; local; }; h
#### pipelines of groups in a printed function
f() { (a; b) | { c; d; } | while e; do f; done; }; declare -f f; g() (a; b; c); declare -f g; h() if a; then b; fi; declare -f h; i() { :; } 2>/dev/null; declare -f i; type i; j() for x in a; do :; done >f; declare -f j
