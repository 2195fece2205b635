# 6.8 The directory stack
#### pushd and popd
cd /; pushd /tmp; pushd /usr; dirs; popd; popd; popd 2>&1; echo $?
#### pushd rotates
cd /; pushd /tmp >/dev/null; pushd /usr >/dev/null; pushd +1; pushd -0; pushd; dirs -v
#### dirs forms
cd /; pushd /tmp > /dev/null; pushd /usr > /dev/null; dirs -p; dirs -v; dirs +1; dirs -0; dirs -c; dirs
#### dirs shows tildes and -l does not
cd; dirs; dirs -l | grep -c "^$HOME"; mkdir s; pushd s > /dev/null; dirs
#### pushd -n and popd -n
cd /; pushd -n /tmp; pwd; dirs; popd -n; pwd; dirs
#### popd by number
cd /; pushd /tmp >/dev/null; pushd /usr >/dev/null; pushd /bin >/dev/null; popd +1; popd -0; dirs; popd +9 2>&1; echo $?
#### in subshells and functions
cd /; (pushd /tmp > /dev/null; dirs); dirs; f() { pushd /usr > /dev/null; pwd; popd > /dev/null; }; f; pwd
#### tilde with numbers
cd /; pushd /tmp > /dev/null; pushd /usr > /dev/null; echo ~0 ~1 ~2 ~+1 ~-0 ~-1 ~9
#### errors
pushd 2>&1 | sed 's/^.*pushd/pushd/'; pushd /nonexistent 2>&1; popd 2>&1; dirs +5 2>&1; pushd +3 2>&1; dirs -x 2>/dev/null; echo $?
