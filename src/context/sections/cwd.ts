/** Where the model is and what binds it. */
import type { Section } from "../section.ts";

/** Always there. */
export const cwd: Section = {
  name: "cwd",
  render: ({ cwd, platform, sandbox }) => `Folder: ${cwd}\nPlatform: ${platform}\nSandbox: ${sandbox}`,
};
