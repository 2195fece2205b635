import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Tree } from "../../src/session/tree.ts";

const entry = (id: string, parentId: string | null) => ({ kind: "x", id, parentId, at: "" });
const ids = (tree: Tree) => tree.path().map(({ id }) => id);

Deno.test("Tree.path() is the chain of parents of the last entry", () => {
  const tree = new Tree();
  for (const [id, parent] of [["a", null], ["b", "a"], ["c", "b"], ["d", "b"], ["e", "d"]] as const) {
    tree.add(entry(id, parent));
  }
  assertEquals(ids(tree), ["a", "b", "d", "e"]);
  assertEquals(tree.leaf, "e");
  assertEquals(tree.pathTo("c").map(({ id }) => id), ["a", "b", "c"]);
  assertEquals(tree.size, 5);
});

Deno.test("Tree.add() takes the entry before it for a parent that is not there, a later one or itself", () => {
  for (const missing of ["gone", "c", "b"]) {
    const tree = new Tree();
    tree.add(entry("a", null));
    assertEquals(tree.add(entry("b", missing)), "adopted");
    tree.add(entry("c", "b"));
    assertEquals(ids(tree), ["a", "b", "c"]);
  }
});

Deno.test("Tree.add() keeps the first of two entries with one id", () => {
  const tree = new Tree();
  tree.add(entry("a", null));
  tree.add(entry("b", "a"));
  assertEquals(tree.add(entry("a", "b")), "duplicate");
  assertEquals(ids(tree), ["a", "b"]);
});

Deno.test("Tree.path() ends at the leaf and has no cycle, whatever parents the entries name", () => {
  fc.assert(fc.property(fc.array(fc.tuple(fc.nat(12), fc.option(fc.nat(12)))), (rows) => {
    const tree = new Tree();
    for (const [id, parent] of rows) tree.add(entry(String(id), parent === null ? null : String(parent)));
    const path = ids(tree);
    assertEquals(new Set(path).size, path.length);
    assertEquals(path.at(-1) ?? null, tree.leaf);
    assertEquals(path, tree.pathTo(tree.leaf).map(({ id }) => id));
  }));
});
