/** Types of what is used of @std/cli/parse-args, whose npm mirror ships none. */

export interface ParseOptions {
  readonly string?: readonly string[];
  readonly boolean?: readonly string[];
  readonly collect?: readonly string[];
  readonly alias?: Readonly<Record<string, string | readonly string[]>>;
  readonly stopEarly?: boolean;
  readonly "--"?: boolean;
  readonly unknown?: (argument: string, key?: string, value?: unknown) => unknown;
}

export function parseArgs(
  args: readonly string[],
  options?: ParseOptions,
): { _: (string | number)[]; [name: string]: unknown };
