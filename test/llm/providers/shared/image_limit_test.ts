import { assert, assertEquals } from "@std/assert";
import type { Message } from "../../../../src/llm/message.ts";
import { imagesRefused, limitImages } from "../../../../src/llm/providers/shared/image_limit.ts";

const shot = (n: number): Message => ({
  role: "tool_result",
  callId: `c${n}`,
  name: "read",
  isError: false,
  parts: [{ type: "text", text: `${n}` }, { type: "image", mediaType: "image/png", data: "AAAA" }],
});
const images = (messages: readonly Message[]) =>
  messages.flatMap((one) =>
    one.role === "tool_result" ? one.parts.filter(({ type }) => type === "image") : []
  )
    .length;

Deno.test("limitImages() leaves out the oldest, in steps, so that a history that grows keeps its beginning", () => {
  const all = Array.from({ length: 40 }, (_, n) => shot(n));
  let breaks = 0;
  for (let length = 1; length < all.length; length++) {
    const now = limitImages(all.slice(0, length), 8);
    const next = limitImages(all.slice(0, length + 1), 8);
    assert(images(now) <= 8 && images(next) <= 8);
    assert(images(next) >= Math.min(length + 1, 5), "more are left out than need be");
    if (now.some((message, at) => next[at] !== message)) breaks++;
  }
  assertEquals(breaks, 8);
  assertEquals(limitImages(all, undefined), all);
});

Deno.test("limitImages() keeps some where one message holds too many", () => {
  const many: Message = {
    role: "tool_result",
    callId: "c",
    name: "read",
    isError: false,
    parts: Array.from({ length: 9 }, () => ({ type: "image", mediaType: "image/png", data: "AAAA" })),
  };
  assertEquals(images(limitImages([many], 8)), 5);
  assertEquals(limitImages([many], 8), limitImages([many], 8));
});

Deno.test("imagesRefused() reads how many images a server takes", () => {
  for (
    const [text, most] of [
      ["Too many images provided. This model supports up to 5 images", 5],
      ["At most 1 image(s) may be provided in one request.", 1],
      ["messages: Too much media: 0 document pages + 101 images > 100", 100],
      ["Too many images in request. Max is 50.", 50],
      ["this model does not support images", undefined],
      ["max_tokens must be at most 100", undefined],
      ["image exceeds 5 MB maximum: 9 MB > 5 MB", undefined],
    ] as const
  ) assertEquals(imagesRefused(text), most, text);
});
