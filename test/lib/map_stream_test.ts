import { assertEquals, assertRejects } from "@std/assert";
import { mapStream } from "../../src/lib/map_stream.ts";

interface Item {
  readonly n: number;
}

async function* counted(to: number, left: () => void = () => {}): AsyncGenerator<Item> {
  try {
    for (let n = 1; n <= to; n++) yield await Promise.resolve({ n });
  } finally {
    left();
  }
}

async function numbers(stream: AsyncIterable<Item>): Promise<number[]> {
  return (await Array.fromAsync(stream)).map(({ n }) => n);
}

Deno.test("mapStream() hands on what is the same, another item, several or none, in order", async () => {
  const changed = mapStream(counted(5), (item) => {
    if (item.n === 2) return { n: 20 };
    if (item.n === 3) return [];
    if (item.n === 4) return [{ n: 40 }, item, { n: 41 }];
    return item;
  });
  assertEquals(await numbers(changed), [1, 20, 40, 4, 41, 5]);
});

Deno.test("mapStream() leaves its source when it is left, and tells its reader of what is thrown", async () => {
  let left = 0;
  for await (const { n } of mapStream(counted(5, () => left++), (item) => item)) if (n === 2) break;
  assertEquals(left, 1);
  const bad = mapStream(counted(5), (item) => {
    if (item.n === 2) throw new Error("no two");
    return item;
  });
  await assertRejects(() => numbers(bad), Error, "no two");
});
