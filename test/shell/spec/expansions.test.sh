# 3.5.1 Brace expansion, 3.5.2 Tilde expansion
#### sequences in every direction
echo {1..5} {5..1} {a..e} {e..a} {1..10..3} {10..1..4} {-2..2} {a..z..5} {1..1} {01..10..3} {-05..5..5}
#### sequences that are none
echo {1..a} {1..} {..3} {1...3} {a..bb} {1.5..2} {1..3..x} {1..2}{ {a} {,} {a,}
#### nesting and products
echo {a,b{1,2},c}{x,y} {{a,b},{c,d}} a{b,c{d,e}f}g {,a}{,b} x{{1..2},{a..b}}
#### braces before other expansions
x=1; y=2; echo {$x,$y} {"a b",c} {$(echo q),r} ${x}{a,b} {a,b}$x; z={1,2}; echo $z; echo $x{1,2}
#### quotes stop braces
echo "{a,b}" '{a,b}' \{a,b} {a\,b} {a","b} {a,"b,c"} {'a','b'}
#### braces with globs and redirections
touch f1 f2 g1; echo {f,g}*; echo x > {a,b} 2>/dev/null; echo $?; cat < {f1,f2} 2>/dev/null; echo $?
#### unbalanced braces
echo {a,b a,b} {a,{b,c} {a,b}} {{a,b} }{ {}
#### option off
set +B; echo {a,b} {1..3}; set -B; echo {a,b}
#### steps with a sign
echo {1..5..-2} {5..1..2} {5..1..-2} {c..a..2}
#### braces in assignments and cases
x={a,b}; echo $x; case '{a,b}' in {a,b}) echo literal;; esac; [[ {a,b} == '{a,b}' ]] && echo same; a=({1..3}); echo ${#a[@]}
#### tilde forms
HOME=/h; PWD=/p; OLDPWD=/o; echo ~ ~/a ~+ ~- ~+/b ~-/c "~" \~ a~ ~a~ ~/ '~'/x
#### tilde in assignments
HOME=/h; a=~; b=~/x:~/y; c=a:~; d="~"; export e=~/e; declare f=~/f; g+=~; echo $a $b $c $d $e $f $g; PATH=~/bin:$PATH; echo ${PATH%%:*}
#### tilde after an equal sign in words
HOME=/h; echo x=~ --p=~/q -o~ a=b:~ ; set -- k=~; echo $1
#### tilde with an unset or odd HOME
HOME='/a b'; for x in ~ ~/c; do echo "[$x]"; done; HOME=; echo "[~]" "[$(echo ~)]"
#### tilde of root and unknown users
echo ~root ~root/x ~nosuchuser123 ~nosuchuser123/y
#### tilde and quotes
HOME=/h; echo ~"/x" ~'' ~"" ~/"a b" "~"/x ~\/y
