/** Subjects of `thv help` that are not commands, as data: the terminal, the man page and the site show the same. */

export type TopicBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "heading"; readonly text: string }
  /** Terms and what they mean. */
  | { readonly kind: "terms"; readonly terms: readonly (readonly [term: string, meaning: string])[] }
  /** Commands to copy, each with what it does. */
  | { readonly kind: "commands"; readonly commands: readonly (readonly [what: string, command: string])[] };

export interface Topic {
  readonly name: string;
  readonly title: string;
  readonly blocks: readonly TopicBlock[];
}
