# 3.1 Shell syntax
#### comments at the start, after blanks, after operators
# whole line
echo a # tail
echo b;# after a semicolon
echo c#d
echo "e # f" '#g'
#### a comment does not continue over a backslash
# one \
echo still
#### operators need no blanks
echo a;echo b&&echo c||echo d
(echo e);{ echo f;}
#### semicolons and newlines are the same between commands
echo a
echo b; echo c

echo d
#### reserved words are words elsewhere
echo if then else fi for while do done case esac { } '!' [[ ]] in function time
#### reserved words as arguments and names
if=1; for=2; echo $if $for; x=done; echo $x
#### quoted reserved words are commands
'if' 2>/dev/null; echo $?
\then 2>/dev/null; echo $?
#### a backslash before a newline disappears
ec\
ho a\
b "c\
d" 'e\
f'
#### blanks of every kind separate words
echo a		b   	c
#### ansi-c escapes
printf '%s\n' $'a\\b' $'\e[0m' $'\x1' $'\u20ac' $'\U1F600' $'\0101' $'\q' $'tab\there' | od -c | head -5
#### ansi-c stops at a NUL
echo "$(printf '%s' $'ab\0cd')"
#### double quotes keep a backslash before other letters
echo "\a \n \$ \` \" \\ \
x"
#### a single quote inside double quotes and the other way
echo "it's" 'say "x"' "'$HOME'" | sed "s,$HOME,H,"
#### command names from expansions
c=echo; $c hi; e=; $e echo vanished; "$c" quoted
#### assignment words only before the command
a=1 b=2; echo a=3 $a $b; echo x=y z+=1
#### words that look like assignments
1a=2 2>/dev/null; echo $?; a-b=1 2>/dev/null; echo $?; 'c'=1 2>/dev/null; echo $?
#### empty command lines and lone operators in eval
eval ''; echo $?; eval ' '; echo $?; eval '#x'; echo $?; eval ';' 2>/dev/null; echo $?
#### a here document inside a command substitution
echo "$(cat <<A
in $((1+1))
A
)" after
#### case patterns with an opening parenthesis in a substitution
x=$(case a in (a) echo yes;; esac); echo $x; y=$(case b in a) echo no;; b) echo b;; esac); echo $y
#### nested quotes in nested substitutions
echo "a $(echo "b $(echo "c 'd' \"e\"")")"
#### backquotes and backslashes
echo `echo \\\\a` `echo "\\$HOME" | sed "s,$HOME,H,"` `echo '\$x'`
#### dollar signs that expand to nothing special
echo $ $% "$" "a$" '$' $: "$ x"
#### braces as words
echo {} {a} a{b} }; { echo ok; }
#### a closing brace must stand as a word
eval '{ echo a }' 2>&1 | head -1; { echo a }; }
#### semicolon after ampersand is an error
eval 'true &; true' 2>&1; echo $?
#### double semicolon outside of case
eval 'echo a;; echo b' 2>&1; echo $?
#### unterminated things
eval 'echo "x' 2>&1; eval "echo 'x" 2>&1; eval 'echo $(x' 2>&1; eval 'echo ${x' 2>&1; eval '(x' 2>&1; eval '{ x' 2>&1
#### ansi-c control characters
printf '%s' $'\cA\cz\c?' | od -An -tx1
#### a dollar whose name is on the next line
x=1; echo $\
x "$\
x" $\
(echo q) $\
{x} $\
((1+1)) "$\
?" $\

