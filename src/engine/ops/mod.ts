/** The table of ops: one function each. */
import type { EngineDeps } from "../deps.ts";
import type { Op } from "../op.ts";
import { answer } from "./answer.ts";
import { approve } from "./approve.ts";
import { compact, shake } from "./compact.ts";
import { interrupt } from "./interrupt.ts";
import { model, thinking } from "./model.ts";
import { label, title } from "./name.ts";
import { navigate } from "./navigate.ts";
import { prompt } from "./prompt.ts";
import { followUp, steer, unqueue } from "./say.ts";
import { undo } from "./undo.ts";

type Table = { readonly [Type in Op["type"]]: (op: Op & { type: Type }, deps: EngineDeps) => Promise<void> };

export const ops: Table = {
  prompt,
  steer,
  follow_up: followUp,
  unqueue,
  interrupt,
  approve,
  answer,
  undo,
  redo: undo,
  navigate,
  title,
  label,
  model,
  thinking,
  compact,
  shake,
};
