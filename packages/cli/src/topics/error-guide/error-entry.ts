/** What `thv help CODE` and the page of one error code say; the example is in `error-examples.md`, the messages come from the sources. */
import type { ErrorCode } from "@toolhive/core/errors";

export interface ErrorEntry {
  /** Stands behind the code in the title; both together have at most 60 characters. */
  readonly short: string;
  /** What happened, in one or two sentences. */
  readonly what: string;
  /** How it comes about, most frequent first. */
  readonly why: readonly string[];
  /** What to do, in the order to try it; a command is shown as a block. */
  readonly remedies: readonly { readonly say: string; readonly command?: string }[];
  /** The written page that goes deeper: its path below `/toolhive/`, and its title. */
  readonly guide: readonly [path: string, title: string];
}

/** The codes of one area; a typing mistake in a code does not compile. */
export type ErrorEntries = Readonly<Partial<Record<ErrorCode, ErrorEntry>>>;
