import { assertEquals } from "@std/assert";
import { knownSecrets } from "../../src/config/known_secrets.ts";
import { withHome } from "./home.ts";

const SECRET = "s3cr3t-Value-9f8e7d6c5b4a";

Deno.test("knownSecrets().news() finds a file that was not there at the last look, however old the folder was", () =>
  withHome({}, async ({ project, load }) => {
    const known = knownSecrets(await load(), project, {});
    const old = new Date(Date.now() - 60_000);
    await Deno.utime(project, old, old);
    assertEquals([known.news(true), known.news(true)], [[], []]);
    await Deno.writeTextFile(`${project}/.env.local`, `API_TOKEN=${SECRET}\n`);
    assertEquals(known.news(true).map(({ value }) => value), [SECRET]);
    assertEquals(known.news(true), []);
  }));

Deno.test("knownSecrets().news() finds a file that was there and could not be taken at the last look", () =>
  withHome({ "project/.env": "#".repeat(300 * 1024) }, async ({ project, load }) => {
    const known = knownSecrets(await load(), project, {});
    const old = new Date(Date.now() - 60_000);
    await Deno.utime(project, old, old);
    assertEquals([known.news(true), known.news(true)], [[], []]);
    // In place: the names in the folder stay as they are.
    await Deno.writeTextFile(`${project}/.env`, `API_TOKEN=${SECRET}\n`);
    assertEquals(known.news(true).map(({ value }) => value), [SECRET]);
  }));
