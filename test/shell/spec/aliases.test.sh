# 6.6 Aliases
#### off in scripts unless asked
alias e='echo x'; e 2>/dev/null; echo $?
shopt -s expand_aliases
e y
#### take effect from the next line
shopt -s expand_aliases
alias a='echo one'; a 2>/dev/null; echo $?
a
#### expand the first word only, unless the value ends in a blank
shopt -s expand_aliases
alias hi='echo hello' w=world sud='command '
hi w
sud hi
alias say='echo '
say w w
#### chains and loops
shopt -s expand_aliases
alias a=b b=c c='echo end'
a x
alias ls='ls -d' echo='echo [a]'
ls .
echo q
#### quoted words do not expand
shopt -s expand_aliases
alias q='echo aliased'
\q 2>/dev/null; echo $?
'q' 2>/dev/null; echo $?
q
#### aliases with operators and quotes
shopt -s expand_aliases
alias two='echo 1; echo 2' p='echo a |' c='echo "x  y"'
two
p tr a b
c
#### in functions they are expanded when read
shopt -s expand_aliases
alias v='echo old'
f() { v; }
alias v='echo new'
f; v
#### after assignments, pipes and keywords
shopt -s expand_aliases
alias e='echo E'
x=1 e; true | e; if e; then e; fi; { e; }; (e); ! e; e && e
#### unalias and redefinition
shopt -s expand_aliases
alias z='echo 1'
z
alias z='echo 2'
z
unalias z
z 2>/dev/null; echo $?
#### in eval and substitutions
shopt -s expand_aliases
alias g='echo got'
eval 'g 1'; echo $(g 2); eval 'alias h="echo h"
h'
#### trailing blank chain
shopt -s expand_aliases
alias x='echo ' y='a ' z=b a=A b=B
x y z
#### reserved words by alias
shopt -s expand_aliases
alias start='for i in 1 2; do' stop='done' iff='if true; then'
start echo $i; stop
iff echo yes; fi
#### words that end lists by alias
shopt -s expand_aliases
alias finis=fi dann=then fertig=done
if true; dann echo yes; finis
for i in 1 2; do echo $i; fertig
