/**
 * The bridge between the programs' network, which leads nowhere, and the proxy
 * in the main process: a process of its own that stands in that network and
 * outside of all else, listens there on loopback and passes each connection on
 * to a socket file. It decides nothing, and ends with its input.
 */
import { close, pump } from "./proxy.ts";

/** The word that makes the program this, as its first argument. */
export const RELAY_WORD = "__relay";

/** Tells its port on its output, then serves up to the end of its input. */
export async function relay(socket: string): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  console.log((listener.addr as Deno.NetAddr).port);
  void (async () => {
    for await (const client of listener) void pass(client, socket);
  })();
  const buffer = new Uint8Array(1);
  while (await Deno.stdin.read(buffer) !== null);
  listener.close();
}

async function pass(client: Deno.Conn, socket: string): Promise<void> {
  let server: Deno.Conn | undefined;
  try {
    server = await Deno.connect({ transport: "unix", path: socket });
    await Promise.all([pump(client, server), pump(server, client)]);
  } catch {
    // Told to nobody: the program sees its connection end.
  } finally {
    close(client);
    if (server) close(server);
  }
}
