import { assertEquals, assertStringIncludes } from "@std/assert";
import { createApprovals, createPermits, type PermitAnswer } from "../../src/sandbox/permits.ts";
import type { Action, Policy } from "../../src/sandbox/policy.ts";

function policy(changes: Partial<Policy> = {}): Policy {
  return {
    mode: "workspace",
    workspace: "/ws",
    readRoots: [],
    writeRoots: [],
    tempDir: "/tmp/x",
    home: "/home/u",
    protectedPaths: ["**/.envrc"],
    net: [],
    exec: "ask",
    approve: "ask",
    rules: { allow: [], ask: [], deny: ["run(git push --force *)"] },
    ...changes,
  };
}

const run = (...argv: string[]): Action => ({
  kind: "run",
  argv,
  program: `/usr/bin/${argv[0]}`,
  cwd: "/ws",
});
const never = new AbortController().signal;

function asking(answers: readonly PermitAnswer[], changes: Partial<Policy> = {}) {
  const asked: (string | undefined)[] = [];
  const decided: string[] = [];
  let next = 0;
  const permits = createPermits({
    policy: policy(changes),
    approve: (request) => {
      asked.push(request.suggestion);
      return Promise.resolve(answers[next++] ?? { allow: false });
    },
    decided: (request, answer, by) =>
      decided.push(`${request.summary}: ${answer.allow ? "yes" : "no"}, ${by}`),
  });
  return { asked, decided, permit: (action: Action) => permits(action, "c", never) };
}

Deno.test("permits: once is once; for the session covers what the suggested rule covers, and nothing a rule denies", async () => {
  const { asked, decided, permit } = asking([{ allow: true }, { allow: true, scope: "session" }]);
  assertEquals(await permit(run("git", "push", "a")), undefined);
  assertEquals(await permit(run("git", "push", "a")), undefined);
  assertEquals(await permit(run("git", "push", "b", "--tags")), undefined);
  assertEquals(asked, ["run(git push *)", "run(git push *)"]);
  assertStringIncludes(await permit(run("git", "push", "--force", "b")) ?? "", "permissions.deny");
  assertStringIncludes(await permit(run("git", "commit")) ?? "", "refused by the user");
  assertEquals(decided, [
    "run git push a: yes, person",
    "run git push a: yes, person",
    "run git push b --tags: yes, session",
    "run git push --force b: no, run(git push --force *)",
    "run git commit: no, person",
  ]);
});

Deno.test("permits: where no rule is narrow enough, an answer for the session covers exactly that command", async () => {
  const { asked, permit } = asking([{ allow: true, scope: "session" }]);
  const script = (text: string) => run("python3", "-c", text);
  assertEquals(await permit(script("print(1)")), undefined);
  assertEquals(await permit(script("print(1)")), undefined);
  assertEquals(typeof await permit(script("print(2)")), "string");
  assertEquals(asked, [undefined, undefined]);
});

Deno.test("permits: a refusal carries the user's word to the model", async () => {
  const { permit } = asking([{ allow: false, reason: "use the staging branch" }]);
  assertStringIncludes(await permit(run("git", "push")) ?? "", "who says: use the staging branch");
});

Deno.test("permits: answers are shared among those that share a memory", async () => {
  const approvals = createApprovals();
  const approve = () => Promise.resolve({ allow: true, scope: "session" } as const);
  await createPermits({ policy: policy(), approve, approvals })(run("make", "all"), "c", never);
  const refusing = () => Promise.reject(new Error("must not be asked"));
  const other = createPermits({ policy: policy(), approve: refusing, approvals });
  assertEquals(await other(run("make", "all", "-j4"), "c", never), undefined);
});

Deno.test("permits: a yes for the session opens one protected file, not its neighbours; always opens none", async () => {
  const { permit } = asking([{ allow: true, scope: "session" }]);
  const write = (path: string): Action => ({ kind: "write", path });
  assertEquals(await permit(write("/ws/.envrc")), undefined);
  assertEquals(await permit(write("/ws/.envrc")), undefined);
  assertEquals(typeof await permit(write("/ws/sub/.envrc")), "string");
  const always = createPermits({ policy: policy({ approve: "always" }) });
  assertStringIncludes(await always(write("/ws/.envrc"), "c", never) ?? "", "protected");
  assertEquals(await always(run("make"), "c", never), undefined);
});
