import { assert } from "@std/assert";
import { cells } from "../../../src/lib/text/width.ts";
import { assertGolden } from "../../support/golden.ts";
import { SCENES } from "./scenes.ts";
import { openVirtual } from "./virtual.ts";

for (const [columns, rows] of [[80, 24], [40, 12]]) {
  for (const { name, options, play } of SCENES) {
    Deno.test(`chat frame: ${name} at ${columns}x${rows}`, async () => {
      await using chat = await openVirtual({ ...options, columns, rows });
      await play?.(chat);
      const screen = await chat.screen();
      for (const line of screen.split("\n")) assert(cells(line) <= columns, line);
      await assertGolden(`tui/${name}.${columns}x${rows}.txt`, screen);
    });
  }
}
