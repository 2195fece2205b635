/** The relay as a program of its own, where myelin runs from its sources. */
import { relay } from "./relay.ts";

await relay(Deno.args[0]);
Deno.exit(0);
