/**
 * A query as words: what the reader typed, cut as the index cuts its texts, without the words that say nothing.
 * Leading dashes make a flag and never an exclusion, whatever `advancedSyntax` says: readers of command-line
 * documentation type flags. A quoted phrase is one word whose parts must stand together.
 */
import { tokenize } from "../text/tokenize.ts";
import { isStopWord } from "../text/vocabulary.ts";

export interface QueryWord {
  /** Folded; connectors and dashes removed. Empty for a quoted phrase. */
  readonly term: string;
  /** The flag with its dashes, when it is one. */
  readonly flag: string | undefined;
  /** The words inside a compound or a phrase; one for a plain word. */
  readonly parts: readonly string[];
  /** Whether it may be the beginning of a longer word. */
  readonly isPrefix: boolean;
  /** As it was typed, folded: what `matchedWords` reports. */
  readonly label: string;
}

/** Spec §9 limits the box to 64 characters; longer queries from other clients are searched by their beginning. */
const MAX_SEARCHED_CHARACTERS = 512;
/** Words that take part in the search; a bit each in a mask. */
const MAX_QUERY_WORDS = 16;

type Draft = { -readonly [key in keyof QueryWord]: QueryWord[key] } & { start: number; end: number; parts: string[] };

/**
 * Cuts a query into words.
 *
 * @returns No words when the query holds no letter and no digit.
 */
export function parseQueryWords(text: string, queryType: "prefixLast" | "prefixAll" | "prefixNone"): QueryWord[] {
  const searched = text.slice(0, MAX_SEARCHED_CHARACTERS);
  const drafts: Draft[] = [];
  tokenize(searched, (term, start, end, _position, kind) => {
    const last = drafts.at(-1);
    if (last !== undefined && start >= last.start && end <= last.end) {
      // A part of the compound before it, or the plain word inside a flag.
      if (kind === "whole") last.term = term;
      else last.parts.push(term);
      if (kind === "word") last.term = term;
      return;
    }
    const flag = kind === "flag" ? term : undefined;
    const draft: Draft = { term, flag, parts: kind === "word" ? [term] : [], isPrefix: false, label: term, start, end };
    drafts.push(draft);
  });

  const last = drafts.at(-1);
  for (const draft of drafts) {
    draft.isPrefix =
      queryType === "prefixAll" || (queryType === "prefixLast" && draft === last && draft.end === searched.length);
  }
  const words = joinPhrases(searched, drafts);
  const meaningful = words.filter((word) => word.flag !== undefined || word.parts.length > 1 || !isStopWord(word.term));
  return (meaningful.length > 0 ? meaningful : words)
    .slice(0, MAX_QUERY_WORDS)
    .map(({ term, flag, parts, isPrefix, label }) => ({ term, flag, parts, isPrefix, label }));
}

/** Makes one word of each pair of straight or curly double quotes with several words between. */
function joinPhrases(text: string, drafts: readonly Draft[]): Draft[] {
  const phrases = [...text.matchAll(/["“”]([^"“”]+)["“”]/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const words: Draft[] = [];
  for (const draft of drafts) {
    const phrase = phrases.find(({ start, end }) => draft.start >= start && draft.end <= end);
    const last = words.at(-1);
    if (phrase === undefined || last === undefined || last.start < phrase.start) {
      words.push({ ...draft });
      continue;
    }
    words[words.length - 1] = {
      ...last,
      term: "",
      flag: undefined,
      parts: [...last.parts, ...draft.parts],
      label: `${last.label} ${draft.label}`,
      end: draft.end,
    };
  }
  return words;
}

/** Whether a query is in plain words, as a question or a task, and not the name of a command, a flag or a field. */
export function isQuestion(text: string, words: readonly QueryWord[]): boolean {
  if (words.some((word) => word.flag !== undefined || word.parts.length > 1)) return false;
  let count = 0;
  let hasStopWord = false;
  tokenize(text, (term) => {
    count += 1;
    hasStopWord ||= isStopWord(term);
  });
  return hasStopWord && count > 2;
}
