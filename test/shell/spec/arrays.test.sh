# 6.7 Arrays
#### basics
a=(x 'y z' w); echo ${a[0]} "${a[1]}" ${#a[@]} ${a[-1]} ${!a[@]}; a[5]=q; echo "${!a[@]}" ${#a[@]}; a+=(r s); echo "${a[@]}"
#### at and star
a=(1 '2 3'); for x in "${a[@]}"; do echo "[$x]"; done; IFS=,; echo "${a[*]}"
#### slices and operations
a=(aa bb cc dd); echo "${a[@]:1:2}" "${a[@]#a}" "${a[@]/b/X}" "${a[@]^}" ${a[@]: -1}
#### unset elements
a=(1 2 3); unset 'a[1]'; echo "${a[@]}" ${#a[@]} "${!a[@]}"; unset a; echo ${#a[@]}
#### associative
declare -A m=([one]=1 [two]=2); m[three]=3; m["a b"]=4; echo ${m[one]} "${m[a b]}" ${#m[@]}; for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done
#### associative tests and unset
declare -A m=([k]=v); [[ -v m[k] ]] && echo yes; [[ -v m[z] ]] || echo no; unset 'm[k]'; echo ${#m[@]}
#### declare -p
a=(1 "two words" $'t\tab'); declare -p a; declare -A m=([x]=1); declare -p m; declare -i n=5; declare -p n; declare -rx r=1; declare -p r
#### mapfile
printf 'a\nb\nc\n' > f; mapfile -t l < f; echo ${#l[@]} "${l[2]}"; mapfile -t -s 1 -n 1 l < f; echo "${l[@]}"
#### read -a
read -ra w <<< 'one two  three'; echo ${#w[@]} "${w[2]}"
#### arrays in arithmetic
a=(3 4); echo $((a[0]*a[1])) $((a)); ((a[1]++)); echo ${a[1]}; i=1; echo ${a[i]} ${a[i-1]}
#### append and copy
a=(x y); b=("${a[@]}" z); b+=(w); echo "${b[@]}" ${#b[@]}; s=q; s+=r; echo $s
#### indices in literals
a=([2]=c [0]=a b); echo "${!a[@]}" "${a[@]}"
#### negative subscripts
a=(1 2 3); a[-1]=9; echo "${a[@]}"; echo "${a[-4]}" 2>&1; echo $?
#### namerefs
f() { local -n r=$1; r+=(new); echo ${#r[@]}; }; arr=(a); f arr; echo "${arr[@]}"; declare -n q=zz; q=5; echo $zz
#### keys and values transformations
declare -A m=([k]=v); echo "${m[@]@K}" "${m[@]@k}"; a=(x y); echo "${a[@]@A}" "${a[@]@Q}"
#### literals of every kind
a=(); b=(1 2); c=([2]=x [0]=y z); d=(a{1,2} $(echo p q) "r s"); e=(
1 # one
2
); echo ${#a[@]} ${#b[@]} ${!c[@]} ${c[@]} ${#d[@]} ${e[@]}
#### assignment by index
a[3]=x; a[1+1]=y; i=5; a[i]=z; a[$i+1]=w; echo ${!a[@]} ${a[@]}; a[-1]=last; echo ${a[6]}; a=5; echo ${a[0]} ${#a[@]}
#### lengths and elements
a=(ab cde f); echo ${#a} ${#a[1]} ${#a[@]} ${#a[9]} $a ${a} ${a[0]}x; unset a[0]; echo "[$a]" ${#a[@]}
#### append
a=(1); a+=(2 3); a+=([9]=x); a+=(y); echo ${!a[@]}; a[0]+=z; echo ${a[0]}; s=x; s+=(y); echo ${s[@]}; declare -A m=([a]=1); m+=([b]=2 [a]=3); m[a]+=4; echo ${m[a]} ${m[b]}
#### copies, reversal, membership
a=(x 'y z' w); b=("${a[@]}"); b[0]=q; echo ${a[0]} ${#b[@]}; for ((i=${#a[@]}-1;i>=0;i--)); do echo -n "${a[i]},"; done; echo; [[ " ${a[*]} " == *" w "* ]] && echo member; c=("${a[@]:1}"); echo ${#c[@]}
#### unset of elements and wholes
a=(1 2 3 4); unset 'a[1]' a[2]; echo ${!a[@]}; unset 'a[-1]'; echo ${a[@]}; unset a; echo ${#a[@]}; b=(1 2); unset 'b[@]'; echo ${#b[@]}; declare -A m=([k]=1 [@]=2); unset 'm[k]'; echo ${#m[@]}
#### associative keys of every kind
declare -A m; m[a b]=1; m["c d"]=2; k='e$f'; m[$k]=3; m['g]']=4; m[1]=5; m[01]=6; echo "${m[a b]}${m["c d"]}${m[$k]}${m['g]']}${m[1]}${m[01]}" ${#m[@]}
#### associative literals
declare -A m=([x]=1 ["y z"]=2 [$((1+1))]=3); echo ${m[x]} "${m[y z]}" ${m[2]}; declare -A n=(k1 v1 k2 v2); echo ${n[k1]} ${n[k2]}; declare -A o=([a]=1 [a]=2); echo ${o[a]}
#### iteration in order
a=([10]=j [2]=b [5]=e); for i in "${!a[@]}"; do echo $i=${a[i]}; done; declare -A m=([one]=1 [two]=2 [three]=3 [four]=4); for k in "${!m[@]}"; do echo $k=${m[$k]}; done; echo ${m[@]}
#### quoting of lists
a=('' 'x y' '*'); for e in "${a[@]}"; do echo "[$e]"; done; for e in ${a[@]}; do echo "<$e>"; done | wc -l; echo "${a[*]}"; IFS=+; echo "${a[*]}"; set -- "${a[@]}"; echo $#
#### embedded lists
a=(1 2 3); for e in "p${a[@]}s"; do echo "[$e]"; done; echo "${a[@]/#/n}" "${a[@]:1:1}${a[*]:0:1}"
#### local and global arrays
a=(g); f() { local a=(l 1); echo ${a[@]}; declare -ga G=(x y); local -A m=([q]=r); echo ${m[q]}; }; f; echo ${a[@]} ${G[1]} ${m[q]-none}
#### arrays passed by name
sum() { local -n arr=$1; local t=0 x; for x in "${arr[@]}"; do ((t+=x)); done; echo $t; }; nums=(1 2 3 4); sum nums; keys() { local -n h=$1; printf '%s\n' "${!h[@]}" | sort; }; declare -A H=([b]=1 [a]=2); keys H
#### arrays are not exported
export a=(1 2); bash -c 'echo ${a-none}'; declare -ax b=(1); env | grep -c '^b='
#### sorting
a=(3 1 2); mapfile -t s < <(printf '%s\n' "${a[@]}" | sort -n); echo ${s[@]}; IFS=$'\n' t=($(sort -r <<< "${a[*]}")); echo ${t[@]}
#### stack and queue
s=(); s+=(a); s+=(b); echo ${s[-1]}; unset 's[-1]'; echo ${#s[@]}; q=(1 2 3); h=${q[0]}; q=("${q[@]:1}"); echo $h ${q[@]}
#### slices keep holes away
a=([0]=a [5]=b [9]=c); echo "${a[@]:1}" "${a[@]:5:1}" "${a[@]: -2:1}"; b=("${a[@]}"); echo ${!b[@]}
#### large indices and sparse arrays
a[100000]=x; a[5]=y; echo ${#a[@]} ${!a[@]}; a[9999999999]=z; echo ${!a[@]}
#### matrices in associative arrays
declare -A g; for i in 0 1; do for j in 0 1; do g[$i,$j]=$((i*2+j)); done; done; echo ${g[0,0]}${g[0,1]}${g[1,0]}${g[1,1]}; for i in 0 1; do for j in 0 1; do echo -n "${g[$i,$j]} "; done; echo; done
#### read into arrays and split
IFS=, read -ra p <<< 'a,b c,,d'; echo ${#p[@]} "${p[1]}"; s='x:y:z'; IFS=: read -ra q <<< "$s"; echo ${q[2]}; r=(${s//:/ }); echo ${#r[@]}
#### declare -a and -p of odd values
declare -a e; declare -p e; e[1]=$'n\nl'; declare -p e; a=("it's" '$x' '`' '"' '\'); declare -p a
#### arrays in conditions and arithmetic
a=(5 6); [[ ${a[0]} -lt ${a[1]} ]] && echo lt; ((a[0]+=a[1])); echo ${a[0]}; ((a[2]=a[0]*2)); echo ${a[2]}; [[ -n ${a[@]} ]] && echo some; (( ${#a[@]} == 3 )) && echo three
#### subscripts evaluate once
i=0; a=(x y z); echo ${a[i++]} ${a[i++]} $i; a[i++]=q; echo ${a[@]} $i
#### an associative array takes no empty subscript
declare -A n=([]=1); echo $?
#### an empty subscript of an associative array ends the line
declare -A m; m[""]=y; echo $? "${m[""]}"
#### an empty subscript in a list
a=([]=1); echo $?; declare -p a
#### lists after let and eval
let x=( 1 ); echo $x; let y=( x + 2 ) z=2; echo $y $z; eval a=(1 2); echo "${a[1]}" ${#a[@]}; b=5; eval c=($b 6); echo ${c[@]}; eval echo a=1
