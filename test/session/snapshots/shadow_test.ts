import { assertEquals } from "@std/assert";
import { ObjectStore } from "../../../src/session/snapshots/object_store.ts";
import { type Difference, type Remembered, Shadow } from "../../../src/session/snapshots/shadow.ts";
import { inFolder } from "../sample.ts";

const LIMITS = { fileBytes: 100, totalBytes: 1000, files: 20, ignoredFiles: 5 };

async function inShadow(
  body: (folder: string, shadow: Shadow, store: ObjectStore) => Promise<void> | void,
): Promise<void> {
  await inFolder(async (made) => {
    const root = await Deno.realPath(made);
    const folder = `${root}/w`;
    Deno.mkdirSync(folder);
    const store = new ObjectStore(`${root}/objects`);
    try {
      await body(folder, new Shadow(folder, store, LIMITS), store);
    } finally {
      store.close();
    }
  });
}

const brief = (differences: readonly Difference[], folder: string) =>
  differences.map(({ path, before, after }) =>
    `${path.slice(folder.length + 1)}: ${before?.type ?? "nothing"} -> ${after?.type ?? "nothing"}`
  ).sort();

Deno.test("Shadow.look() tells what was made, changed and removed, once", () =>
  inShadow(async (folder, shadow) => {
    Deno.mkdirSync(`${folder}/d/e`, { recursive: true });
    for (const name of ["a", "b", "d/c", "d/e/f"]) Deno.writeTextFileSync(`${folder}/${name}`, name);
    await shadow.prepare();
    assertEquals(shadow.look(), []);
    Deno.removeSync(`${folder}/d`, { recursive: true });
    Deno.writeTextFileSync(`${folder}/a`, "A");
    Deno.symlinkSync("a", `${folder}/link`);
    Deno.mkdirSync(`${folder}/new`);
    Deno.chmodSync(`${folder}/b`, 0o700);
    assertEquals(brief(shadow.look(), folder), [
      "a: file -> file",
      "b: file -> file",
      "d/c: file -> nothing",
      "d/e/f: file -> nothing",
      "d/e: folder -> nothing",
      "d: folder -> nothing",
      "link: nothing -> link",
      "new: nothing -> folder",
    ]);
    assertEquals(shadow.look(), []);
  }));

Deno.test("Shadow.look() sees a change in the same moment, of the same length", () =>
  inShadow(async (folder, shadow) => {
    Deno.writeTextFileSync(`${folder}/a`, "0");
    await shadow.prepare();
    for (let n = 1; n < 200; n++) {
      Deno.writeTextFileSync(`${folder}/a`, String(n % 10));
      assertEquals(shadow.look().length, 1, `change ${n}`);
    }
  }));

Deno.test("Shadow.look() tells kinds that take each other's place", () =>
  inShadow(async (folder, shadow) => {
    Deno.mkdirSync(`${folder}/x`);
    Deno.writeTextFileSync(`${folder}/x/in`, "in");
    Deno.writeTextFileSync(`${folder}/y`, "y");
    await shadow.prepare();
    Deno.removeSync(`${folder}/x`, { recursive: true });
    Deno.removeSync(`${folder}/y`);
    Deno.writeTextFileSync(`${folder}/x`, "x");
    Deno.mkdirSync(`${folder}/y`);
    Deno.writeTextFileSync(`${folder}/y/in`, "in");
    assertEquals(brief(shadow.look(), folder), [
      "x/in: file -> nothing",
      "x: folder -> file",
      "y/in: nothing -> file",
      "y: file -> folder",
    ]);
  }));

Deno.test("Shadow watches nothing where there are too many files", () =>
  inShadow(async (folder, shadow) => {
    for (let n = 0; n < 30; n++) Deno.writeTextFileSync(`${folder}/${n}`, "x");
    await shadow.prepare();
    assertEquals([shadow.overflowed, shadow.look()], [true, []]);
  }));

Deno.test("Shadow keeps contents up to the limits, and knows of the rest that it changed", () =>
  inShadow(async (folder, shadow) => {
    for (let n = 0; n < 15; n++) Deno.writeTextFileSync(`${folder}/f${n}`, String(n).padEnd(90));
    Deno.writeTextFileSync(`${folder}/large`, "x".repeat(200));
    await shadow.prepare();
    const kept = [...shadow.kept()].length;
    assertEquals(kept > 5 && kept < 12, true);
    for (const name of ["f0", "f14", "large"]) Deno.writeTextFileSync(`${folder}/${name}`, "changed");
    const changed = shadow.look();
    assertEquals(changed.map(({ path }) => path.slice(folder.length + 1)).sort(), ["f0", "f14", "large"]);
    assertEquals(changed.find(({ path }) => path.endsWith("large"))?.before?.type, "unkept");
  }));

Deno.test("Shadow.prepare() reads only what has changed since an earlier process", () =>
  inShadow(async (folder, shadow, store) => {
    for (const name of ["a", "b"]) Deno.writeTextFileSync(`${folder}/${name}`, name);
    const old = new Date(Date.now() - 60_000);
    // Times lie back, but not the one of the last change of the entry: that has to pass.
    for (const name of ["a", "b"]) Deno.utimeSync(`${folder}/${name}`, old, old);
    await shadow.prepare();
    const lines: Remembered[] = shadow.news();
    assertEquals(lines.map((line) => line[0].slice(folder.length + 1)).sort(), ["a", "b"]);
    Deno.writeTextFileSync(`${folder}/b`, "B");
    const next = new Shadow(folder, store, LIMITS);
    next.remember(lines);
    await next.prepare();
    const hashes = new Map([...next.kept()].map(([path, { hash }]) => [path.slice(folder.length + 1), hash]));
    assertEquals(new TextDecoder().decode(store.get(hashes.get("b")!)), "B");
    assertEquals(hashes.get("a"), lines.find((line) => line[0].endsWith("/a"))?.[6]);
  }));
