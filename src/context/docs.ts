/** The documentation that is inside the program: read by people (`myelin docs`) and by the model (`docs://NAME`). */

type Page = () => Promise<{ default: string }>;

const PAGES: Readonly<Record<string, Page>> = {
  chat: () => import("../../docs/chat.md", { with: { type: "text" } }),
  headless: () => import("../../docs/headless.md", { with: { type: "text" } }),
  configuration: () => import("../../docs/configuration.md", { with: { type: "text" } }),
  providers: () => import("../../docs/providers.md", { with: { type: "text" } }),
  sandbox: () => import("../../docs/sandbox.md", { with: { type: "text" } }),
  sessions: () => import("../../docs/sessions.md", { with: { type: "text" } }),
  context: () => import("../../docs/context.md", { with: { type: "text" } }),
  shell: () => import("../../docs/shell.md", { with: { type: "text" } }),
  tools: () => import("../../docs/tools.md", { with: { type: "text" } }),
  recording: () => import("../../docs/recording.md", { with: { type: "text" } }),
  session_format: () => import("../../docs/session_format.md", { with: { type: "text" } }),
  architecture: () => import("../../docs/architecture.md", { with: { type: "text" } }),
  development: () => import("../../docs/development.md", { with: { type: "text" } }),
};

/** In the order in which they are offered. */
export const DOC_NAMES: readonly string[] = Object.keys(PAGES);

/** The text of a page; undefined for a name that none has. */
export async function readDoc(name: string): Promise<string | undefined> {
  return Object.hasOwn(PAGES, name) ? (await PAGES[name]()).default : undefined;
}
