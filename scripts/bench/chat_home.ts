/** Folders for a chat that is measured: a home whose settings name a server on this machine, and a workspace. */

/** Makes them below `root`. `settings` stand beside the model. */
export async function makeChatHome(
  root: string,
  { port, maxOutput, settings = {} }: {
    readonly port: number;
    readonly maxOutput: number;
    readonly settings?: Readonly<Record<string, unknown>>;
  },
): Promise<{ readonly home: string; readonly cwd: string }> {
  const home = `${root}/home`;
  const cwd = `${root}/ws`;
  await Deno.mkdir(`${home}/.myelin`, { recursive: true });
  await Deno.mkdir(cwd);
  await Deno.writeTextFile(
    `${home}/.myelin/settings.json`,
    JSON.stringify({
      ...settings,
      model: "mock/one",
      providers: {
        mock: {
          api: "openai-completions",
          baseUrl: `http://127.0.0.1:${port}/v1`,
          apiKey: "$MOCK_KEY",
          models: { one: { contextWindow: 10_000_000, maxOutput } },
        },
      },
    }),
  );
  return { home, cwd };
}
