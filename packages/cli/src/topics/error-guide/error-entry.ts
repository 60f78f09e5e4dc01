/**
 * The content of `thv help CODE` and of the page of one error code, as `error-area.schema.json` describes it. The example is in
 * `error-examples.md`; the messages are read from the sources.
 */
export interface ErrorEntry {
  readonly short: string;
  readonly what: string;
  readonly why: readonly string[];
  readonly remedies: readonly { readonly say: string; readonly command?: string }[];
  readonly guide: { readonly path: string; readonly title: string };
}
