# 3.5.5 Arithmetic expansion, 6.5 Shell arithmetic
#### precedence
echo $((2+3*4)) $(((2+3)*4)) $((2**3**2)) $((-2**2)) $((10-4-3)) $((100/10/2)) $((7%4*2)) $((1+2<<3)) $((6&3|8^1)) $((1<2==1))
#### unary operators
x=5; echo $((-x)) $((+x)) $((!x)) $((~x)) $((!!x)) $((- -x)) $((~~x)) $((-x+ +x)) $((!0))
#### increments
x=5; echo $((x++)) $x $((++x)) $((x--)) $((--x)) $x $((x+++x)) $((x---x))
#### logic short circuits
x=0; echo $((1||(x=5))) $x $((0&&(x=6))) $x $((1&&2)) $((0||0)); echo $((0?1:2)) $((1?2:0?3:4)) $((x?a=1:(b=2))) ${a-u} $b
#### bits and shifts
echo $((5&3)) $((5|3)) $((5^3)) $((~5)) $((1<<10)) $((-8>>1)) $((1<<63)) $((1<<64)) $((1<<-1)) $((255>>4))
#### assignments
x=10; echo $((x+=5)) $((x-=3)) $((x*=2)) $((x/=5)) $((x%=3)) $((x<<=4)) $((x>>=1)) $((x|=1)) $((x&=7)) $((x^=3)) $x; echo $((a=b=c=4)) $a$b$c
#### bases
echo $((010)) $((0x1F)) $((0XfF)) $((2#1010)) $((16#ff)) $((36#z)) $((64#_)) $((64#@)) $((8#17)) $((37#A)) $((36#A)) $((10#08))
#### wrong numbers
(echo $((08))) 2>&1; (echo $((2#2))) 2>&1; (echo $((65#1))) 2>&1; (echo $((1#0))) 2>&1; (echo $((0xg))) 2>&1; (echo $((12abc))) 2>&1; echo $?
#### division
echo $((7/2)) $((-7/2)) $((7/-2)) $((7%3)) $((-7%3)) $((7%-3)); (echo $((1/0))) 2>&1; (echo $((1%0))) 2>&1; echo $((-9223372036854775808/-1)) $((-9223372036854775808%-1))
#### exponents
echo $((2**0)) $((2**62)) $((2**64)) $((-2**63)) $((3**40)) $((0**0)); (echo $((2**-1))) 2>/dev/null; echo $?
#### 64 bits
echo $((9223372036854775807)) $((9223372036854775807+1)) $((-9223372036854775808)) $((9223372036854775808)) $((4611686018427387904*2)) $((3037000500*3037000500)) $((123456789*987654321))
#### variables hold expressions
a=b b=c c=7; echo $((a)); x='1+2'; echo $((x*2)) $(($x*2)); y=x; echo $((y+1)); e=; echo $((e)) $((unset_v+1))
#### loops of names are an error
(a=b; b=a; echo $((a))) 2>/dev/null; echo $?
#### arrays
a=(1 2 3); i=1; echo $((a[i])) $((a[i+1])) $((a[0]+a[1])) $((a[i]++)) ${a[1]} $((a[5]=9)) ${a[5]} $((a[-1])); declare -A m=([k]=4); echo $((m[k]+1)) $((m[k]*=2)) ${m[k]}
#### commas and parentheses
echo $((1,2,3)) $(((1,2)+(3,4))) $((x=1,y=x+1,x+y)); ((i=0,j=5)); echo $i $j
#### blanks and newlines
echo $((  1   +
2 )) $((
3)) $((	4	))
#### expansions inside
x=3; echo $(($x+${x})) $(($(echo 4)+1)) $((${u:-5}*2)) $((`echo 6`)) $((${#x}+1)); echo "$((1+"2"))" $((x$x)) 2>/dev/null
#### quotes inside
x=2; echo $(("x"+1)) $((x+"1")) "$((x*"$x"))"
#### let
let x=1+2 y=x*2; echo $x $y; let 'z = 5 > 3 ? 10 : 20' "w=z/3"; echo $z $w; let 0; echo $?; let 2>/dev/null; echo $?
#### conditions with pre and post
i=0; while ((i++<3)); do echo -n $i; done; echo; ((i=i>3?0:i)); echo $i; ((!i)) && echo zero
#### old form
echo $[1+2] $[2*3] "$[x=4]" $[ x + 1 ]
#### integer variables
declare -i i=5+5; i+=1; echo $i; i=i*2; echo $i; declare -i a=(1+1 2*2); a[2]=3**2; echo ${a[@]}; f() { local -i n=$1*2; echo $n; }; f 4
#### sums and products
s=0; for i in {1..100}; do ((s+=i)); done; echo $s; for ((i=1,p=1;i<=20;i++)); do ((p*=i)); done; echo $p; ((p*=21)); echo $p
#### gcd and primes
gcd() { local a=$1 b=$2; while ((b)); do ((t=a%b,a=b,b=t)); done; echo $a; }; gcd 1071 462; for ((n=2;n<30;n++)); do for ((d=2;d*d<=n;d++)); do ((n%d)) || continue 2; done; echo -n "$n "; done; echo
#### readonly and computed elements
readonly r=1; (echo $((r=2))) 2>&1; a=(); echo $((a[1+1]=5)) ${!a[@]}; ((a[2]+=1)); echo ${a[2]}
#### leading zeros after expansion
m=08; (echo $((m+1))) 2>&1; echo $((10#$m+1)) $((${m#0}+1))
#### comparisons chain as numbers
echo $((3>2>1)) $((1<2<3)) $((2==2==1)) $((!(1<2))) $((5>3&&2>1)) $((1|2&&0))
#### ternaries nest to the right
for n in 1 2 3; do echo $((n==1?10:n==2?20:30)); done; x=5; ((x>3?(y=1):(y=2))); echo $y
#### syntax errors
(echo $((1+))) 2>&1; (echo $((*2))) 2>&1; (echo $((1 2))) 2>&1; (echo $((a=))) 2>&1; (echo $((1=2))) 2>&1; (echo $((1:2))) 2>&1; (echo $((@))) 2>&1; (echo $((3++4)))
#### more syntax errors
(echo $((5++))) 2>&1; (echo $((++5))); (echo $((a b))) 2>&1; (echo $((()))) 2>&1; echo $?
#### the command
((x=4)); echo $x $?; ((x==5)); echo $?; ((x++)) && echo $x; (( (x) )); if ((x>4)); then echo big; fi; ((1/0)) 2>&1; echo $?
