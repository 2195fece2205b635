# 3.5.8 Filename expansion
#### stars, marks, sets
touch a b ab abc a.c .dot; echo *; echo ?; echo a?; echo [ab]; echo [^a]*; echo a[b.]c*; echo *c; echo .*t
#### ranges and classes
touch 1 2 a B _; echo [0-9]; echo [[:alpha:]]; echo [[:upper:]]*; echo [![:alnum:]]; echo [[:digit:]a]; echo []a]; echo [a-]
#### folders
mkdir -p d/e d/.h; touch d/x d/e/y; echo d/*; echo */; echo d/*/; echo */*/*; echo d/.*/ ; echo ./d/x*; echo d//x
#### no match stays
echo nomatch* [z] ?????; echo "nomatch*" no\*
#### quotes inside patterns
touch 'a*b' axb; echo a*b; echo a\*b; echo 'a*'b; echo "a"*"b"; p='a*b'; echo $p "$p"
#### backslashes in variables
touch 'x*' xy; p='x\*'; echo $p; q='x*'; echo $q
#### nullglob
shopt -s nullglob; echo a* b; set -- z*; echo $#; echo "[" z*"]"; x=(q*); echo ${#x[@]}
#### failglob ends the command
shopt -s failglob; echo a*; echo $?
echo next
#### dotglob and dot names
touch .a b; echo *; shopt -s dotglob; echo *; echo .*; shopt -u dotglob; echo .[!.]*
#### GLOBIGNORE
touch a.o b.c c.h .x; GLOBIGNORE='*.o:*.h'; echo *; unset GLOBIGNORE; echo *
#### nocaseglob
touch Abc aBD; shopt -s nocaseglob; echo a*; echo AB?; shopt -u nocaseglob; echo a*
#### globstar
mkdir -p a/b/.c; touch a/f a/b/g a/b/.c/h; shopt -s globstar; echo **; echo a/**; echo **/g; echo **/; shopt -u globstar; echo **
#### extended patterns
touch a aa ab b abc; shopt -s extglob
echo a?(b); echo *(a); echo +(a|b); echo !(a*); echo @(a|b)?(c); echo a!(b)
#### extended patterns nested
shopt -s extglob
for s in foo foobar barfoo xbar ''; do [[ $s == @(foo|!(*foo*))?(bar) ]] && echo "[$s]"; done; case abab in *(a@(b|c))) echo y;; esac
#### sorting
touch b a C 10 9 1; LC_ALL=C; echo *
#### links and missing files
ln -s nowhere l; touch f; echo *; mkdir d; ln -s d e; echo */
#### noglob
touch a; set -f; echo * ?; set +f; echo ?
#### patterns in assignments and redirections
touch only1; x=on*; echo "$x"; cat < on*1; echo hi > on*; cat only1
#### patterns from quotes and expansions mixed
touch 'a b1' 'a b2'; d='a b'; echo "$d"*; echo "$d"?; for f in "$d"*; do echo "[$f]"; done
#### slashes do not match in stars
mkdir d; touch d/f; echo d*f; echo d?f; echo d[/]f; [[ d/f == d*f ]] && echo cond; case d/f in d?f) echo case;; esac
#### unclosed brackets are literal
touch '[a' a; echo [a; echo [; echo *[; [[ '[a' == [a ]] && echo same
#### character class names that do not exist
touch a; echo [[:nosuch:]]; [[ a == [[:nosuch:]] ]] || echo no
#### nocasematch and sets
shopt -s nocasematch; [[ A == [a-c] ]] && echo 1; x=ABC; echo ${x/b/_}; [[ É == é ]] && echo 2
