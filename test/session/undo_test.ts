import { assertEquals } from "@std/assert";
import type { AnyEntry, FileState, Payload } from "../../src/session/entry.ts";
import { planUndo, undoHistory } from "../../src/session/undo.ts";
import { chain, submission } from "./sample.ts";

const file = (hash: string): FileState => ({ type: "file", hash, size: 1, mode: 0o644 });
const same = (a: FileState, b: FileState) => JSON.stringify(a) === JSON.stringify(b);
const changes = (...rows: readonly [path: string, before: FileState, after: FileState][]): Payload => ({
  kind: "changes",
  callId: "c",
  files: rows.map(([path, before, after]) => ({ path, before, after })),
  lost: [],
});
const undo = (direction: "undo" | "redo", ...ids: string[]): Payload => ({
  kind: "undo",
  direction,
  changes: ids,
  conflicts: [],
});
const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);
const planOf = (direction: "undo" | "redo", path: readonly AnyEntry[]) =>
  planUndo(undoHistory(path).applied, direction, same);

Deno.test("undoHistory() groups changes by what the user said, and follows undo and redo", () => {
  const path = chain(
    submission("one"),
    changes(["/a", null, file("1")]),
    submission("two"),
    changes(["/a", file("1"), file("2")]),
    changes(["/b", null, file("3")]),
    undo("undo", "e4", "e5"),
    { kind: "undo_end", undo: "e6" },
  );
  const before = undoHistory(path.slice(0, 5));
  assertEquals(before.steps.map((step) => [step.submission, ids(step.changes)]), [["e1", ["e2"]], ["e3", [
    "e4",
    "e5",
  ]]]);
  const after = undoHistory(path);
  assertEquals([ids(after.applied), after.undone.map(ids), after.open], [["e2"], [["e4", "e5"]], undefined]);
  const again = undoHistory([
    ...path,
    ...chain(undo("redo", "e4", "e5")).map((entry) => ({ ...entry, id: "e8" })),
  ]);
  assertEquals([ids(again.applied), again.undone, again.open?.id], [["e2", "e4", "e5"], [], "e8"]);
});

Deno.test("undoHistory() has nothing to redo after a new change", () => {
  const path = chain(
    changes(["/a", null, file("1")]),
    undo("undo", "e1"),
    { kind: "undo_end", undo: "e2" },
    changes(["/b", null, file("2")]),
  );
  const { applied, undone } = undoHistory(path);
  assertEquals([ids(applied), undone], [["e4"], []]);
});

Deno.test("planUndo() goes from the last state to the first, or back", () => {
  const path = chain(changes(["/a", file("0"), file("1")]), changes(["/a", file("1"), null]));
  assertEquals(planOf("undo", path).moves, [{ path: "/a", expected: null, target: file("0") }]);
  assertEquals(planOf("redo", path).moves, [{ path: "/a", expected: file("0"), target: null }]);
});

Deno.test("planUndo() stops at what somebody else has changed in between", () => {
  const path = chain(changes(["/a", file("0"), file("1")]), changes(["/a", file("theirs"), file("2")]));
  const plan = planOf("undo", path);
  assertEquals(plan.moves, [{ path: "/a", expected: file("2"), target: file("theirs") }]);
  assertEquals(plan.conflicts, ["/a"]);
});

Deno.test("planUndo() removes from the bottom and makes from the top", () => {
  const folder: FileState = { type: "folder", mode: 0o755 };
  const path = chain(changes(
    ["/new", null, folder],
    ["/new/in", null, file("1")],
    ["/old", folder, null],
    ["/old/in", file("2"), null],
  ));
  assertEquals(planOf("undo", path).moves.map((move) => move.path), ["/new/in", "/new", "/old", "/old/in"]);
  assertEquals(planOf("redo", path).moves.map((move) => move.path), ["/old/in", "/old", "/new", "/new/in"]);
});
