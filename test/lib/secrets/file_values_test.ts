import { assert, assertEquals } from "@std/assert";
import { isSecretFile, secretsIn } from "../../../src/lib/secrets/mod.ts";

const valuesOf = (text: string, name = ".env") => secretsIn(text, name).map(({ value }) => value);

Deno.test("secretsIn() takes the secrets of a .env file, and not its settings", () => {
  const text = `# a comment with PASSWORD=notthis1
PORT=3000
NODE_ENV=production
LOG_FORMAT=json-pretty
AWS_REGION=us-east-1
APP_URL=https://example.org/app
DEBUG=true
SMTP_FROM=me@example.org
DB_PASSWORD=hunter2
export API_TOKEN="quoted value 1" # trailing
SESSION_SECRET='single#quoted'
ODD=CANARY-15-abc
DATABASE_URL=postgres://app:pa55w0rd@db:5432/x
EMPTY=
PLACE_TOKEN=changeme
KEY_FILE=./certs/server.key
`;
  assertEquals(valuesOf(text), [
    "hunter2",
    "quoted value 1",
    "single#quoted",
    "CANARY-15-abc",
    "pa55w0rd",
    "postgres://app:pa55w0rd@db:5432/x",
  ]);
});

Deno.test("secretsIn() reads the other forms in which secrets are kept", () => {
  const table: [string, string][] = [
    ["machine example.org login me password netrc-canary-1", "netrc-canary-1"],
    ["//packages.example.org/:_authToken=npm-canary-22", "npm-canary-22"],
    ["[default]\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI/K7MDENG"],
    ["https://me:git-canary-3@example.org", "git-canary-3"],
    ["db:\n  password: yaml-canary-4\n", "yaml-canary-4"],
    ['{"auths": {"h": {"auth": "ZG9ja2VyOmNhbmFyeQ=="}}}', "ZG9ja2VyOmNhbmFyeQ=="],
    ['{\n  "private_key_id": "0123456789abcdef",\n  "client_secret": "json-canary-5"\n}', "json-canary-5"],
    [
      'KEY="-----BEGIN X-----\nline-canary-6\n-----END X-----"',
      "-----BEGIN X-----\nline-canary-6\n-----END X-----",
    ],
    [
      `-----BEGIN ${"PRIVATE"} KEY-----\nMIICANARYCANARYCANARYCANARY7\n-----END`,
      "MIICANARYCANARYCANARYCANARY7",
    ],
  ];
  for (const [text, wanted] of table) assert(valuesOf(text).includes(wanted), `${text}: ${valuesOf(text)}`);
});

Deno.test("secretsIn() leaves ordinary words alone, which would be met everywhere", () => {
  const text =
    "APP_NAME=MyGreatProject\nDB_USER=postgres\nDB_PASSWORD=postgres\nTITLE=Our-Web Shop\nSESSION_SECRET=development\n";
  assertEquals(valuesOf(text), []);
  // In a file that holds more than secrets only the name tells.
  const hosts =
    "github.com:\n    user: some-user-77\n    oauth_token: gho-canary-1234\n    git_protocol: https\n";
  assertEquals(valuesOf(hosts, "hosts.yml"), ["gho-canary-1234"]);
  assertEquals(valuesOf("odd: some-user-77X", "secrets.yml"), ["some-user-77X"]);
});

Deno.test("isSecretFile() knows them by name, examples apart", () => {
  for (
    const name of [".env", ".env.local", "prod.env", "secrets.yaml", "id_ed25519", "server.pem", "x.tfvars"]
  ) {
    assert(isSecretFile(name), name);
  }
  for (
    const name of [".env.example", ".env.sample", "environment.ts", "id_rsa.pub", "secrets.md", "keys.ts"]
  ) {
    assert(!isSecretFile(name), name);
  }
});
