/**
 * Whether a line has a known message: its words in their order and close together, and each word that tells it apart from others,
 * such as a code, a number or what stands in quotation marks. A line that only shares words with a message is not explained by it.
 */
import { fold } from "@toolhive/search/offline";

/** Stands for a value in a known message. */
const VALUE = "…";
/** Part of a message's words, weighed by how rare each is among the messages, that a line has to have. */
const LEAST_COVERAGE = 0.8;
/** Up to this many words prove little: they have to be half of the line, without what is in quotation marks, or have a code. */
const FEW_WORDS = 3;
const LEAST_PART = 0.5;
/** A message of ours that is shorter has to be there letter by letter; with fewer words it says nothing. */
const EXACT_WORDS = 5;
const LEAST_EXACT_WORDS = 2;
/** Words of a line between two words of a message, and the same where the message has a value. */
const MAX_GAP = 3;
const MAX_VALUE_GAP = 40;
/** Words of a line that are compared; no message is longer than a fifth of it. */
const MAX_LINE_WORDS = 240;

/** Places in a line that are compared with one word of a message. */
const MAX_PLACES = 8;
/** Characters of what stands in quotation marks. */
const MAX_QUOTED = 200;

const WORD = /[\p{L}\p{N}_]+|[<>{}]/gu;
/** Say nothing of what failed. */
const FILLERS = new Set(
  "a an the of to in at on is are was were be your you this that it its or and by for with as has have error err fatal warning warn".split(
    " ",
  ),
);
/** As systems and libraries write them: ENOENT, ERR_CONNECTION_REFUSED, ImagePullBackOff; `TypeError` stands before many messages. */
const CODE = /^[A-Z]\w{3,}$/;
const NO_CODE = /^(?:ERROR|FATAL|\w+Error)$/;
const SIGN = /^[<>{}]$/;
/** Of compilers: a line with such a code is only explained by a message that has it. */
const COMPILER_CODE = /^[A-Z]{1,3}\d{3,5}$/;

interface Word {
  readonly term: string;
  /** As it is written. */
  readonly written: string;
  readonly start: number;
  readonly isQuoted: boolean;
}

export interface MessagePattern {
  readonly words: readonly string[];
  /** Whether a value stands before the word of the same number. */
  readonly followsValue: readonly boolean[];
  /** A line without one of these has another message. */
  readonly needed: ReadonlySet<string>;
  /** What a line has to have letter by letter, in this order. */
  readonly literals: readonly string[];
}

export interface LineWords {
  readonly text: string;
  readonly words: readonly string[];
  readonly all: ReadonlySet<string>;
  /** Outside of quotation marks. */
  readonly bare: number;
  /** Codes of compilers in it. */
  readonly codes: readonly string[];
}

/**
 * @param ownName A program's name, which a message about it needs.
 * @param isOwn Whether the program itself prints it, always in the same letters.
 * @returns `undefined` for a message that says too little to be told apart.
 */
export function readPattern(message: string, ownName: string, isOwn: boolean): MessagePattern | undefined {
  const pieces = message.split(VALUE);
  const words: string[] = [];
  const followsValue: boolean[] = [];
  const needed = new Set<string>();
  let lastPiece = 0;
  for (const { term, written, isQuoted, start } of splitWords(message)) {
    if (isChanging(term)) continue;
    const piece = message.slice(0, start).split(VALUE).length - 1;
    if (isNeeded(written, isQuoted) || term === ownName) needed.add(term);
    words.push(term);
    followsValue.push(piece > lastPiece);
    lastPiece = piece;
  }
  if (words.length < (isOwn ? LEAST_EXACT_WORDS : 1)) return undefined;
  const isExact = isOwn && words.length < EXACT_WORDS;
  return {
    words,
    followsValue,
    needed,
    literals: isExact ? pieces.map((piece) => piece.trim().replace(/\.$/, "")) : [],
  };
}

export function readLine(line: string): LineWords {
  const words = splitWords(line).slice(0, MAX_LINE_WORDS);
  return {
    text: line,
    words: words.map(({ term }) => term),
    all: new Set(words.map(({ term }) => term)),
    bare: words.filter(({ isQuoted }) => !isQuoted).length,
    codes: words.filter(({ written }) => COMPILER_CODE.test(written)).map(({ term }) => term),
  };
}

/**
 * How well a line has a message.
 *
 * @param weigh How much a word says, by how rare it is among the messages.
 * @returns `undefined` where it does not have it.
 */
export function matchLine(
  { words, followsValue, needed, literals }: MessagePattern,
  line: LineWords,
  weigh: (word: string) => number,
): number | undefined {
  for (const word of needed) if (!line.all.has(word)) return undefined;
  if (line.codes.some((code) => !words.includes(code))) return undefined;
  if (!hasInOrder(line.text, literals)) return undefined;
  const whole = sum(words, weigh);
  // Cheaper than the order of the words, and refuses most.
  if (
    sum(
      words.filter((word) => line.all.has(word)),
      weigh,
    ) <
    whole * LEAST_COVERAGE
  )
    return undefined;
  const matched = alignWords(words, followsValue, line.words);
  const found = sum(matched, weigh);
  const coverage = found / whole;
  if (coverage < LEAST_COVERAGE || [...needed].some((word) => !matched.includes(word))) return undefined;
  const isFew = matched.length <= FEW_WORDS && needed.size === 0;
  if (isFew && matched.length < line.bare * LEAST_PART) return undefined;
  // Of two whole matches, the longer one.
  return coverage * coverage * Math.sqrt(found);
}

function hasInOrder(text: string, literals: readonly string[]): boolean {
  let from = 0;
  for (const literal of literals) {
    const at = text.indexOf(literal, from);
    if (at < 0) return false;
    from = at + literal.length;
  }
  return true;
}

/** The longest run of a message's words in a line: in their order, each near the one before. */
function alignWords(words: readonly string[], followsValue: readonly boolean[], line: readonly string[]): string[] {
  let best: number[] = [];
  /** Per word of the message, the best runs that end with it: the places of their words in the line. */
  const ending: { readonly at: number; readonly run: readonly number[] }[][] = [];
  for (const [number, word] of words.entries()) {
    const runs: { at: number; run: readonly number[] }[] = [];
    for (let at = 0; at < line.length && runs.length < MAX_PLACES; at++) {
      if (line[at] !== word) continue;
      let before: readonly number[] = [];
      for (let earlier = number - 1; earlier >= 0; earlier--) {
        const hasValue = followsValue.slice(earlier + 1, number + 1).some(Boolean);
        const gap = (hasValue ? MAX_VALUE_GAP : MAX_GAP) + number - earlier;
        for (const { at: place, run } of ending[earlier] ?? []) {
          if (place < at && at - place <= gap && run.length > before.length) before = run;
        }
      }
      const run = [...before, number];
      runs.push({ at, run });
      if (run.length > best.length) best = run;
    }
    ending.push(runs);
  }
  return best.map((number) => words[number] ?? "");
}

function splitWords(text: string): Word[] {
  const quoted = findQuoted(text);
  return [...text.matchAll(WORD)].flatMap(({ 0: written, index }) => {
    const term = fold(written);
    if (term === "" || FILLERS.has(term)) return [];
    const isQuoted = quoted.some(({ start, end }) => index > start && index < end);
    return [{ term, written, isQuoted, start: index }];
  });
}

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", "(": ")" };

/** What stands in quotation marks or parentheses, without addresses and long texts. */
function findQuoted(text: string): { readonly start: number; readonly end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (let start = 0; start < text.length; start++) {
    const closing = CLOSING[text[start] ?? ""];
    // A mark behind a letter is an apostrophe, or ends what was quoted.
    if (closing === undefined || (start > 0 && /[\p{L}\p{N}]/u.test(text[start - 1] ?? ""))) continue;
    const end = text.indexOf(closing, start + 1);
    if (end < 0 || end - start > MAX_QUOTED) continue;
    if (!text.slice(start, end).includes("://")) found.push({ start, end });
    start = end;
  }
  return found;
}

/** Counts and parts of addresses, which differ each time. */
function isChanging(term: string): boolean {
  return /^\d{1,2}$/.test(term);
}

function isNeeded(written: string, isQuoted: boolean): boolean {
  return isQuoted || SIGN.test(written) || /^\d{3,}$/.test(written) || isCode(written);
}

/** A word at the beginning of a sentence has one capital, a code has more. */
function isCode(written: string): boolean {
  return (
    CODE.test(written) && !NO_CODE.test(written) && [...written].filter((letter) => /[A-Z]/.test(letter)).length > 1
  );
}

function sum(words: readonly string[], weigh: (word: string) => number): number {
  return words.reduce((total, word) => total + weigh(word), 0);
}
