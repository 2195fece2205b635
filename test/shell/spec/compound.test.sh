# 3.2.5 Compound commands, in short
#### if elif else
for x in 1 2 3; do if [ $x = 1 ]; then echo one; elif [ $x = 2 ]; then echo two; else echo more; fi; done
#### while until break continue
i=0; while [ $i -lt 5 ]; do i=$((i+1)); [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done; until [ $i -le 0 ]; do i=$((i-2)); done; echo $i
#### break out of two
for i in 1 2; do for j in a b; do echo $i$j; [ $j = b ] && break 2; done; done; echo end
#### for over positionals
set -- p q; for x; do echo $x; done; for x in "$@"; do echo $x; done
#### arithmetic for
for ((i=0, j=10; i<3; i++, j--)); do echo $i $j; done; for ((;;)); do break; done
#### case
for x in apple Bob 42 ''; do case $x in a*|b*) echo ab;; [A-Z]*) echo cap;; [0-9][0-9]) echo num;; '') echo empty;; esac; done
#### case fall through
case a in a) echo 1;& b) echo 2;; c) echo 3;; esac; case x in x) echo 4;;& y) echo 5;; *) echo 6;; esac
#### conditional command
x=abc; [[ $x == a* ]] && echo glob; [[ $x == "a*" ]] || echo literal; [[ $x =~ ^(a)(b) ]] && echo "${BASH_REMATCH[@]}"; [[ -z '' && ( 1 -lt 2 || x == y ) ]] && echo logic; [[ ! x == y ]] && echo not; [[ b > a ]] && echo order
#### regular expression in a variable
re='^([0-9]+)-([0-9]+)$'; [[ 12-34 =~ $re ]] && echo ${BASH_REMATCH[1]} ${BASH_REMATCH[2]}; [[ a.b =~ a"."b ]] && echo q; [[ axb =~ a"."b ]] || echo n
#### groups and subshells
x=1; { x=2; echo in; } ; (x=3; cd /; echo sub $x); echo $x; (exit 4); echo $?
#### redirected compound commands
{ echo a; echo b; } > f; while read l; do echo "[$l]"; done < f; for i in 1 2; do echo $i; done | tac; if true; then echo x; fi > g; cat g
#### functions
f() { echo "$# $1 $FUNCNAME"; return 3; }; f a b; echo $?; function g { echo g; }; g; h() ( x=5; echo $x ); x=1; h; echo $x
#### local and dynamic scope
x=g; a() { local x=l; b; echo $x; }; b() { echo $x; x=changed; }; a; echo $x
#### recursion
fact() { (( $1 <= 1 )) && echo 1 || echo $(( $1 * $(fact $(($1-1))) )); }; fact 10
#### pipelines
echo abc | tr a-c A-C | sed s/B/x/; false | true; echo $? ${PIPESTATUS[@]}; set -o pipefail; false | true; echo $?
#### negation and lists
! false && echo a; ! true || echo b; false || true && echo c; true && false || echo d
#### variables in a pipeline are a subshell's
x=0; echo 5 | while read n; do x=$n; done; echo $x; shopt -s lastpipe; echo 5 | read x; echo $x
#### time keyword
TIMEFORMAT=; time true; echo $?
#### select
select x in a b; do echo "got $x"; break; done 2>/dev/null <<< 2
#### coproc
coproc { read l; echo "got $l"; }; echo hi >&${COPROC[1]}; read r <&${COPROC[0]}; echo "$r"
#### here documents
x=5; cat <<A; cat <<'B'; cat <<-C
$x $(echo sub) \$x
A
$x
B
	tabs
	C
#### here string
cat <<< "a  b"; read a b <<< "1 2"; echo $b $a
#### two here documents
cat <<A - <<B
first
A
second
B
#### printed function
f() { if [ $1 ]; then for i in 1 2; do echo $i; done; else case x in y) ;; *) echo z;; esac; fi > /dev/null; while false; do :; done; }; type f; declare -f f
