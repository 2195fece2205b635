import { assertEquals } from "@std/assert";
import { compareRows, inFolder, run } from "./support/run.ts";

const people = "alice 30 5.5\nbob 25 7\ncarol 41 3.25\n\ndave 25 x\n";
const awk = (program: string, ...rest: string[]) => ({
  argv: ["awk", program, ...rest],
  stdin: people,
  messages: false,
});

compareRows([
  awk("{print}"),
  awk("1"),
  awk("{print $1}"),
  awk("{print $2, $1}"),
  awk("{print $NF}"),
  awk('{print NR":" $0, NF}'),
  awk("/a/"),
  awk("!/a/"),
  awk("$2 == 25"),
  awk('$2 > 26 {print $1; n++} END {print n, n + 0, x + 0, "[" x "]"}'),
  awk("NR==2,NR==3"),
  awk("/alice/,/carol/ {print NR}"),
  awk("BEGIN {print 1; print 2, 3; print (4)(5); print 1 == 1.0}"),
  awk('BEGIN {print -12 " " -24}'),
  awk("BEGIN {x = 5; x += 2; x *= 3; x -= 1; x /= 4; x ^= 2; x %= 7; print x}"),
  awk("BEGIN {i = 5; print i++ + ++i, i--, --i, i}"),
  awk('BEGIN {OFMT = "%.2f"; x = 3.14159; print x, x ""; CONVFMT = "%.3f"; print x ""}'),
  awk(
    'BEGIN {print length("hello"), length(), substr("hello", 2, 3), substr("hello", 0), substr("hello", 4, 100), index("hello", "l")}',
  ),
  awk(
    'BEGIN {print toupper("abc") tolower("DEF"), int(3.9), int(-3.9), sqrt(16), exp(0), log(1), sin(0), cos(0), atan2(0, -1)}',
  ),
  awk(
    'BEGIN {n = split("a:b:c", p, ":"); print n, p[1], p[3]; n = split("", q); print n; n = split(" a  b ", r); print n, r[1]; print split("a1b22c", s, /[0-9]+/), s[3]}',
  ),
  awk(
    'BEGIN {s = "banana"; n = gsub(/a/, "<&>", s); print n, s; sub(/n/, "\\\\&", s); print s; print gsub(/x*/, "-", s), s}',
  ),
  awk('{gsub(/[0-9]/, "#"); print; print $2}'),
  awk('{sub(/^[^ ]+ /, ""); print NF}'),
  awk('{$2 = "X"; print; print NF}'),
  awk('{$7 = "z"; print; print NF}'),
  awk("{NF = 2; print}"),
  awk('{$0 = "x y z"; print $2; print NF}'),
  awk('BEGIN {OFS = "-"} {$1 = $1; print}'),
  awk('BEGIN {FS = "[ .]"} {print $3}'),
  awk(
    'BEGIN {if (!("x" in a)) print "no"; a["x"]; if ("x" in a) print "yes"; delete a["x"]; print length(a)}',
  ),
  awk('BEGIN {a[1,2] = 3; for (k in a) {split(k, p, SUBSEP); print p[1], p[2]}; if ((1,2) in a) print "in"}'),
  awk('{c[$2]++} END {for (k in c) print k, c[k] | "sort"}'),
  awk(
    'BEGIN {while (i < 3) print i++; do print i--; while (i > 0); for (;;) {if (++j > 3) break; if (j == 2) continue; print "j" j}}',
  ),
  awk("BEGIN {for (i = 0; i < 3; i++) for (j = 0; j < 2; j++) print i, j}"),
  awk(
    "function fill(a, n,  i) {for (i = 1; i <= n; i++) a[i] = i * i} BEGIN {fill(sq, 4); print sq[4], length(sq)}",
  ),
  awk("function g(x) {x = 5} BEGIN {y = 1; g(y); print y}"),
  awk('function out(s) {print "out " s} {out($1)}'),
  awk("function r(n) {if (n > 0) {print n; r(n - 1)}} BEGIN {r(3)}"),
  awk(
    'BEGIN {printf "%d %5d|%-5d|%05d %+d %x %X %o %c %c %s %10s|%-10s|%.2s %e %.3f %g %%\\n", 3.9, 42, 42, 42, 42, 255, 255, 8, 65, "hello", "str", "right", "left", "cut", 12345.678, 3.14159, 0.0001}',
  ),
  awk('BEGIN {printf "%*d|%-*d|\\n", 5, 42, 5, 42; printf("%s %s\\n", "a", "b")}'),
  awk('BEGIN {x = sprintf("%03d", 7); print x}'),
  awk('BEGIN {print match("foobar", /o+/), RSTART, RLENGTH; print match("x", /y/), RSTART, RLENGTH}'),
  awk('BEGIN {print "a" < "b", 10 < 9, "10" < "9", "abc" < 1}'),
  awk('{print ($2 < 100), ($2 == "25"), ($3 < 6)}'),
  awk('BEGIN {print (1 > 2) ? "a" : "b"; print !0, !1, !"", !"a", -"3x", +"4"}'),
  awk('BEGIN {print 1 && 0 || 1, "x" ~ "x", "abc" ~ /b/, "abc" !~ "^b"}'),
  awk('NR == 1 {next} {print} NR == 3 {exit 3} END {print "end"}'),
  awk('BEGIN {exit 1} END {print "end"}'),
  awk("END {print $0, NR}"),
  awk("BEGIN {while ((getline line) > 0) n++; print n, line}"),
  awk("NR == 1 {getline; print} NR == 3 {getline x; print x, $0, NR}"),
  awk(
    'BEGIN {"echo hi there" | getline; print $2; "echo a; echo b" | getline v; print v; close("echo a; echo b")}',
  ),
  awk("BEGIN {while ((\"printf '1\\\\n2\\\\n'\" | getline x) > 0) s += x; print s}"),
  awk('BEGIN {print system("exit 3"); system("echo from sh"); print "after"}'),
  awk('{print > "out.txt"} END {close("out.txt"); while ((getline l < "out.txt") > 0) print "r", l}'),
  awk('{print $1 >> "log"; print $2 > $1 ".txt"}'),
  awk('BEGIN {print "b\\na" | "sort"; close("sort"); print "done"}'),
  awk('BEGIN {print "err" > "/dev/stderr"; print "out" > "/dev/stdout"}'),
  awk('BEGIN {if ((getline l < "missing") < 0) print "none"}'),
  awk("{print x, $1}", "x=5", "-", "x=6"),
  awk("{print FILENAME, FNR, NR}", "f", "g"),
  { ...awk("{print FILENAME, FNR, NR}", "f", "g"), files: { f: "1\n2\n", g: "3\n" } },
  {
    ...awk("FNR == NR {a[$1] = $2; next} $1 in a {print $1, a[$1], $2}", "f", "g"),
    files: { f: "k1 v1\nk2 v2\n", g: "k2 w2\nk3 w3\n" },
  },
  { ...awk("NR==1{nextfile} {print}", "f", "g"), files: { f: "1\n2\n", g: "3\n" } },
  { argv: ["awk", "-F:", "{print $2}"], stdin: "a:b:c\n" },
  { argv: ["awk", "-F", "\\t", "{print $2}"], stdin: "a\tb c\n" },
  { argv: ["awk", "-F", "|", "{print $2}"], stdin: "a|b|c\n" },
  { argv: ["awk", "-F", ", *", "{print $2}"], stdin: "a,  b,c\n" },
  { argv: ["awk", "-F.", "{print $2}"], stdin: "a.b.c\n" },
  { argv: ["awk", "-v", "x=a\\tb", "BEGIN {print x}"] },
  { argv: ["awk", "-v", "n=10", "n > 9 {print}"], stdin: "x\n" },
  { argv: ["awk", "-v", "OFS=,", "{$1=$1}1"], stdin: "a b c\n" },
  {
    argv: ["awk", "-f", "p.awk"],
    stdin: people,
    files: {
      "p.awk":
        '# comment\n\nfunction f(x)\n{\n  return x * 2\n}\n\n/a/ { # why\n  print f($2),\n    "x"\n}\n\nEND { print NR }\n',
    },
  },
  { argv: ["awk", 'BEGIN {RS = ""} {print NR ": " $1 "|" $NF; print NF}'], stdin: "a b\nc\n\n\n\nd e\n" },
  { argv: ["awk", 'BEGIN {RS = ""; FS = "\\n"} {print $2}'], stdin: "a b\nc\n\nd\ne f\n" },
  { argv: ["awk", 'BEGIN {RS = ";"} {print NR, $0}'], stdin: "a;b;c\n" },
  { argv: ["awk", 'BEGIN {RS = "[0-9]+"} {print NR, $0}'], stdin: "a1b22c" },
  { argv: ["awk", 'BEGIN {FS = ""} {print $2, NF}'], stdin: "abc\n" },
  { argv: ["awk", 'BEGIN {ORS = "|"} {print}'], stdin: "a\nb\n" },
  { argv: ["awk", "{print $(NF-1), $NF-1, $(1)}"], stdin: "a 5 7\n" },
  { argv: ["awk", "{a[NR] = $0} END {for (i = NR; i > 0; i--) print a[i]}"], stdin: "1\n2\n3\n" },
  { argv: ["awk", "!seen[$0]++"], stdin: "a\nb\na\nc\nb\n" },
  { argv: ["awk", '{s += $1} END {print s, s / NR; printf "%.2f\\n", s / NR}'], stdin: "1\n2.5\n3e1\n" },
  { argv: ["awk", "$1 > max {max = $1; line = $0} END {print max, line}"], stdin: "5 a\n10 b\n9 c\n" },
  { argv: ["awk", "length > 3"], stdin: "abc\nabcd\n" },
  { argv: ["awk", "length($0) > 3 { print length }"], stdin: "abc\nabcd\n" },
  {
    argv: ["awk", '{ if ($1 ~ /^[0-9]+$/) print "num"; else if ($1 == "") print "empty"; else print "str" }'],
    stdin: "12\n\nab\n",
  },
  { argv: ["awk", 'BEGIN { printf "no newline" }'] },
  { argv: ["awk", 'BEGIN { a = "x"; b = a++; print a, b; print substr("abc", 2); print 1,2,3 }'] },
  { argv: ["awk", 'BEGIN { $0 = "a b c"; print NF; $5 = "e"; print; $2 = ""; print; print NF }'] },
  { argv: ["awk", 'BEGIN { x[1]; delete x; print length(x); split("a b", x); for (i in x) n++; print n }'] },
  {
    argv: [
      "awk",
      'BEGIN { regex = "^a.c$"; if ("abc" ~ regex) print "ok"; if ("a.c" ~ "a\\\\.c") print "dot" }',
    ],
  },
  { argv: ["awk", 'BEGIN { print length(12345), 1=="1", "a" "b" == "ab" }'] },
  {
    argv: [
      "awk",
      'BEGIN { print index("foobar", "bar") ? "y" : "n"; print 5 " items"; print 1 - 1, 1 -1, 2 * -3 }',
    ],
  },
  { argv: ["awk", '/a/ { print "a" } ; /b/ { print "b" }'], stdin: "ab\n" },
  { argv: ["awk", '{ print; }; END { print "x"; }'], stdin: "1\n" },
  { argv: ["awk", 'BEGIN { if (1) ; else print "no"; if (0) print "a"; else print "b" }'] },
  {
    argv: ["awk", 'BEGIN { print substr("x", 1) > "/dev/stdout"; getline; print "got " $0 }'],
    stdin: "line\n",
  },
  { argv: ["awk", "BEGIN { print 1"], messages: false },
  { argv: ["awk", "{ print $1 }", "missing"], messages: false },
  { argv: ["awk", "BEGIN { srand(1); a = rand(); srand(1); print (a == rand()), a < 1 }"] },
  {
    argv: [
      "awk",
      'BEGIN { while ("echo x y" | getline a) print a; n = split("2024-01-02", d, "-"); print d[1] + 0, d[2] + 0 }',
    ],
  },
  { argv: ["awk", 'BEGIN { a["x"] = 1; f(a); print a["x"] } function f(arr) { arr["x"]++ }'] },
  { argv: ["awk", 'BEGIN { print toupper(substr("word", 1, 1)) substr("word", 2) }'] },
]);

const ours = async (argv: string[], stdin = "") => {
  const { stdout, stderr, status } = await inFolder({}, (cwd) => run(["awk", ...argv], { cwd, stdin }));
  return stderr + stdout + (status ? `[${status}]` : "");
};

Deno.test("awk has GNU's functions in daily use", async () => {
  assertEquals(
    await ours([
      'BEGIN { print gensub(/(a)(b)/, "\\\\2\\\\1", "g", "abab"); print strtonum("0x1F"), and(12, 10), or(12, 10), xor(12, 10), lshift(1, 4) }',
    ]),
    "baba\n31 8 14 6 16\n",
  );
  assertEquals(await ours(['BEGIN { print match("k=v", /(.)=(.)/, m), m[1], m[2] }']), "1 k v\n");
  assertEquals(
    await ours([
      'BEGIN { n = split("c a b", x); n = asort(x); print n, x[1], x[3]; print strftime("%Y", 0, 1) }',
    ]),
    "3 a c\n1970\n",
  );
  assertEquals(
    await ours([
      'BEGIN { PROCINFO["sorted_in"] = "@ind_str_desc"; a["x"]; a["z"]; a["y"]; for (k in a) printf "%s ", k }',
    ]),
    "z y x ",
  );
  assertEquals(
    await ours([
      'BEGIN { switch (3) { case 1: print "one"; break; case 3: print "three"; default: print "more" } }',
    ]),
    "three\nmore\n",
  );
  assertEquals(await ours(["{ print }", "IGNORECASE=1"], "x\n"), "x\n");
  assertEquals(await ours(["BEGIN { IGNORECASE = 1 } /ABC/"], "abc\n"), "abc\n");
});

Deno.test("awk does arithmetic as GNU's does", async () => {
  assertEquals(await ours(["BEGIN {print 2^3^2, -2^2, 2**3, 7 % 3, -7 % 3, 1/4}"]), "512 -4 8 1 -1 0.25\n");
  assertEquals(
    await ours(["BEGIN {print 1e6, 1234567.891, 0.1 + 0.2, 123456789012, 3.0, 1e-5, 2^53}"]),
    "1000000 1.23457e+06 0.3 123456789012 3 1e-05 9007199254740992\n",
  );
  assertEquals(
    await ours(["function f(n) {return n <= 1 ? 1 : n * f(n - 1)} BEGIN {print f(10), f(20)}"]),
    "3628800 2432902008176640000\n",
  );
  assertEquals(await ours(["BEGIN {print 1/0}"]), "awk: division by zero\n[2]");
  assertEquals(await ours(['BEGIN {print substr("hello", -1, 3), substr("hello", 1.5, 2)}']), "h el\n");
});

Deno.test("awk evaluates a subscript with a side effect once", async () => {
  assertEquals(await ours(["BEGIN { a[i++] += 2; a[i++]++; print i, a[0], a[1] }"]), "2 2 1\n");
});

Deno.test("awk bounds recursion", async () => {
  assertEquals(
    await ours(["function f(n) { return f(n + 1) } BEGIN { f(1) }"]),
    "awk: function calls nested too deeply\n[2]",
  );
});
