/** find: walks trees and tests every entry with an expression. */
import type { UtilityContext } from "../../builtin.ts";
import { cite, complain } from "../shared/report.ts";
import { Actions } from "./actions.ts";
import { parseExpression } from "./expression.ts";
import { Item, type Settings } from "./item.ts";
import { Walker } from "./walk.ts";

export async function run(context: UtilityContext): Promise<number> {
  const args = [...context.args];
  const settings: Settings = {
    follow: "never",
    minDepth: 0,
    maxDepth: Infinity,
    depthFirst: false,
    oneSystem: false,
    regexType: "basic",
    now: context.host.now(),
    dayStart: false,
  };
  while (/^-[HLP]$|^-O\d$|^-D$/.test(args[0] ?? "")) {
    const option = args.shift()!;
    if (option === "-H") settings.follow = "operands";
    else if (option === "-L") settings.follow = "always";
    else if (option === "-P") settings.follow = "never";
    else if (option === "-D") args.shift();
  }
  if (args[0] === "--") args.shift();
  if (args[0] === "--help" || args[0] === "-help") {
    await context.stdout.print(`Usage: ${context.name} [-H] [-L] [-P] [path...] [expression]\n`);
    return 0;
  }
  if (args[0] === "--version" || args[0] === "-version") {
    await context.stdout.print(`${context.name} (GNU compatible, myelin)\n`);
    return 0;
  }
  const roots: string[] = [];
  while (args.length > 0 && !/^(-.|[()!,])/.test(args[0])) roots.push(args.shift()!);
  if (roots.length === 0) roots.push(".");
  const actions = new Actions(context);
  const test = await parseExpression(args, context, settings, actions);
  let failed = false;
  const walker = new Walker(context, settings, test, async (shown, why) => {
    failed = true;
    await complain(context, `${cite(shown)}: ${why}`);
  });
  try {
    for (const root of roots) {
      if (root === "") {
        await complain(context, `${cite("")}: No such file or directory`);
        failed = true;
        continue;
      }
      await walker.run(
        new Item(
          { context, settings, path: context.path(root), shown: root, depth: 0, root },
          undefined,
          undefined,
        ),
      );
      if (walker.quit) break;
    }
    await actions.finish();
  } finally {
    actions.close();
  }
  return failed || actions.failed ? 1 : 0;
}
