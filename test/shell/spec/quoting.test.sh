# 3.1.2 Quoting
#### single quotes keep everything
echo 'a $b `c` \d "e"'
#### double quotes expand and keep blanks
b='x  y'; echo "a $b \$b \`c\` \\ \"e\" \q"
#### backslash outside quotes
echo a\ b \$x \\ \'q\' \"d\"
#### ansi-c quoting
printf '%s|' $'a\tb\n' $'\x41\101\u00e9' $'\'"' $'a\cAb' | od -An -c
#### locale quoting is double quoting
x=1; echo $"x is $x"
#### line continuation
echo one\
two "three\
four"
#### quotes inside words join
echo a'b'"c"\d
#### empty strings are arguments
set -- '' "" x; echo $#
#### quoted newline
echo 'a
b'
#### comment starts at a word only
echo a#b #c
#### nested quotes in substitution
echo "$(echo "a  b" 'c  d')"
#### dollar at the end of a word
echo a$ "b$" $
#### exclamation mark is plain
echo "a!b" !x
