/** As much of a section as there is room for: all of it, or the blocks that say what was asked. */
import { fold, isStopWord, tokenize } from "@toolhive/search/offline";
import { type MarkdownBlock, splitBlocks } from "./blocks.ts";
import { estimateTokens } from "./tokens.ts";

/** Which word of a question a term answers. */
export type MatchTerm = (term: string) => { readonly word: number } | undefined;

/** Marks omitted blocks. */
const GAP = "…\n\n";
/** What each block that is not the answer's own costs beside its words: the first ones introduce a section. */
const EARLY_BONUS = 0.5;

/** Characters of a term that can mean nothing else. */
const LONG_TERM = 20;

export interface Excerpt {
  readonly text: string;
  readonly isWhole: boolean;
}

/**
 * @param matchTerm Of the search that found the section.
 * @param hint A text of the section that has the answer, as the search's record has it.
 * @param maxTokens What the excerpt may have.
 */
export function excerptSection(markdown: string, maxTokens: number, matchTerm: MatchTerm, hint = ""): Excerpt {
  const whole = markdown.trim();
  if (estimateTokens(whole) <= maxTokens) return { text: whole, isWhole: true };
  const blocks = splitBlocks(markdown);
  const hinted = collectWords(hint);
  const ranked = blocks
    .map((block, index) => ({ index, score: scoreBlock(block, matchTerm, hinted) + (index < 2 ? EARLY_BONUS : 0) }))
    .sort((left, right) => right.score - left.score || left.index - right.index);
  // When a row of a table has the answer, the other rows add nothing.
  const answering = new Set(
    ranked.filter(({ score }) => score >= 1).flatMap(({ index }) => blocks[index]?.tableHead ?? []),
  );
  const chosen = new Set<number>();
  let left = maxTokens - estimateTokens(GAP);
  for (const { index, score } of ranked) {
    const block = blocks[index];
    if (block === undefined) continue;
    if (score < 1 && block.tableHead !== undefined && answering.has(block.tableHead)) continue;
    const head = block.tableHead === undefined || hasTableRow(chosen, blocks, block) ? "" : block.tableHead;
    const cost = estimateTokens(head + block.text) + 1;
    if (cost > left) continue;
    chosen.add(index);
    left -= cost;
  }
  if (chosen.size === 0)
    return { text: cutAtWord(ranked[0] ? (blocks[ranked[0].index]?.text ?? "") : "", maxTokens), isWhole: false };
  return { text: joinBlocks(blocks, chosen), isWhole: false };
}

function hasTableRow(chosen: ReadonlySet<number>, blocks: readonly MarkdownBlock[], row: MarkdownBlock): boolean {
  return [...chosen].some((index) => blocks[index]?.tableHead === row.tableHead);
}

/** In their order; a table that lost its head gets it back. */
function joinBlocks(blocks: readonly MarkdownBlock[], chosen: ReadonlySet<number>): string {
  let text = "";
  let last = -1;
  let lastHead: string | undefined;
  for (const [index, block] of blocks.entries()) {
    if (!chosen.has(index)) continue;
    const { tableHead } = block;
    if (tableHead !== undefined && tableHead === lastHead) text += block.text;
    else {
      // Of a table whose head was chosen by itself, the rows follow at once.
      const followsHead = tableHead !== undefined && blocks[last]?.text === tableHead;
      if (text !== "" && last !== index - 1 && !followsHead) text = `${text.trimEnd()}\n\n${GAP}`;
      text += tableHead !== undefined && !followsHead ? tableHead + block.text : block.text;
    }
    last = index;
    lastHead = tableHead;
  }
  return text.trim();
}

function scoreBlock({ text }: MarkdownBlock, matchTerm: MatchTerm, hinted: ReadonlySet<string>): number {
  /** The longest term of the block for each word of the question: a whole flag says more than a part of one. */
  const words = new Map<number, number>();
  let shared = 0;
  const seen = new Set<string>();
  tokenize(text, (term) => {
    if (seen.has(term)) return;
    seen.add(term);
    const match = matchTerm(term);
    if (match !== undefined && !isStopWord(term)) {
      words.set(match.word, Math.max(words.get(match.word) ?? 0, term.length));
    }
    if (hinted.has(term)) shared += 1;
  });
  const said = [...words.values()].reduce((sum, length) => sum + 1.5 + Math.min(1, length / LONG_TERM), 0);
  return said + (hinted.size === 0 ? 0 : (3 * shared) / hinted.size);
}

function collectWords(text: string): Set<string> {
  const words = new Set<string>();
  tokenize(fold(text), (term) => {
    if (!isStopWord(term)) words.add(term);
  });
  return words;
}

/** The beginning of a text, up to a number of tokens. */
export function cutAtWord(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text.trim();
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(text.slice(0, middle)) < maxTokens) low = middle;
    else high = middle - 1;
  }
  const cut = text.slice(0, low);
  const space = cut.search(/\s\S*$/);
  return `${(space > 0 ? cut.slice(0, space) : cut).trim()}…`;
}
