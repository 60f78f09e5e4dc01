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
  for (const { start: first, end: last, tableHead } of splitBlocks(text)) {
    if (last <= from) continue;
    const begin = Math.max(first, from);
    const own = text.slice(begin, last);
    // A piece that begins inside a table begins with its head.
    const shown = piece === "" && from > 0 && tableHead !== undefined ? tableHead + own : own;
    const cost = estimateTokens(shown);
    if (piece !== "" && used + cost > maxTokens) break;
    if (piece === "" && cost > maxTokens) {
      const cut = cutAtWord(own, maxTokens);
      const blank = own.length - own.trimStart().length;
      // Without the mark of the cut.
      return { text: cut, next: begin + blank + Math.max(1, cut.length - 1) };
    }
    piece += shown;
    used += cost;
    read = last;
  }
  return { text: piece.trim(), next: read >= text.length ? undefined : read };
}
