import { assertEquals } from "@std/assert";
import { readGitState } from "../../src/context/git_state.ts";
import { git } from "../../src/context/sections/git.ts";
import { memory } from "../../src/context/sections/memory.ts";
import type { PromptInput } from "../../src/context/section.ts";

const zero = "0".repeat(40);
const one = "1".repeat(40);

function inRepository(files: Readonly<Record<string, string>>, work: (folder: string) => void): void {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = `${folder}/${name}`;
      Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      Deno.writeTextFileSync(path, text);
    }
    work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const move = (what: string) => `${zero} ${one} Ann <a@example.org> 1700000000 +0000\t${what}\n`;

Deno.test("readGitState() reads branch, last commits and what is under way, from below the root too", () => {
  const log = [
    "commit (initial): First",
    "checkout: moving from main to topic",
    "commit: Second \x1b[2J",
    "commit (amend): Third",
    "rebase (finish): returning to refs/heads/topic",
    "commit (merge): Merge branch 'x'",
    "reset: moving to HEAD~1",
  ].map(move).join("");
  inRepository({
    ".git/HEAD": "ref: refs/heads/feature/topic\n",
    ".git/logs/HEAD": log,
    ".git/MERGE_HEAD": one,
    "sub/a.txt": "",
  }, (folder) => {
    const state = readGitState(`${folder}/sub`);
    assertEquals(state, {
      branch: "feature/topic",
      underWay: "a merge",
      commits: ["Merge branch 'x'", "Third", "Second ␛[2J"],
    });
    assertEquals(
      git.render({ git: state } as PromptInput),
      "Branch: feature/topic\nUnder way: a merge\nLast commits:\n- Merge branch 'x'\n- Third\n- Second ␛[2J",
    );
  });
});

Deno.test("readGitState() knows worktrees, detached heads and new repositories, and nothing that only looks like one", () => {
  inRepository(
    { ".git/worktrees/w/HEAD": `${one}\n`, "w/.git": "gitdir: ../.git/worktrees/w\n" },
    (folder) => {
      assertEquals(readGitState(`${folder}/w`), { branch: undefined, underWay: undefined, commits: [] });
    },
  );
  inRepository({ ".git/HEAD": "ref: refs/heads/main\n" }, (folder) => {
    assertEquals(readGitState(folder), { branch: "main", underWay: undefined, commits: [] });
  });
  inRepository({ ".git/HEAD": "something else entirely\n" }, (folder) => {
    assertEquals(readGitState(folder), undefined);
  });
  inRepository({ "secret/HEAD": "ref: refs/heads/x\n", "w/.git": "gitdir: ../secret\n" }, (folder) => {
    assertEquals(readGitState(`${folder}/w`), undefined);
  });
});

Deno.test("the section of notes lists titles, bounded, and is left out where there are none", () => {
  assertEquals(memory.render({ notes: [] } as unknown as PromptInput), undefined);
  assertEquals(
    memory.render({ notes: ["Release", "Tests"] } as unknown as PromptInput),
    "Notes from earlier sessions, for the tool memory:\n- Release\n- Tests",
  );
  const many = memory.render({ notes: Array(100).fill("x".repeat(200)) } as unknown as PromptInput)!;
  assertEquals(many.length < 2200 && /… \d+ more$/.test(many), true);
});
