/** `myelin auth`: keys and logins that the program keeps for the user. */
import { type NestedCommand, runNested } from "../../nested.ts";

const commands: readonly NestedCommand[] = [
  {
    name: "login",
    spec: {
      usage: "auth login [options] [PROVIDER]",
      ownWords: true,
      summary: "keep an API key, or log in to a subscription (openai-codex, xai)",
      options: [
        {
          name: "key",
          help: "an API key, also where a login is offered; read from a terminal or from stdin",
        },
        { name: "device", help: "log in with a code on another device instead of a browser here" },
        { name: "check", help: "ask the server once whether the key is good before it is kept" },
      ],
      more:
        `The key is never an argument: others could read it there. It is asked for without an echo, or piped in:
  pass show openai | myelin auth login openai

Kept in auth.json of the home folder, which only you can read.`,
    },
    run: async (parsed) => await (await import("./login.ts")).login(parsed),
  },
  {
    name: "logout",
    spec: { usage: "auth logout PROVIDER", summary: "forget what is kept for a provider", options: [] },
    run: async (parsed) => await (await import("./login.ts")).logout(parsed),
  },
  {
    name: "status",
    spec: {
      usage: "auth status [--json]",
      summary: "which providers have a key, and where it comes from; never the key",
      options: [{ name: "json", help: "for scripts" }],
    },
    run: async (parsed) => await (await import("./status.ts")).status(parsed),
  },
];

export function run(args: string[]): Promise<number> {
  return runNested("auth", "Keys and logins:", commands, args);
}
