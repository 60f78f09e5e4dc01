/**
 * A query as words: the reader's text, cut as the index cuts its texts, without stop words. Leading dashes make a flag and never
 * an exclusion, whatever `advancedSyntax` says: readers of command-line documentation type flags. A quoted phrase is one word
 * whose parts must be adjacent.
 */
import { fold } from "../text/fold.ts";
import { tokenize } from "../text/tokenize.ts";
import { isStopWord } from "../text/vocabulary.ts";

export interface QueryWord {
  /** Folded; connectors and dashes removed. Empty for a quoted phrase. */
  readonly term: string;
  /** The flag with its dashes, when it is one. */
  readonly flag: string | undefined;
  /** The identifier as it is written, with its underscores, when it is one. */
  readonly identifier: string | undefined;
  /** The words inside a compound or a phrase; one for a plain word. */
  readonly parts: readonly string[];
  /** The parts between its dots (`spec.targetPort`), each as one word; one for a word without dots. */
  readonly segments: readonly string[];
  /** Whether it may be the beginning of a longer word. */
  readonly isPrefix: boolean;
  /** As it was typed, folded: what `matchedWords` reports. */
  readonly label: string;
  /** Offsets in the query. */
  readonly start: number;
  readonly end: number;
}

/**
 * What a query is, which decides what a page's prior says: a question or a task in plain words wants pages that explain; a
 * message, pasted from a terminal, wants the page that has it; a name is looked up.
 */
export type QueryKind = "question" | "message" | "name";

/** Spec §9 limits the box to 64 characters; longer queries from other clients are searched by their beginning. */
export const MAX_SEARCHED_CHARACTERS = 512;
/** Words that take part in the search; a bit each in a mask. */
const MAX_QUERY_WORDS = 16;

type Draft = { -readonly [key in keyof QueryWord]: QueryWord[key] } & { parts: string[] };

const NO_LETTERS = /[^\p{L}\p{N}]+/gu;

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
      else if (kind === "identifier") last.identifier = term;
      else last.parts.push(term);
      if (kind === "word") last.term = term;
      return;
    }
    const flag = kind === "flag" ? term : undefined;
    const parts = kind === "word" ? [term] : [];
    const segments =
      kind === "whole"
        ? searched
            .slice(start, end)
            .split(".")
            .map((part) => fold(part).replace(NO_LETTERS, ""))
        : [];
    const draft: Draft = {
      term,
      flag,
      identifier: undefined,
      parts,
      segments,
      isPrefix: false,
      label: term,
      start,
      end,
    };
    drafts.push(draft);
  });

  const last = drafts.at(-1);
  for (const draft of drafts) {
    draft.isPrefix =
      queryType === "prefixAll" || (queryType === "prefixLast" && draft === last && draft.end === searched.length);
  }
  // In a message, values are quoted.
  const words = isMessage(searched) ? drafts : joinPhrases(searched, drafts);
  const meaningful = words.filter((word) => word.flag !== undefined || word.parts.length > 1 || !isStopWord(word.term));
  return (meaningful.length > 0 ? meaningful : words).slice(0, MAX_QUERY_WORDS);
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
      identifier: undefined,
      parts: [...last.parts, ...draft.parts],
      label: `${last.label} ${draft.label}`,
      end: draft.end,
    };
  }
  return words;
}

/** Words that begin a question, in any case. */
const QUESTION_START = /^\s*(?:how|what|which|who|why|when|where|can|could|does|do|is|are|should|will)\b/i;
/** Words of failure; a message has one of them, or a code. */
const FAILURE =
  /\b(?:err|errors?|fatal|panic|denied|refused|fail(?:ed|ure|ing)?|cannot|could ?n[o']t|can't|unable|unauthorized|forbidden|exited|killed|timed? ?out|invalid|unexpected|unknown|unsupported|missing|disconnected|closed|aborted|no such|not (?:found|permitted|allowed|exist|installed|supported|running|recognized)|already (?:exists|in use|allocated)|does not|doesn't)\b/i;
/** Codes of systems and protocols: ECONNREFUSED, -32000, ImagePullBackOff, SELF_SIGNED_CERT_IN_CHAIN, exit code 137, status 503. */
const ERROR_CODES: readonly RegExp[] = [
  /\bE[A-Z]{4}/,
  /-32\d{3}\b/,
  /[a-z](?:BackOff|Killed|Error|Err)\b/,
  /\bErr[A-Z]/,
  /[A-Z]_[A-Z]/,
  /\bexit (?:code|status)?:? ?\d/,
  /\bexited (?:with )?(?:code )?\d/,
  /\bx509\b/,
  /\b(?:http|status|code|error)\W{1,3}[45]\d\d\b/,
];
/** What people type no task with. */
const PUNCTUATION = /[:;"'`(){}<>=\\/[\]]|\.\s|\.\.\.|…|!$/;

/** Whether a query looks like the text of a failure as a program prints it. */
export function isMessage(text: string): boolean {
  if (ERROR_CODES.some((code) => code.test(text)) && !QUESTION_START.test(text)) return true;
  if (!FAILURE.test(text)) return false;
  // The apostrophe of `doesn't` is no quotation mark.
  if (PUNCTUATION.test(text.replace(/([a-z])'(?=[a-z])/gi, "$1"))) return !QUESTION_START.test(text);
  return /\d/.test(text) && !QUESTION_START.test(text);
}

/** Words of somebody who met a problem and asks in plain words. */
const PROBLEM =
  /\b(?:problems?|issues?|errors?|fails?|failed|failing|failure|wrong|broken|crash(?:es|ed)?|refuse[sd]?|denied|stuck|why|cannot|can't|doesn't|does not|don't|isn't|not|no longer|ha(?:s|ve) no|in use|missing|lost|forg[eo]t|forgotten|invalid|unable|locked|troubleshoot(?:ing)?)\b/i;

/** Whether a query is a message, or says that something does not work. */
export function saysProblem(text: string): boolean {
  return PROBLEM.test(text) || isMessage(text);
}

export function classifyQuery(text: string, words: readonly QueryWord[]): QueryKind {
  if (isMessage(text)) return "message";
  if (words.some((word) => word.flag !== undefined || word.parts.length > 1)) return "name";
  let count = 0;
  let hasStopWord = false;
  tokenize(text, (term) => {
    count += 1;
    hasStopWord ||= isStopWord(term);
  });
  return hasStopWord && count > 2 ? "question" : "name";
}
