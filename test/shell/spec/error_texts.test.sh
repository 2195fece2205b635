# Error texts and exit statuses
#### commands
nosuch 2>&1; ./nosuch 2>&1; /bin/nosuch 2>&1; mkdir d; ./d 2>&1; touch f; ./f 2>&1; echo $?
#### variables
(readonly r=1; r=2) 2>&1; (readonly a=(1); a+=(2)) 2>&1; (readonly a=(1); a[0]=2) 2>&1; (declare -r q=1; unset q; echo $?) 2>&1; (f() { local -r l=1; l=2; echo no; }; f) 2>&1; echo $?
#### names
(declare a-b) 2>&1; (export 'x y=1') 2>&1; (local x) 2>&1; (read a-b <<< x) 2>&1; (unset 'a b') 2>&1; (for a-b in x; do :; done) 2>&1; (readonly 1=2) 2>&1; (getopts a 1x) 2>&1; echo $?
#### numbers
(shift x) 2>&1; (exit abc) 2>&1; (f() { return abc; }; f) 2>&1; (break x) 2>&1; (for i in 1; do break x; done) 2>&1; (printf %d abc; echo) 2>&1; (kill x) 2>&1; (umask 9) 2>&1; (ulimit -n abc) 2>&1; echo $?
#### too many arguments
(cd a b) 2>&1; (exit 1 2) 2>&1; (for i in 1; do break 1 2; done) 2>&1; ([ a b c d ]) 2>&1; (f() { return 1 2; }; f) 2>&1; (shift 1 2) 2>&1; echo $?
#### syntax in a file
printf 'echo a\nif\n' > s; bash s 2>&1; echo $?; printf 'echo $(\n' > t; bash t 2>&1; printf 'x=1\nfi\n' > u; bash u 2>&1; echo $?; . ./u 2>&1; echo $?
#### syntax of words that stand wrong
for s in 'do' 'done' 'then' 'else' 'fi' 'esac' '}' ')' ';' '&' '|' '&&' ';;' 'for x y' 'while' 'if;' '( )' 'a | | b' 'case' 'function' '{' '!|'; do bash -c "$s" 2>&1 | head -1; done
#### syntax of redirections
for s in '>' '<' '2>' 'echo >&' '> > a' '<<' '<<<' 'echo > ;' '>|' '&>'; do bash -c "$s" 2>&1 | head -1; done
#### statuses
bash -c 'nosuch' 2>/dev/null; echo $?; bash -c ')' 2>/dev/null; echo $?; bash -c 'exit 300'; echo $?; bash -c '${x?}' 2>/dev/null; echo $?; bash -c 'readonly x=1; x=2; echo no' 2>/dev/null; echo $?; bash -c 'echo $((1/0)); echo no' 2>/dev/null; echo $?; bash /nonexistent 2>/dev/null; echo $?; bash -c '/' 2>/dev/null; echo $?
#### line numbers
printf 'echo a\n\n\nnosuch1\nf() {\nnosuch2\n}\nf\n. ./t\neval "nosuch4"\n$(nosuch5)\n' > s; printf '\nnosuch3\n' > t; bash s 2>&1
#### line numbers in loops and groups
printf 'for i in 1; do\n nosuch1\ndone\n{ :\n nosuch2; }\n(\nnosuch3)\nif nosuch4; then :; fi\ncase a in\na) nosuch5;;\nesac\nnosuch6 |\nnosuch7\nwait\n' > s; bash s 2>&1 | sort
#### errors of redirections name the file
(echo a > "") 2>&1; x='a b'; (echo a > $x) 2>&1; (echo a >&7) 2>&1; (exec 5< nope) 2>&1; ({ :; } > /nonexistent/q) 2>&1; (f() { :; }; f < nope) 2>&1; set -C; > f; (> f) 2>&1; echo $?
#### files
(cat < nope) 2>&1; (echo > /nonexistent/a) 2>&1; mkdir d; (echo > d) 2>&1; (cat < d) 2>&1; (. ./nope) 2>&1; (. d) 2>&1; (cd nope) 2>&1; touch f; (cd f) 2>&1; (pushd nope) 2>&1; echo $?
#### unset with messages
(set -u; echo $nope) 2>&1; (set -u; echo ${nope[1]}) 2>&1; (set -u; echo $9) 2>&1; (set -u; echo ${!nope}) 2>&1; (set -u; echo ${#nope}) 2>&1; (: ${nope?}) 2>&1; (: ${nope:?a b}) 2>&1; (set -u; echo $!) 2>&1; echo $?
#### namerefs
(declare -n r=r) 2>&1; (declare -n r=1x) 2>&1; (declare -n a=b b=a; echo $a) 2>&1; (declare -n x; x=5y; echo $?) 2>&1; echo $?
