# 3.2.5.2 Conditional constructs
#### if without a branch taken is zero
if false; then :; fi; echo $?; if false; then :; elif false; then :; fi; echo $?
#### status of the branch
if true; then (exit 4); fi; echo $?; if false; then :; else (exit 5); fi; echo $?
#### nested if with lists
if true; false; then echo a; elif true && ! false; then if :; then echo b; fi; fi
#### case with quoted and expanded patterns
p='a*'; case 'abc' in $p) echo glob;; esac; case 'abc' in "$p") echo no;; *) echo literal;; esac; case 'a*' in "$p") echo quoted;; esac
#### case with alternatives and blanks
case b in a | b | c ) echo x ;; esac; case d in ( a | d ) echo y ; esac; case '' in '') echo e ;; esac
#### case without a match
case x in y) echo no;; esac; echo $?; (exit 3); case x in esac; echo $?
#### case status of the body
case a in a) (exit 6);; esac; echo $?; case a in a) ;; esac; echo $?
#### case with classes and ranges
for x in 5 x X _ '-'; do case $x in [[:digit:]]) echo d;; [[:lower:]]) echo l;; [A-Z]) echo u;; [!a-z]) echo o;; esac; done
#### case expands its word once
x='$(echo no)'; case $x in '$(echo no)') echo literal;; esac; case "a  b" in a\ \ b) echo blanks;; esac
#### case with tilde and arithmetic
HOME=/h; case ~ in /h) echo home;; esac; case $((1+1)) in 2) echo two;; esac
#### case with nocasematch
shopt -s nocasematch; case ABC in abc) echo same;; esac; [[ ABC == a* ]] && echo also; [[ ABC =~ ^b?abc ]] && echo re
#### case with extended patterns
shopt -s extglob
case aab in +(a)b) echo one;; esac; case x.txt in !(*.md)) echo two;; esac; case ab in @(a|ab)) echo three;; esac
#### fall through and test on
for x in a b c; do case $x in a) echo 1;;& b|a) echo 2;& z) echo 3;; c) echo 4;;& *) echo 5;; esac; done
#### esac as a pattern needs a parenthesis
case esac in (esac) echo e;; esac; case in in in) echo i;; esac
#### select with the reply
select x in one two; do echo "$REPLY:$x"; [ "$REPLY" = q ] && break; done 2>/dev/null <<< $'1\n2\n5\nq'
#### select prompts
PS3='? '; select x in a b c; do break; done 2>&1 <<< 2; echo "[$x]"
#### select at the end of its input
select x in a; do echo no; done 2>/dev/null </dev/null; echo $?
#### arithmetic command
((1)); echo $?; ((0)); echo $?; ((x=5,y=x*2)); echo $x $y; ((x>3&&y<5)) || echo no; (( 1 - 1 )) || echo zero
#### conditional command: order and grouping
[[ a == a && ! ( b == c || d == e ) ]] && echo yes; [[ ( a == b ) || c == c ]] && echo or; [[ a && ! '' ]] && echo words
#### conditional command spans lines
[[ a == a &&
b == b ||
c == d ]] && echo lines
#### conditional command does not split or glob
touch f1 f2; x='a b'; [[ $x == 'a b' ]] && echo ok; [[ * == '*' ]] && echo star; [[ -n $nothing ]] || echo empty
#### conditional command short circuits
[[ a == b && $(echo ran >&2) ]] 2>&1; [[ a == a || $(echo ran >&2) ]] 2>&1; echo $?
#### numbers in conditions are arithmetic
x=5; [[ x -eq 5 ]] && echo a; [[ 2+3 -eq x ]] && echo b; [[ 010 -eq 8 ]] && echo c; [[ -1 -lt 0 ]] && echo d
#### regular expressions: groups, anchors, classes
[[ 2024-05-06 =~ ^([0-9]{4})-([0-9]{2})-([0-9]+)$ ]]; echo "${BASH_REMATCH[@]}" ${#BASH_REMATCH[@]}; [[ ab =~ (x)?(b) ]]; declare -p BASH_REMATCH
#### regular expressions: quoting
[[ 'a+b' =~ a\+b ]] && echo 1; [[ 'a+b' =~ "a+b" ]] && echo 2; [[ aab =~ "a+b" ]] || echo 3; r='a+b'; [[ aab =~ $r ]] && echo 4; [[ 'a b' =~ a\ b ]] && echo 5
#### regular expressions: wrong ones
[[ a =~ '(' ]]; echo $?; r='('; [[ a =~ $r ]] 2>/dev/null; echo $?; [[ a =~ [[:alpha:]] ]] && echo class
#### syntax errors in conditions
eval '[[ a b ]]' 2>&1; echo $?; eval '[[ ]]' 2>&1; echo $?; eval '[[ a == ]]' 2>&1; echo $?
#### select with columns: what it chooses
select x in a bb ccc; do break; done <<< 2; COLUMNS=20; select x in one two three four five six seven; do break; done <<< 2
