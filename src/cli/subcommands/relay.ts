/** `myelin __relay SOCKET`: the bridge from the programs' network to the proxy, as a process of its own. */
import { relay } from "../../sandbox/mod.ts";
import { EXIT } from "../exit_codes.ts";

export async function run(args: string[]): Promise<number> {
  await relay(args[0]);
  return EXIT.ok;
}
