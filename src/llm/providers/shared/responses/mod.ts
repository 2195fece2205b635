/** The door of the Responses codec: shared by every transport of the protocol. */
import type { LlmError } from "../../../errors.ts";
import type { Protocol } from "../exchange.ts";
import { imagesRefused } from "../image_limit.ts";
import { thinkingNotices } from "../thinking.ts";
import { encode, type ResponsesForm } from "./encode.ts";

export type { ResponsesForm };

/** What a provider of this protocol remembers. */
export interface ResponsesState {
  form: ResponsesForm;
  structured: boolean;
}

interface Lesson {
  readonly wording: RegExp;
  readonly patch: Partial<ResponsesForm>;
  readonly notice?: string;
}

/** What refusals teach. */
const LESSONS: readonly Lesson[] = [
  { wording: /instructions/i, patch: { system: "item" } },
  { wording: /max_output_tokens/i, patch: { maxOutput: false } },
  { wording: /summary|verified to generate reasoning/i, patch: { summaries: false } },
  {
    wording: /reasoning[._ ]?effort|reasoningEffort/i,
    patch: { effort: false },
    notice: "The server refuses the thinking level: it is not sent",
  },
  { wording: /prompt_cache_key/i, patch: { cacheKey: false } },
];

/** The parts of a protocol that all transports have in common. */
export const responsesCodec: Pick<
  Protocol<ResponsesState>,
  "encode" | "decoder" | "notices" | "learn" | "native"
> = {
  encode: (request, { form }) => encode(request, form),
  async decoder(options) {
    const { ResponsesDecoder } = await import("./decode.ts");
    return new ResponsesDecoder(options);
  },
  native: ({ model }, { structured }) => model.structured ?? structured,
  notices: thinkingNotices,
  learn(error: LlmError, _request, state) {
    if (error.code !== "bad_request") return undefined;
    if (state.structured && /json_schema|text\.format/i.test(error.message)) {
      state.structured = false;
      return "";
    }
    const most = imagesRefused(error.message);
    if (most !== undefined && most > 0 && most !== state.form.maxImages) {
      state.form = { ...state.form, maxImages: most };
      return `The server takes no more than ${most} images: the oldest are left out`;
    }
    for (const { wording, patch, notice } of LESSONS) {
      const news = Object.entries(patch).some(([key, value]) =>
        state.form[key as keyof ResponsesForm] !== value
      );
      if (!news || !wording.test(error.message)) continue;
      state.form = { ...state.form, ...patch };
      return notice ?? "";
    }
    return undefined;
  },
};
