import { assertEquals } from "@std/assert";
import { partsShown } from "../../../src/ui/shared/transcript.ts";

Deno.test("partsShown() shows every part of a prompt where it stands: text, pastes, paths, and what was handed over by its name", () => {
  assertEquals(
    partsShown([
      { type: "text", text: "Compare " },
      { type: "file", path: "docs/design.png" },
      { type: "text", text: " with" },
      { type: "content", name: "notes.log", data: "eA==" },
      { type: "paste", text: "and this" },
      { type: "image", mediaType: "image/png", data: "AA==" },
    ]),
    { text: "Compare docs/design.png with [notes.log] and this", images: 1 },
  );
});
