/** A page, or one of its sections, in pieces of a number of tokens. */
import type { DocsPage } from "../pack/docs-content.ts";
import { splitBlocks } from "./blocks.ts";
import type { DocsLibrary, SectionText } from "./docs-library.ts";
import { cutAtWord } from "./excerpt.ts";
import { estimateTokens } from "./tokens.ts";

export const LEAST_PIECE_TOKENS = 200;
export const MAX_PIECE_TOKENS = 4_000;

export interface PagePiece {
  readonly text: string;
  /** Where the next piece begins; `undefined` at the end. */
  readonly next: number | undefined;
}

/** @param from What the last piece named as its `next`; 0 for the beginning. */
export function readPiece(
  library: DocsLibrary,
  page: DocsPage,
  {
    section,
    from,
    maxTokens,
  }: { readonly section: SectionText | undefined; readonly from: number; readonly maxTokens: number },
): PagePiece {
  const [start, end] = section === undefined ? [0, page.markdown.length] : [section.start, section.endOfAll];
  const text = library.shorten(page.markdown.slice(start, end)).trim();
  let piece = "";
  let used = 0;
  let read = from;
  for (const block of splitBlocks(text.slice(from))) {
    // A piece that begins inside a table begins with its head.
    const shown = piece === "" && from > 0 && block.tableHead !== undefined ? block.tableHead + block.text : block.text;
    const cost = estimateTokens(shown);
    if (piece !== "" && used + cost > maxTokens) break;
    if (piece === "" && cost > maxTokens) {
      const cut = cutAtWord(block.text, maxTokens);
      return { text: cut, next: from + Math.max(1, cut.length - 1) };
    }
    piece += shown;
    used += cost;
    read = from + block.end;
  }
  return { text: piece.trim(), next: read >= text.length ? undefined : read };
}
