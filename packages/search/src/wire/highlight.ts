/** Highlights and snippets, computed from the terms that matched. Every piece of text is escaped; only the tags are not. */
import type { TermMatch } from "../engine/search-engine.ts";
import { escapeHtml } from "./escape.ts";
import { tokensOf } from "./text-tokens.ts";

export interface HighlightOptions {
  /** Words of the query, as `matchedWords` names them. */
  readonly words: readonly string[];
  readonly matchTerm: (term: string) => TermMatch | undefined;
  readonly preTag: string;
  readonly postTag: string;
  /** How a piece of text becomes HTML. Default {@link escapeHtml}. */
  readonly toHtml?: (text: string) => string;
}

type MatchLevel = "none" | "partial" | "full";

export interface HighlightResult {
  readonly value: string;
  readonly matchLevel: MatchLevel;
  readonly matchedWords: readonly string[];
  readonly fullyHighlighted?: boolean;
}

export interface SnippetResult {
  readonly value: string;
  readonly matchLevel: MatchLevel;
}

/** A marked stretch of text: offsets, and a bit for every word of the query that it matches. */
interface Mark {
  readonly start: number;
  end: number;
  words: number;
}

interface Marked {
  readonly marks: readonly Mark[];
  /** A bit per matched word. */
  readonly words: number;
  readonly isComplete: boolean;
}

function markMatches(text: string, matchTerm: HighlightOptions["matchTerm"]): Marked {
  const marks: Mark[] = [];
  let words = 0;
  let isComplete = true;
  const { terms, offsets } = tokensOf(text);
  for (const [at, term] of terms.entries()) {
    const start = offsets[2 * at] as number;
    const end = offsets[2 * at + 1] as number;
    const match = matchTerm(term);
    if (match === undefined) {
      if (start >= (marks.at(-1)?.end ?? 0)) isComplete = false;
      continue;
    }
    const { word, prefixLength } = match;
    words |= 1 << word;
    // Folding can change the length of a word; then its beginning cannot be located and all of it is marked.
    const isCut = prefixLength !== undefined && term.length === end - start;
    const markEnd = isCut ? start + prefixLength : end;
    if (isCut) isComplete = false;
    const last = marks.at(-1);
    if (last !== undefined && start < last.end) {
      last.end = Math.max(last.end, markEnd);
      last.words |= 1 << word;
    } else marks.push({ start, end: markEnd, words: 1 << word });
  }
  return { marks, words, isComplete: isComplete && marks.length > 0 };
}

/** The slice of the text as HTML, its marks in tags. */
function render(text: string, marks: readonly Mark[], from: number, to: number, options: HighlightOptions): string {
  const { preTag, postTag, toHtml = escapeHtml } = options;
  let html = "";
  let at = from;
  for (const mark of marks) {
    const start = Math.max(mark.start, from);
    const end = Math.min(mark.end, to);
    if (start >= end) continue;
    html += toHtml(text.slice(at, start)) + preTag + toHtml(text.slice(start, end)) + postTag;
    at = end;
  }
  return html + toHtml(text.slice(at, to));
}

function levelOf(matched: number, words: readonly string[]): MatchLevel {
  if (matched === 0) return "none";
  return matched === 2 ** words.length - 1 ? "full" : "partial";
}

/** All of a text with its matches in tags. */
export function highlight(text: string, options: HighlightOptions): HighlightResult {
  const { marks, words, isComplete } = markMatches(text, options.matchTerm);
  const matchLevel = levelOf(words, options.words);
  return {
    value: render(text, marks, 0, text.length, options),
    matchLevel,
    matchedWords: options.words.filter((_, word) => (words & (1 << word)) !== 0),
    ...(matchLevel === "none" ? {} : { fullyHighlighted: isComplete }),
  };
}

/**
 * The stretch of a text that shows most of the query's words.
 *
 * @param maxWords Words of the stretch; a stretch of text between blanks with a letter or digit is a word.
 * @param ellipsis Put on each side where text was left out; inserted as it is.
 */
export function snippet(text: string, maxWords: number, ellipsis: string, options: HighlightOptions): SnippetResult {
  const { marks, words } = markMatches(text, options.matchTerm);
  const matchLevel = levelOf(words, options.words);
  const { spans } = tokensOf(text);
  const count = spans.length / 2;
  if (count <= maxWords || maxWords <= 0) {
    return { value: render(text, marks, 0, maxWords <= 0 ? 0 : text.length, options), matchLevel };
  }
  const first = marks.length === 0 ? 0 : bestWindow(marksPerSpan(spans, marks), maxWords);
  const from = first === 0 ? 0 : (spans[2 * first] as number);
  const isLast = first + maxWords >= count;
  const to = isLast ? text.length : (spans[2 * (first + maxWords) - 1] as number);
  const value = (from > 0 ? ellipsis : "") + render(text, marks, from, to, options) + (isLast ? "" : ellipsis);
  return { value, matchLevel };
}

interface SpanMarks {
  /** Per span, a bit for every word of the query in it. */
  readonly words: Uint32Array;
  /** Per span, how often it is marked. */
  readonly marks: Uint32Array;
}

function marksPerSpan(spans: Uint32Array, marks: readonly Mark[]): SpanMarks {
  const count = spans.length / 2;
  const result: SpanMarks = { words: new Uint32Array(count), marks: new Uint32Array(count) };
  let span = 0;
  for (const mark of marks) {
    while (span < count - 1 && (spans[2 * span + 1] as number) <= mark.start) span += 1;
    result.words[span] = (result.words[span] as number) | mark.words;
    result.marks[span] = (result.marks[span] as number) + 1;
  }
  return result;
}

/** The first word of the window with most different words, then most marks; of equal neighbours the middle one. */
function bestWindow({ words: wordsOf, marks: marksOf }: SpanMarks, size: number): number {
  let best = -1;
  let bestFrom = 0;
  let bestTo = 0;
  for (let from = 0; from + size <= wordsOf.length; from++) {
    let words = 0;
    let marks = 0;
    for (let at = from; at < from + size; at++) {
      words |= wordsOf[at] as number;
      marks += marksOf[at] as number;
    }
    const score = bitCount(words) * 100 + Math.min(marks, 99);
    if (score > best) {
      best = score;
      bestFrom = from;
      bestTo = from;
    } else if (score === best && bestTo === from - 1) bestTo = from;
  }
  return best <= 0 ? 0 : (bestFrom + bestTo) >> 1;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
