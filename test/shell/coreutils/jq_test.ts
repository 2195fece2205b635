import { assertEquals } from "@std/assert";
import { compareRows, inFolder, run } from "./support/run.ts";

const doc =
  '{"name":"x","list":[3,1,2],"obj":{"b":1,"a":[{"k":1},{"k":null}]},"s":"a,b","t":true,"n":null,"f":1.5}';
const jq = (...args: string[]) => ({ argv: ["jq", ...args], stdin: doc, messages: false });

compareRows([
  jq("."),
  jq("-c", "."),
  jq("-S", "."),
  jq("--tab", ".obj"),
  jq("--indent", "1", ".obj"),
  jq(".name"),
  jq("-r", ".name"),
  jq("-j", ".name, .s"),
  jq(".list[0], .list[-1], .list[5]"),
  jq("-c", ".list[1:], .list[:-1], .s[0:1]"),
  jq(".list[]"),
  jq("-c", "[.list[] | . * 2]"),
  jq("-c", ".obj.a[].k"),
  jq("-c", '.missing, .missing.deeper, .obj["b"], ."name"'),
  jq(".name.x"),
  jq(".name.x?"),
  jq(".[]?"),
  jq("-c", "keys, (.obj | keys_unsorted), length, (.list | length), (.name | length)"),
  jq("-c", "map(type)"),
  jq("-c", "[.[] | type]"),
  jq("-c", ".list | sort, reverse, add, min, max, (map(select(. > 1)))"),
  jq("-c", "to_entries | map(.key)"),
  jq("-c", 'with_entries(select(.value | type == "number"))'),
  jq("-c", '{name, n: .list[0], (.s): 1, "q": {x: 2}}'),
  jq("-c", "{a: (1, 2)}"),
  jq("-c", "[.list[] as $x | $x + 1]"),
  jq("-c", ". as {name: $n, list: [$a, $b]} | [$n, $a, $b]"),
  jq('if .t then "yes" else "no" end'),
  jq("if .n then 1 elif .f > 1 then 2 else 3 end"),
  jq('.n // "default", (.t // 1)'),
  jq("-c", "[.t and .n, .t or .n, (.n | not)]"),
  jq("-c", "reduce .list[] as $x (0; . + $x)"),
  jq("-c", "[foreach .list[] as $x (0; . + $x)], [foreach .list[] as $x (0; . + $x; [$x, .])]"),
  jq("-c", "def f(x): x * 2; f(.f), (def g($a; $b): $a + $b; g(1; 2))"),
  jq("-c", "[limit(2; .list[])], first(.list[]), [range(3)], [range(1; 10; 4)], nth(1; .list[])"),
  jq("-c", "[.. | numbers]"),
  jq("-c", "[paths], [leaf_paths] | length"),
  jq("-c", 'path(.obj.a[0].k), [getpath(["obj", "b"])]'),
  jq("-c", ".list[0] = 9 | .list"),
  jq("-c", ".list |= map(. + 1) | .list"),
  jq("-c", ".list[] += 1 | .list"),
  jq("-c", ".f *= 2 | .new //= 1 | [.f, .new]"),
  jq("-c", "del(.obj, .list[0]) | keys"),
  jq("-c", ".obj.a |= map(select(.k)) | .obj"),
  jq("-c", 'setpath(["p", 0]; 1) | .p, (delpaths([["list", 0], ["name"]]) | keys)'),
  jq("-r", '"n=\\(.name) l=\\(.list)"'),
  jq("-r", ".list | @csv, @tsv, @json, @text, @sh"),
  jq("-r", '@uri "q=\\(.s)", (.s | @base64), ("YWJj" | @base64d), ("<a&b>" | @html)'),
  jq("-c", '.s | split(","), test("^a"), startswith("a"), ltrimstr("a"), ascii_upcase, explode'),
  jq(
    "-c",
    '.s | [match("[a-z]"; "g").string], sub(","; ";"), gsub("(?<x>[a-z])"; "<\\(.x)>"), [scan("[a-z]")], capture("(?<l>.),(?<r>.)")',
  ),
  jq(
    "-c",
    "[.list | index(1), (indices(2)), contains([1]), inside([1,2,3,4])], (.list | any(. > 2), all(. > 2))",
  ),
  jq("-c", ".obj.a | group_by(.k), unique_by(.k), sort_by(.k), min_by(.k), max_by(.k)"),
  jq("-c", "[[1,2],[3,[4]]] | flatten, flatten(1), transpose"),
  jq("-c", '[1,[2]] | tostring, tojson, (tojson | fromjson), ("12" | tonumber)'),
  jq(
    "-c",
    'try error("x") catch ., (try error({a: 1}) catch .a), [.list[] | try (if . > 2 then error("big") else . end) catch "caught"]',
  ),
  jq('error("boom")'),
  jq("-c", "[label $out | .list[] | if . == 1 then break $out else . end]"),
  jq("-c", "[1, 1.0, 1e3, 1.5e10, 0.1, 100000000000, 3.0e-5] , (1 / 3), (10 % 3), -(1)"),
  jq("-c", '[.list, [0]] | add, (.[0] - [1]), ({a: {b: 1}} * {a: {c: 2}}), ("a,b" / ",")'),
  jq("-c", '["a", 1, null, true, [], {}] | sort, unique, map(type)'),
  jq("-c", 'input_filename, ([splits("a")?])'),
  jq("-c", 'walk(if type == "number" then . + 1 else . end) | .list'),
  jq(
    "-c",
    "[.list[] | until(. > 10; . * 2)], [.list[0] | while(. < 20; . * 2)], [recurse(if . < 3 then . + 1 else empty end; true)?] | length",
  ),
  jq("-c", "env | type, ($ENV.HOME | type)"),
  jq(
    "-r",
    '0 | todate, ("2015-03-05T23:51:47Z" | fromdate), (1425599621 | strftime("%A, %B %d, %Y")), ("10:20" | strptime("%H:%M") | .[3])',
  ),
  jq("-c", "to_entries | from_entries | keys"),
  jq("-n", "1 + 2"),
  jq("-n", "-c", "[inputs]"),
  jq("-n", "input | .name"),
  jq("-e", ".n"),
  jq("-e", ".t"),
  jq("--arg", "v", "1", "--argjson", "j", '{"a":2}', "-c", "[$v, $j.a]"),
  jq("-c", "--args", "$ARGS.positional", "a", "b"),
  jq("-a", '"é"'),
  jq(".["),
  jq("nope"),
  jq("-c", "[.[] | scalars]"),
  jq("-c", '@json "x\\([1, 2])", ([.list[] | tostring] | join("-"))'),
  jq("-c", 'ascii_downcase? // "no"'),
  jq("-c", "[.obj.a[] | .k // 0], (.list | first, last), (.list | IN(3)), ([combinations?] | length)"),
  jq(
    "-c",
    '[.list | to_entries[] | "\\(.key):\\(.value)"], (.list | map_values(. + 1)), ({} | .a.b.c = 1), ([] | .[2] = 1)',
  ),
  jq(
    "-c",
    'splits(", *")?, ([1,2,3] | .[1:] = [9]), ([3,1] | implode?), (tostream | select(length == 2) | .[0] | length) ',
  ),
  { ...jq("-s", "-c", "."), stdin: "1 2 [3]" },
  { ...jq("-R", "."), stdin: "a\nb\n" },
  { ...jq("-Rs", "."), stdin: "a\nb\n" },
  { ...jq("-Rn", "-c", "[inputs]"), stdin: "a\nb\n" },
  { ...jq("."), stdin: '1 2\n"a\\u00e9\\n" {"10":1,"2":2}' },
  { ...jq("-c", ".a", "f", "g"), files: { f: '{"a":1}', g: '{"a":[2]}' } },
  { ...jq(".", "missing") },
  { ...jq("-f", "p.jq", "-c"), files: { "p.jq": "# comment\n.list\n| map(. + 1)\n" } },
]);

Deno.test("jq names what is wrong", async () => {
  await inFolder({}, async (cwd) => {
    assertEquals(
      (await run(["jq", ".a"], { cwd, stdin: "[1]" })).stderr,
      'jq: error (at <stdin>:0): Cannot index array with "a"\n',
    );
    assertEquals(
      (await run(["jq", "-C", "."], { cwd, stdin: "1" })).stderr,
      "jq: option -C is not supported here\n",
    );
  });
});

Deno.test("jq ends an array that outgrows memory with an error", async () => {
  await inFolder({}, async (cwd) => {
    const { status, stderr } = await run(["jq", "-n", "[range(1e9)] | length"], { cwd });
    assertEquals([status, stderr], [
      5,
      "jq: error (at <unknown>): Array too large: cannot allocate memory\n",
    ]);
  });
});
