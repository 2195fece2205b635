# Errors, in short
#### command not found
nosuch 2>&1; echo $?; ./nosuch 2>&1; echo $?; touch f; ./f 2>&1; echo $?; mkdir d; ./d 2>&1; echo $?
#### syntax errors in eval
eval 'echo )' 2>&1; echo $?; eval 'if' 2>&1; echo $?
#### arithmetic errors
(echo $((1/0))) 2>&1; (echo $((1+))) 2>&1; (echo $((08))) 2>&1; (echo $((a b))) 2>&1; echo $?
#### readonly
(readonly x=1; x=2; echo no) 2>&1; echo $?
#### bad substitution
(echo ${x!y}; echo no) 2>&1; echo $?
#### a failed line does not end the script
echo $((1/0)) 2>/dev/null
echo next
#### cd and test errors
cd /nonexistent 2>&1; [ 1 -eq a ] 2>&1; echo $?; [ a b ] 2>&1; echo $?
#### misplaced builtins
break 2>&1; return 2>&1; local x 2>&1; shift 99; echo $?
#### unset parameter errors
unset v; (: ${v:?custom}) 2>&1; (: ${v:?}) 2>&1; (: ${v?}) 2>&1
#### invalid identifiers
export 1x 2>&1; read 2y 2>&1 <<< a; unset 'a-b' 2>&1; for 3z in a; do :; done 2>&1; echo $?
#### function and redirection errors
f() { echo hi; } > /nonexistent/x; f 2>&1; echo $?; echo hi > "" 2>&1
#### exit statuses
true; echo $?; false; echo $?; (exit 300); echo $?; sh -c 'kill -9 $$'; echo $?; exit 257
#### division of names
declare -i x; x=a-b 2>&1; x='1 +' 2>&1; echo $?
