/** A program of its own that needs the kept key of "x": prints it. Arguments: the file, the time that it takes for now. */
import { keptKey } from "../../../src/config/auth/kept.ts";
import { REAL } from "../../../src/config/auth/token.ts";

const [path, now] = Deno.args;
console.log(await keptKey(path, "x", { ...REAL, now: () => Number(now) }).get());
