/** What a jq program may ask of the world. */
import type { Json } from "./json.ts";

export interface World {
  readonly env: Json;
  now(): number;
  next(): Json | undefined;
  poll(): void;
  debug(text: string): void;
  readonly filename: Json;
  readonly arguments: Json;
  zone: ReadonlyMap<string, string>;
}

/** A function of its input and of its arguments' values. */
export type Native = (input: Json, args: readonly Json[], world: World) => Json;
