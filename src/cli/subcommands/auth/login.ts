/** `auth login` and `auth logout`. */
import {
  changeCredential,
  type Config,
  ConfigError,
  homePaths,
  KNOWN,
  loadConfig,
  loadLogins,
  type LoginServer,
  type ProviderEntry,
  providers,
  readCredentials,
} from "../../../config/mod.ts";
import { AppError } from "../../../lib/errors.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { stripControls } from "../../../lib/text/control.ts";
import { type Parsed, UsageError } from "../../args.ts";
import { EXIT } from "../../exit_codes.ts";
import { readHidden } from "../../hidden_input.ts";
import { workspaceOf } from "../../workspace.ts";

export async function login(parsed: Parsed): Promise<number> {
  const config = await loadConfig({ cwd: workspaceOf() });
  const { LOGIN_SERVERS } = await loadLogins();
  const name = chosen(parsed, config, LOGIN_SERVERS);
  const server = LOGIN_SERVERS.find((one) => one.provider === name);
  const onlyLogin = server !== undefined && KNOWN.some((one) => one.name === name && one.key === undefined);
  if (parsed.has("device") && server === undefined) {
    throw new UsageError(`Provider "${name}" has no login, only API keys`, `Leave --device out`);
  }
  if (parsed.has("key") && onlyLogin) {
    throw new UsageError(`Provider "${name}" takes no API key, only a login`, `Leave --key out`);
  }
  // A piped key says what is meant; at a terminal a subscription is what a login is for.
  const piped = !Deno.stdin.isTerminal() && !parsed.has("device");
  if (server === undefined || parsed.has("key") || (piped && !onlyLogin)) {
    return await keepKey(name, parsed, config);
  }
  return await subscribe(server, parsed);
}

/** The provider that is meant. */
function chosen(parsed: Parsed, config: Config, servers: readonly LoginServer[]): string {
  const [name, extra] = parsed.positionals;
  const names = [
    ...new Set([...Object.keys(config.settings.providers), ...KNOWN.map((one) => one.name)]),
  ];
  const logins = servers.map((one) => one.provider).join(" and ");
  if (name === undefined) {
    throw new UsageError(
      "Log in to what?",
      `Providers: ${names.join(", ")} (subscriptions: ${logins}). Such as: myelin auth login anthropic`,
    );
  }
  if (extra !== undefined) {
    throw new UsageError(
      "A key is never an argument: others could read it there",
      `Only: myelin auth login ${name}. The key is asked for, or piped in`,
    );
  }
  if (names.includes(name)) return name;
  const near = nearest(name, names);
  throw new UsageError(
    `Unknown provider "${name}"`,
    `${near === undefined ? "" : `Did you mean "${near}"? `}Providers: ${
      names.join(", ")
    }; others are named ` +
      `in the settings`,
  );
}

async function keepKey(name: string, parsed: Parsed, config: Config): Promise<number> {
  const key = await readHidden(`API key of ${name} (it is not shown): `);
  if (key === "") throw new UsageError("The key is empty: nothing was changed");
  if (/[^\x21-\x7e]/.test(key)) {
    throw new UsageError("That is no key: it has a space or a character that no key has");
  }
  if (parsed.has("check")) await check(name, key, config);
  const path = homePaths().auth;
  await changeCredential(path, name, () => ({ type: "key", key }));
  console.log(stripControls(`Kept the key of ${name} in ${path}`));
  const known = KNOWN.find((one) => one.name === name);
  if (known?.key !== undefined && config.env(known.key) !== undefined) {
    console.error(`! ${known.key} is set too, and counts before it`);
  }
  if (known?.model !== undefined) console.log(`Try it: myelin run -m ${name}/${known.model} "Say hello"`);
  return EXIT.ok;
}

/** One cheap request. Throws what the server says. */
async function check(name: string, key: string, config: Config): Promise<void> {
  const known = KNOWN.find((one) => one.name === name);
  const own = config.settings.providers[name];
  const entry: Partial<ProviderEntry> | undefined = providers(config).get(name);
  const baseUrl = entry?.baseUrl || own?.baseUrl || known?.baseUrl;
  if (baseUrl === undefined || baseUrl === "") {
    throw new UsageError(`Provider "${name}" has no "baseUrl" to check the key at`);
  }
  const { loadModelLister } = await import("../../../llm/mod.ts");
  const { listModels } = await loadModelLister();
  const api = own?.api ?? known?.api ?? "openai-completions";
  await listModels(name, api, {
    baseUrl,
    apiKey: () => Promise.resolve(key),
    headers: entry?.headers ?? {},
    idleTimeoutMs: 15_000,
    keySource: "the key that was typed in",
  });
  console.log(`${name} takes the key.`);
}

async function subscribe(server: LoginServer, parsed: Parsed): Promise<number> {
  const { loginInBrowser, loginWithCode, REAL } = await loadLogins();
  const abort = new AbortController();
  const giveUp = () => abort.abort(new UsageError("Nothing was changed"));
  Deno.addSignalListener("SIGINT", giveUp);
  try {
    const screen = {
      open(url: string) {
        console.error(
          `Log in to ${server.title} in the browser. If none opens, open this address in one here:`,
        );
        console.error(url);
        console.error("(On another machine: myelin auth login --device)");
        openBrowser(url);
      },
      showCode(code: string, url: string) {
        console.error(stripControls(`Open ${url} on any device and type in the code ${code}`));
        console.error("Waiting …");
      },
    };
    const log = parsed.has("device") ? loginWithCode : loginInBrowser;
    const credential = await log(server, screen, REAL, abort.signal);
    const path = homePaths().auth;
    await changeCredential(path, server.provider, () => credential);
    const who = credential.account === undefined ? "" : ` as ${credential.account}`;
    console.log(stripControls(`Logged in to ${server.title}${who}; kept in ${path}`));
    const model = KNOWN.find((one) => one.name === server.provider)?.model;
    if (model !== undefined) console.log(`Try it: myelin run -m ${server.provider}/${model} "Say hello"`);
    return EXIT.ok;
  } catch (error) {
    // A server that refuses is no mistake in the settings.
    if (!(error instanceof ConfigError) || error.code !== "secret") throw error;
    throw new AppError("login", error.message, { cause: error, hint: error.hint });
  } finally {
    Deno.removeSignalListener("SIGINT", giveUp);
  }
}

/** The system's browser; where there is none, the address on the screen must do. */
function openBrowser(url: string): void {
  const [program, ...args] = Deno.build.os === "darwin"
    ? ["open", url]
    : Deno.build.os === "windows"
    ? ["rundll32", "url.dll,FileProtocolHandler", url]
    : ["xdg-open", url];
  try {
    new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn().unref();
  } catch {
    // Said already: the address is on the screen.
  }
}

export async function logout(parsed: Parsed): Promise<number> {
  const [name] = parsed.positionals;
  const path = homePaths().auth;
  const kept = Object.keys(readCredentials(path));
  if (name === undefined) {
    throw new UsageError(
      "Log out of what?",
      kept.length === 0 ? "Nothing is kept" : `Kept: ${kept.join(", ")}`,
    );
  }
  if (!kept.includes(name)) {
    throw new UsageError(
      `Nothing is kept for "${name}"`,
      kept.length === 0 ? undefined : `Kept: ${kept.join(", ")}`,
    );
  }
  await changeCredential(path, name, () => undefined);
  console.log(stripControls(`Forgot what was kept for ${name}`));
  return EXIT.ok;
}
