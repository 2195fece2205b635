/** Where the repository stands as the prompt begins. */
import type { Section } from "../section.ts";

/** Left out outside of repositories, and where the project is not heeded. */
export const git: Section = {
  name: "git",
  render({ git }) {
    if (git === undefined) return undefined;
    const lines = [git.branch === undefined ? "No branch is checked out" : `Branch: ${git.branch}`];
    if (git.underWay !== undefined) lines.push(`Under way: ${git.underWay}`);
    if (git.commits.length > 0) lines.push("Last commits:", ...git.commits.map((subject) => `- ${subject}`));
    return lines.join("\n");
  },
};
