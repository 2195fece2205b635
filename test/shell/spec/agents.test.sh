# Scripts of the kind that agents write
#### loops over files with spaces
touch 'a b' c; for f in *; do echo "<$f>"; done; find . -type f | sort | while IFS= read -r f; do echo "[$f]"; done
#### counting and sorting
printf '%s\n' b a b c a b | sort | uniq -c | sort -rn | awk '{print $2":"$1}'
#### key value parsing
printf 'a=1\nb = 2\n# c\n' > conf; while IFS='=' read -r k v; do [[ $k =~ ^[[:space:]]*# ]] && continue; echo "${k// /}->${v## }"; done < conf
#### retry loop
n=0; until [ $n -ge 3 ]; do n=$((n+1)); echo try $n; done
#### mktemp and cleanup
d=$(mktemp -d); trap 'rm -rf "$d"; echo cleaned' EXIT; touch "$d/x"; ls "$d"
#### argument parsing
parse() { while [[ $# -gt 0 ]]; do case $1 in -v|--verbose) echo v; shift;; --name=*) echo "n ${1#*=}"; shift;; -o) echo "o $2"; shift 2;; --) shift; break;; *) echo "pos $1"; shift;; esac; done; echo "rest $*"; }; parse -v --name=x -o y p -- z w
#### heredoc to file and back
cat > s.sh <<'EOF'
#!/usr/bin/env bash
set -e
echo "arg: ${1:-none}"
EOF
chmod +x s.sh; ./s.sh; ./s.sh hi; bash s.sh x
#### parallel jobs
for i in 1 2 3; do (sleep 0.0$i; echo $i > o$i) & done; wait; cat o1 o2 o3
#### xargs
printf 'a\nb\n' | xargs -I{} echo x{}y; printf '1 2 3' | xargs -n1 echo
#### string building
out=; for w in a b c; do out+="${out:+, }$w"; done; echo "$out"; arr=(x y z); printf -v joined '%s,' "${arr[@]}"; echo "${joined%,}"
#### json-ish text
printf '{"a": %d, "b": "%s"}\n' 1 'x\"y'
#### nested quoting
bash -c "echo \"a '\$HOME' \\\"q\\\"\"" | sed "s,$HOME,H,"; sh -c 'echo "$1"' _ "x y"
#### date arithmetic and seq
for i in $(seq 3 -1 1); do printf '%02d ' $i; done; echo; seq -s, 1 5
#### tee and process substitution
echo data | tee >(cat > copy) > main; sleep 0.1; cat main
#### compare and diff
echo a > x; echo b > y; cmp -s x y || echo differ; diff x y; echo $?
#### while read with line numbers
i=0; while read -r line || [ -n "$line" ]; do ((++i)); echo "$i:$line"; done < <(printf 'one\ntwo')
#### background with pid file
(echo $BASHPID > pid; sleep 5) & sleep 0.05; kill "$(cat pid)" && echo killed; wait 2>/dev/null; echo done
#### conditional assignment chain
v=${UNSET:-${ALSO:-default}}; [[ $v == default ]] && echo "$v" || echo other; : "${Z:=set}"; echo $Z
#### sed: $a\\ and 1i\\ without a text
printf 'a\nb' > f; sed '$a\' f; echo ---; sed '1i\' f; sed -e '1i\' -e 'foo' f
#### sed: escapes in the text of a, i and c
printf 'a\nb\n' > f; sed '2a\  x' f; sed 'a\' f; sed 'a \  x\ty' f; sed 'a\tx' f; sed 'a x\\y' f; sed 'a\
l1\
l2' f; sed 'i a\nb\tc' f; sed 'c\x' f; sed 'a foo\' f; echo $?
#### patterns on a very long line
head -c 200000 /dev/zero | tr '\0' a > f; echo ' b' >> f
grep -c 'a.*c.*d' f; grep -c 'a.*b' f; grep -cE 'a+c|b$' f; grep -oE ' [a-z]+' f; sed -n '/a.*z.*y/p' f; sed -E 's/a+c/X/' f | wc -c; sed 's/^a*//' f; awk '{ sub(/a*/, "x"); print }' f
#### gzip: members in a row, padding and garbage behind them
(echo a | gzip; echo b | gzip) | gzip -dc; (echo a | gzip; printf junk) | gunzip; echo $?; (echo a | gzip; head -c 10 /dev/zero) | gunzip; echo $?; seq 50000 | gzip -9 > x.gz; cat x.gz x.gz | zcat | wc -l; head -c 1000 x.gz | gunzip >/dev/null; echo $?; gzip -n < /dev/null | gunzip | wc -c
#### od and stat: floating point and fractions of seconds
printf '\0\0\200\77\315\314\314\75' | od -An -tf4; printf '\0\0\0\0\0\0\360\77' | od -tf8; touch -d '2023-04-05 06:07:08.5 UTC' f; stat -c '%q %.3Y %.Y %Y' f
#### a lock on a descriptor keeps others out
exec 9> lock; flock -n 9 && echo got; (flock -n 8 || echo busy) 8> lock; (flock -n 9 && echo shared); exec 9>&-; (flock -n 8 && echo free) 8> lock; flock -n lock -c 'exit 3'; echo $?; flock -u 7; echo $?
#### a lock makes a counter exact
for i in 1 2 3 4 5; do (flock -x 9; n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n) 9> lk & done; wait; cat n
#### a lock that is held: waiting ends, a status of one's own, shared locks
exec 5> l; flock 5; flock -w 0.05 l echo no; echo $?; flock -E 7 -n l echo no; echo $?; flock -u 5; flock -s 5; (flock -s -n 6 && echo both) 6< l; (flock -n 6 || echo no) 6< l
#### collecting the status of each job in an associative array
declare -A st name; for j in ok:0 bad:2 worse:3; do (exit ${j#*:}) & name[$!]=${j%:*}; done; for p in "${!name[@]}"; do wait $p; st[${name[$p]}]=$?; done; for k in bad ok worse; do echo "$k=${st[$k]}"; done
#### timeout and a script with a trap
timeout 0.6 bash -c 'trap "echo term; exit 9" TERM; while :; do sleep 0.02; done'; echo $?; timeout --preserve-status 0.6 bash -c 'trap "exit 9" TERM; sleep 5'; echo $?; timeout -k 0.1 0.6 bash -c 'trap "" TERM; while :; do sleep 0.02; done'; echo $?; timeout 0.6 bash -c 'trap "echo t" TERM; sleep 5; echo "after $?"'; echo $?
#### what a program starts is a program
timeout 1 wait; echo $?; env cd /; echo $?; echo a | xargs export; echo $?; env test 1 = 1; echo $?; env printf '%s\n' x
