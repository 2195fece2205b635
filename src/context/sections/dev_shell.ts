/** The project's development shell, where commands run in it. */
import type { Section } from "../section.ts";

const FROM = { nix: "its Nix flake (flake.nix)", direnv: "its .envrc (direnv)" } as const;

/** Left out where commands run in no such shell. */
export const devShell: Section = {
  name: "dev_shell",
  render: ({ devShell }) =>
    devShell === undefined
      ? undefined
      : `bash runs commands in the project's development shell, from ${
        FROM[devShell]
      }: its programs are on PATH, its ` +
        "variables are set. Call them plainly; do not enter or build the shell yourself.",
};
