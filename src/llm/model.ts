/** A model as data: what it can do and what it costs. Code never branches on a model's name. */

/** Of one kind of tokens each: `input` is the price of what came from no cache. */
export interface Cost {
  /** US dollars per million tokens. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Prices that hold for all tokens of a request whose input is larger than `above`. */
export interface CostTier extends Cost {
  /** Input tokens, cached ones included. */
  readonly above: number;
}

/**
 * How a thinking level is said to a model. "effort": by name; "budget": as a
 * number of tokens; "adaptive": the model decides how long, the name how hard.
 */
type ThinkingForm = "effort" | "budget" | "adaptive";

/** A model as data. */
export interface Model {
  /** Name of the provider entry in the settings, such as "local" or "openai". */
  readonly provider: string;
  /** The id that is sent to the server. */
  readonly id: string;
  /** Tokens; undefined where nobody said. */
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  readonly reasoning: boolean;
  readonly images: boolean;
  /** It reads documents such as PDFs. Absent: no. */
  readonly documents?: boolean;
  /** Absent: as the protocol does by default. */
  readonly thinkingForm?: ThinkingForm;
  /** What a level is called, where not by its own name; null: the model has no such level. */
  readonly thinkingLevels?: Readonly<Record<string, string | null>>;
  /** It takes a JSON Schema for its answer in the protocol's own form. Absent: as the server's kind does. */
  readonly structured?: boolean;
  /** Calls that arrive as text are taken as calls. */
  readonly textToolCalls?: boolean;
  /** By rising `above`. */
  readonly costTiers?: readonly CostTier[];
  /** Undefined: unknown, which is not free. */
  readonly cost?: Cost;
  /** Passed through to the request body as they are (temperature and the like). */
  readonly options: Readonly<Record<string, unknown>>;
}

/** "provider/id", as users write it. */
export function modelName(model: Model): string {
  return `${model.provider}/${model.id}`;
}
