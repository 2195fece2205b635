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
