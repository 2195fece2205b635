/** hostname: name of the machine. */
import type { UtilityContext } from "../builtin.ts";
import { Failure, parseOptions } from "./shared/options.ts";

const TABLE = {
  options: ["s|short", "f|fqdn|long"],
  unsupported: ["i|ip-address", "I|all-ip-addresses", "d|domain", "A|all-fqdns", "F|file="],
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length > 0) throw new Failure("you must be root to change the host name");
  const { hostname } = context.host;
  await context.stdout.print((options.has("s") ? hostname.split(".")[0] : hostname) + "\n");
  return 0;
}
