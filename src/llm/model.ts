/** A model as data: what it can do and what it costs. Code never branches on a model's name. */

export interface Cost {
  /** US dollars per million tokens. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

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
  /** Undefined: unknown, which is not free. */
  readonly cost?: Cost;
  /** Passed through to the request body as they are (temperature and the like). */
  readonly options: Readonly<Record<string, unknown>>;
}

/** "provider/id", as users write it. */
export function modelName(model: Model): string {
  return `${model.provider}/${model.id}`;
}
