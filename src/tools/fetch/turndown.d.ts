/** The part of turndown that is used here: it brings no types. */
export interface TurndownNode {
  readonly nodeName: string;
  getAttribute(name: string): string | null;
}

export interface TurndownRule {
  readonly filter: string | readonly string[] | ((node: TurndownNode) => boolean);
  replacement(content: string, node: TurndownNode): string;
}

export default class TurndownService {
  constructor(options: Readonly<Record<string, string>>);
  remove(filter: readonly string[]): this;
  addRule(name: string, rule: TurndownRule): this;
  turndown(html: string): string;
}
