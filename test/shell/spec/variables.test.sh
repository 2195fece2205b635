# 5 Shell variables
#### version and identity
[[ $BASH_VERSION == 5.2* ]] && echo v; echo ${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]} ${#BASH_VERSINFO[@]}; echo $OSTYPE $MACHTYPE | grep -c linux; echo $HOSTTYPE | grep -c .; [[ $BASH == */bash ]] && echo bash
#### LINENO
echo $LINENO
echo $LINENO; f() {
echo $LINENO
}
f
echo "$(echo $LINENO)" $LINENO
#### EPOCHSECONDS, EPOCHREALTIME
((EPOCHSECONDS > 1600000000)) && echo a; [[ $EPOCHREALTIME =~ ^[0-9]+\.[0-9]{6}$ ]] && echo b
#### BASHPID and subshells
[[ $BASHPID == $$ ]] && echo same; (( $(echo $BASHPID) != $$ )) && echo other; echo $BASH_SUBSHELL
#### BASH_SOURCE, BASH_LINENO, FUNCNAME in a script
printf 'f() { echo "${FUNCNAME[*]}|${BASH_SOURCE[*]}|${BASH_LINENO[*]}"; }\nf\n. ./t\n' > s; echo 'f' > t; bash s
#### BASH_COMMAND and traps
trap 'echo "<$BASH_COMMAND>"' DEBUG; x=1; echo a; trap - DEBUG
#### PIPESTATUS and _
true | false; echo ${PIPESTATUS[@]}; echo x y; echo $_
#### OPTIND and OPTARG
echo $OPTIND; getopts a: o -a v; echo $OPTIND $OPTARG; OPTIND=1; getopts a: o -aw; echo $OPTARG $OPTIND
#### REPLY
read <<< 'a  b'; echo "$REPLY"; select x in q; do echo $REPLY; break; done <<< 1 2>/dev/null
#### IFS is not imported
IFS=x bash -c 'printf "%q\n" "$IFS"'
#### PATH, HOME, PWD, OLDPWD
cd /; cd /tmp; echo $PWD $OLDPWD; PWD=/fake; pwd; cd .; echo $PWD; env | grep -c ^OLDPWD=
#### unset of special variables
unset RANDOM; RANDOM=7; echo $RANDOM; unset LINENO; echo "[$LINENO]"; unset SECONDS; SECONDS=5; echo $SECONDS
#### HOSTNAME, COLUMNS and the like
[[ -n $HOSTNAME ]] && echo h; echo ${COLUMNS-none} ${PS1-none} "${PS4}" "${PS2-none}"; [[ -n $IFS ]] && echo ifs; echo $OPTERR
#### GLOBSORT is no variable of 5.2, GLOBIGNORE is none by default
echo ${GLOBIGNORE-none} ${BASH_COMPAT-none} ${HISTFILE-none} ${TIMEFORMAT-none}
#### RANDOM follows its seed
RANDOM=42; echo $RANDOM $RANDOM $RANDOM; RANDOM=1; echo $RANDOM
#### DIRSTACK
cd /; pushd /tmp > /dev/null; echo ${DIRSTACK[@]}; DIRSTACK[1]=/usr; dirs
#### BASH_ALIASES and BASH_CMDS
shopt -s expand_aliases; alias x='echo a'; echo ${BASH_ALIASES[x]}; BASH_ALIASES[y]='echo b'; alias y; hash -p /bin/cat k; echo ${BASH_CMDS[k]}
#### POSIXLY_CORRECT turns the mode on
POSIXLY_CORRECT=1; [[ -o posix ]] && echo p; unset POSIXLY_CORRECT; [[ -o posix ]] || echo off
#### BASH_COMMAND without any trap
echo "$BASH_COMMAND" x; : a; echo $BASH_COMMAND; y=$BASH_COMMAND; echo "$y"; f() { echo $BASH_COMMAND; }; f 1; set -e; trap 'echo "E: $BASH_COMMAND"' EXIT; false "q r"
#### LINENO of commands over several lines
nl() { echo "$LINENO $1"; }
nl "a
b"
nl \
 c
x=1 nl d
nl e >/dev/null \
  f
echo "x
y $LINENO" | cat
if nl g; then nl \
 h; fi
