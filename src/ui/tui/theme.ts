/** Colours by role. Themes are rows of data; without colour only weight is left. */
import type { EditorTheme, MarkdownTheme } from "@earendil-works/pi-tui";

export const ROLES = [
  "accent",
  "muted",
  "error",
  "warning",
  "success",
  "added",
  "removed",
  "heading",
  "code",
  "keyword",
  "string",
  "number",
  "comment",
  "title",
  "user",
] as const;

export type Role = (typeof ROLES)[number];

export interface Theme {
  readonly name: string;
  paint(role: Role, text: string): string;
  bold(text: string): string;
  /** Marks what is chosen in a list. */
  selected(text: string): string;
}

type Codes = Readonly<Record<Role, string>>;

const DARK: Codes = {
  accent: "38;5;75",
  muted: "38;5;245",
  error: "38;5;203",
  warning: "38;5;179",
  success: "38;5;114",
  added: "38;5;114",
  removed: "38;5;203",
  heading: "1;38;5;75",
  code: "38;5;180",
  keyword: "38;5;176",
  string: "38;5;114",
  number: "38;5;180",
  comment: "38;5;245",
  title: "38;5;75",
  user: "1;38;5;75",
};
const LIGHT: Codes = {
  accent: "38;5;25",
  muted: "38;5;242",
  error: "38;5;160",
  warning: "38;5;94",
  success: "38;5;28",
  added: "38;5;28",
  removed: "38;5;160",
  heading: "1;38;5;25",
  code: "38;5;94",
  keyword: "38;5;90",
  string: "38;5;28",
  number: "38;5;94",
  comment: "38;5;242",
  title: "38;5;25",
  user: "1;38;5;25",
};
/** The sixteen colours that the terminal itself defines. */
const TERMINAL: Codes = {
  accent: "36",
  muted: "2",
  error: "31",
  warning: "33",
  success: "32",
  added: "32",
  removed: "31",
  heading: "1",
  code: "33",
  keyword: "35",
  string: "32",
  number: "33",
  comment: "2",
  title: "36",
  user: "1;36",
};
const MONO: Codes = {
  accent: "",
  muted: "",
  error: "1",
  warning: "1",
  success: "",
  added: "",
  removed: "",
  heading: "1",
  code: "",
  keyword: "",
  string: "",
  number: "",
  comment: "",
  title: "",
  user: "1",
};

const THEMES: Readonly<Record<string, Codes>> = {
  dark: DARK,
  light: LIGHT,
  terminal: TERMINAL,
  mono: MONO,
};

/** Names that can be chosen; "auto" follows the terminal's background. */
export const THEME_NAMES: readonly string[] = ["auto", ...Object.keys(THEMES)];

/** The theme of that name; "auto" and unknown ones are dark or light. */
export function themeNamed(
  name: string,
  options: { readonly color: boolean; readonly light: boolean },
): Theme {
  const chosen = !options.color ? "mono" : name in THEMES ? name : options.light ? "light" : "dark";
  const codes = THEMES[chosen];
  const paint = (code: string, text: string) =>
    code === "" || text === "" ? text : `\x1b[${code}m${text}\x1b[0m`;
  return {
    name: chosen,
    paint: (role, text) => paint(codes[role], text),
    bold: (text) => paint("1", text),
    selected: (text) => paint(chosen === "mono" ? "7" : `1;${codes.accent}`, text),
  };
}

/** The theme as the editor wants it. */
export function editorTheme(theme: Theme): EditorTheme {
  const muted = (text: string) => theme.paint("muted", text);
  return {
    borderColor: muted,
    selectList: {
      selectedPrefix: theme.selected,
      selectedText: theme.selected,
      description: muted,
      scrollInfo: muted,
      noMatch: muted,
    },
  };
}

/** The theme as markdown wants it. Styles end by their own code, so that they nest. */
export function markdownTheme(theme: Theme): MarkdownTheme {
  const role = (name: Role) => (text: string) => theme.paint(name, text);
  const sgr = (on: number, off: number) => (text: string) => `\x1b[${on}m${text}\x1b[${off}m`;
  return {
    heading: role("heading"),
    link: role("accent"),
    linkUrl: role("muted"),
    code: role("code"),
    codeBlock: (text) => text,
    codeBlockBorder: role("muted"),
    quote: role("muted"),
    quoteBorder: role("muted"),
    hr: role("muted"),
    listBullet: role("accent"),
    bold: sgr(1, 22),
    italic: sgr(3, 23),
    strikethrough: sgr(9, 29),
    underline: sgr(4, 24),
  };
}

/** Terminals that say their colours in the environment: the last number is the background. */
export function lightByEnvironment(value: string | undefined): boolean {
  const background = Number(value?.split(";").at(-1));
  return value !== undefined && (background === 7 || background === 15);
}
