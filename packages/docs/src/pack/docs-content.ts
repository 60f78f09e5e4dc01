/** The documentation as programs read it: pages with their sections, and the facts that the reference pages are made from. */

export interface DocsSection {
  /** Without `#`; `null` for the text before the first heading. */
  readonly anchor: string | null;
  readonly title: string;
  /** 1 for the page itself, 2 for its sections, and so on. */
  readonly level: number;
  /** Where its heading begins in the page's Markdown. */
  readonly start: number;
  /** That it answers, in readers' words. */
  readonly questions?: readonly string[];
}

export interface DocsPage {
  /** From the root of the site, without a slash at the end. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly markdown: string;
  /** In their order; the first is the page's beginning. */
  readonly sections: readonly DocsSection[];
}

export interface FlagFact {
  /** Without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What the value is; empty for a switch. */
  readonly value: string;
  readonly default?: string;
  readonly values?: readonly string[];
  readonly env?: string;
  readonly summary: string;
}

export interface CommandFact {
  /** With the program's name: `thv run`. */
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly description?: string;
  /** Other names: `thv ls`. */
  readonly aliases: readonly string[];
  readonly arguments: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly FlagFact[];
  readonly examples: readonly { readonly summary: string; readonly command: string }[];
  /** Of its page. */
  readonly path: string;
}

/** A parameter, or a field of a body. */
export interface FieldFact {
  /** With the fields around it: `limits.cpus`, `secrets[].name`. */
  readonly name: string;
  /** In words: `text`, `whole number`, `list of text`. */
  readonly type: string;
  readonly required: boolean;
  /** With default and bounds. */
  readonly description: string;
}

export interface OperationFact {
  readonly id: string;
  readonly method: string;
  /** Template of the address: `/api/v1beta/workloads/{name}`. */
  readonly route: string;
  readonly summary: string;
  readonly description?: string;
  /** Required ones first. */
  readonly parameters: readonly (FieldFact & { readonly in: string })[];
  /** Fields of the JSON that it takes, required ones first; empty without a body. */
  readonly body: readonly FieldFact[];
  /** Those of its own; the page of the API has those that every operation may return. */
  readonly responses: readonly { readonly status: string; readonly description: string }[];
  /** Of its page, with the anchor. */
  readonly path: string;
}

export interface Remedy {
  readonly say: string;
  readonly command?: string;
}

export interface ErrorFact {
  readonly code: string;
  readonly short: string;
  readonly what: string;
  readonly why: readonly string[];
  readonly remedies: readonly Remedy[];
  readonly exit: number;
  readonly status: number;
  /** As the program prints them, `…` for a value. */
  readonly messages: readonly string[];
  readonly path: string;
}

/** A message of another program. */
export interface MessageFact {
  readonly message: string;
  readonly program: string;
  readonly means: string;
  readonly remedy: string;
  /** The error of ours that contains it. */
  readonly code?: string;
  readonly path: string;
}

/** What the reference pages are made from. */
export interface DocsFacts {
  readonly commands: readonly CommandFact[];
  readonly operations: readonly OperationFact[];
  readonly errors: readonly ErrorFact[];
  readonly messages: readonly MessageFact[];
}

export interface DocsContent extends DocsFacts {
  /** Of the product, as `thv version` says it. */
  readonly version: string;
  /** Where the site is, without a slash at the end. */
  readonly siteUrl: string;
  readonly pages: readonly DocsPage[];
}
