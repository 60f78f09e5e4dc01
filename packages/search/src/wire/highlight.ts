/** Highlights and snippets, computed from the terms that matched. Every piece of text is escaped; only the tags are not. */
import { escapeHtml } from "@toolhive/http/values";
import type { TermMatch } from "../engine/search-engine.ts";
import { findTokens, type TextTokens } from "./text-tokens.ts";

export interface HighlightOptions {
  /** Words of the query, as `matchedWords` names them. */
  readonly words: readonly string[];
  readonly matchTerm: (term: string) => TermMatch | undefined;
  readonly preTag: string;
  readonly postTag: string;
}

type MatchLevel = "none" | "partial" | "full";

/** How a piece of text becomes HTML. */
type ToHtml = (text: string) => string;

/** A text as HTML with its matches in tags. */
export interface HighlightedText {
  readonly value: string;
  readonly matchLevel: MatchLevel;
  /** A bit for every word of the query in it. */
  readonly matched: number;
  /** Whether nothing of the text is outside of the tags but what is between words. */
  readonly isComplete: boolean;
}

/** A marked stretch of text: offsets, and a bit for every word of the query that it matches. */
interface Mark {
  readonly start: number;
  end: number;
  words: number;
}

/** A text with its matches found: once for its highlight and its snippet. */
export interface MarkedText {
  readonly text: string;
  readonly tokens: TextTokens;
  readonly marks: readonly Mark[];
  /** A bit for every word of the query in it. */
  readonly words: number;
  readonly isComplete: boolean;
}

/**
 * Per number of a term, the answer that last asked for it, when it did not match there: most words of a text match nothing, and
 * the texts of one answer have most words in common.
 */
let missedIn = new Uint32Array(1 << 12);
let missedNumbering = 0;
let answers = 0;

function isKnownMiss(term: number, answer: number): boolean {
  return missedIn[term] === answer;
}

function noteMiss(term: number, answer: number): void {
  if (term >= missedIn.length) {
    const longer = new Uint32Array(2 * term);
    longer.set(missedIn);
    missedIn = longer;
  }
  missedIn[term] = answer;
}

function markMatches(text: string, matchTerm: HighlightOptions["matchTerm"], answer: number): MarkedText {
  const marks: Mark[] = [];
  let words = 0;
  let isComplete = true;
  const tokens = findTokens(text);
  const { terms, numbers, offsets } = tokens;
  if (tokens.numbering !== missedNumbering) {
    missedNumbering = tokens.numbering;
    missedIn.fill(0);
  }
  /** Where the last mark ends. */
  let marked = 0;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    const start = offsets[2 * at] as number;
    if (isKnownMiss(number, answer)) {
      if (start >= marked) isComplete = false;
      continue;
    }
    const term = terms[at] as string;
    const match = matchTerm(term);
    if (match === undefined) {
      noteMiss(number, answer);
      if (start >= marked) isComplete = false;
      continue;
    }
    const end = offsets[2 * at + 1] as number;
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
    marked = (marks.at(-1) as Mark).end;
  }
  return { text, tokens, marks, words, isComplete: isComplete && marks.length > 0 };
}

function chooseLevel(matched: number, words: readonly string[]): MatchLevel {
  if (matched === 0) return "none";
  return matched === 2 ** words.length - 1 ? "full" : "partial";
}

/** Marks the texts of one answer. */
export class Highlighter {
  readonly #options: HighlightOptions;
  readonly #answer: number;

  constructor(options: HighlightOptions) {
    this.#options = options;
    answers = (answers + 1) >>> 0 || 1;
    this.#answer = answers;
  }

  mark(text: string): MarkedText {
    return markMatches(text, this.#options.matchTerm, this.#answer);
  }

  /** All of a text. */
  highlight(marked: MarkedText, toHtml: ToHtml = escapeHtml): HighlightedText {
    return this.#result(marked, this.#render(marked, 0, marked.text.length, toHtml));
  }

  /**
   * The stretch of a text that shows most of the query's words.
   *
   * @param maxWords Words of the stretch; a stretch of text between blanks with a letter or digit is a word.
   * @param ellipsis Put on each side where text was omitted; inserted unchanged.
   */
  snippet(marked: MarkedText, maxWords: number, ellipsis: string, toHtml: ToHtml = escapeHtml): HighlightedText {
    const { text, marks, tokens } = marked;
    const { spans } = tokens;
    const count = spans.length / 2;
    if (count <= maxWords || maxWords <= 0) {
      return this.#result(marked, this.#render(marked, 0, maxWords <= 0 ? 0 : text.length, toHtml));
    }
    const first = marks.length === 0 ? 0 : bestWindow(spans, marks, maxWords);
    const from = first === 0 ? 0 : (spans[2 * first] as number);
    const isLast = first + maxWords >= count;
    const to = isLast ? text.length : (spans[2 * (first + maxWords) - 1] as number);
    const shown = this.#render(marked, from, to, toHtml);
    return this.#result(marked, (from > 0 ? ellipsis : "") + shown + (isLast ? "" : ellipsis));
  }

  #result({ words, isComplete }: MarkedText, value: string): HighlightedText {
    return { value, matchLevel: chooseLevel(words, this.#options.words), matched: words, isComplete };
  }

  /** The slice of the text as HTML, its marks in tags. */
  #render({ text, marks }: MarkedText, from: number, to: number, toHtml: ToHtml): string {
    const { preTag, postTag } = this.#options;
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
}

/** Per span, a bit for every word of the query in it, and how often it is marked; reused, because every snippet needs them. */
let wordsOfSpan = new Uint32Array(256);
let marksOfSpan = new Uint32Array(256);

function markSpans(spans: Uint32Array, marks: readonly Mark[]): void {
  const count = spans.length / 2;
  if (wordsOfSpan.length < count) {
    wordsOfSpan = new Uint32Array(count * 2);
    marksOfSpan = new Uint32Array(count * 2);
  }
  wordsOfSpan.fill(0, 0, count);
  marksOfSpan.fill(0, 0, count);
  let span = 0;
  for (const mark of marks) {
    while (span < count - 1 && (spans[2 * span + 1] as number) <= mark.start) span += 1;
    wordsOfSpan[span] = (wordsOfSpan[span] as number) | mark.words;
    marksOfSpan[span] = (marksOfSpan[span] as number) + 1;
  }
}

/** The first word of the window with most different words, then most marks; of equal neighbours the middle one. */
function bestWindow(spans: Uint32Array, marks: readonly Mark[], size: number): number {
  markSpans(spans, marks);
  const count = spans.length / 2;
  let best = -1;
  let bestFrom = 0;
  let bestTo = 0;
  // Windows without a mark are passed over: the first one that may matter ends with the first mark.
  const start = Math.max(0, Math.min(count - size, firstMarkedSpan(count) - size + 1));
  const inWindow = new WindowWords();
  for (let at = start; at < start + size - 1; at++) inWindow.change(at, 1);
  for (let from = start; from + size <= count; from++) {
    // One span is added and one is removed: the work does not grow with the window.
    inWindow.change(from + size - 1, 1);
    if (from > start) inWindow.change(from - 1, -1);
    const { words, marked } = inWindow;
    const score = words * 100 + Math.min(marked, 99);
    if (score > best) {
      best = score;
      bestFrom = from;
      bestTo = from;
    } else if (score === best && bestTo === from - 1) bestTo = from;
  }
  return best <= 0 ? 0 : (bestFrom + bestTo) >> 1;
}

function firstMarkedSpan(count: number): number {
  let span = 0;
  while (span < count - 1 && marksOfSpan[span] === 0) span += 1;
  return span;
}

/** The different words of the query and the marks in a window that moves along a text. */
class WindowWords {
  words = 0;
  marked = 0;
  readonly #counts = new Uint32Array(32);

  /** Takes a span into the window (1) or out of it (-1). */
  change(span: number, by: 1 | -1): void {
    const bits = wordsOfSpan[span] as number;
    if (bits === 0) return;
    this.marked += by * (marksOfSpan[span] as number);
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const word = 31 - Math.clz32(rest & -rest);
      const before = this.#counts[word] as number;
      this.#counts[word] = before + by;
      if (before === 0) this.words += 1;
      else if (before + by === 0) this.words -= 1;
    }
  }
}
