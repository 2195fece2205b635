/**
 * The port of this machine that a browser comes back to after a login. It
 * listens on the loopback only, takes one code with the right state, and
 * answers everything else with a page that says nothing.
 */
import { ConfigError } from "../errors.ts";

export interface CodeListener extends AsyncDisposable {
  readonly port: number;
  /** The code that the browser brings. Rejects with what the server says instead, or the signal's reason. */
  code(signal: AbortSignal): Promise<string>;
}

const DONE = "<!doctype html><title>myelin</title><p>You are logged in. This page can be closed.";
const FAILED = "<!doctype html><title>myelin</title><p>The login did not succeed. The terminal says more.";
const page = (html: string, status: number) =>
  new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "referrer-policy": "no-referrer",
      connection: "close",
    },
  });

/** Begins to listen. Throws ConfigError where every port is taken. */
export function listenForCode(
  place: { readonly ports: readonly number[]; readonly path: string },
  state: string,
): CodeListener {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // Whoever waits hears of it; until then it is no failure of the program.
  promise.catch(() => {});
  const server = firstFree(place.ports, (request) => {
    const url = new URL(request.url);
    if (url.pathname !== place.path) return page("", 404);
    if (url.searchParams.get("state") !== state) return page(FAILED, 400);
    const code = url.searchParams.get("code");
    if (code !== null && code !== "") {
      resolve(code);
      return page(DONE, 200);
    }
    const said = url.searchParams.get("error") ?? "";
    const why = /^[\w.-]{1,60}$/.test(said) ? said : "no code";
    reject(new ConfigError("secret", `The login did not succeed (${why})`, { hint: "Try again" }));
    return page(FAILED, 400);
  });
  return {
    port: server.addr.port,
    code(signal) {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (signal.aborted) reject(signal.reason);
      return promise;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function firstFree(
  ports: readonly number[],
  handler: (request: Request) => Response,
): Deno.HttpServer<Deno.NetAddr> {
  for (const port of ports) {
    try {
      return Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, handler);
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
  throw new ConfigError("secret", `The port that the login comes back to (${ports.join(" or ")}) is taken`, {
    hint: "Log in with a code instead: myelin auth login --device",
  });
}
