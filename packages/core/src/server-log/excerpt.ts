/**
 * The lines of a failed server's output that are shown first: how it began, the line that most probably says what is wrong, and
 * how it ended. Stacks, usage texts and advice are longer than their reason, and stand below or above it.
 */

/** A line's rank as the cause; the first one of the highest rank is taken, and none of rank 1 or lower. */
const RANKS: readonly { readonly rank: number; readonly pattern: RegExp }[] = [
  // Parts of stacks, and what stands around them. Python's groups of exceptions say less than what is in them.
  {
    rank: 0,
    pattern:
      /^[\s|+-]*(?:at\s|File "|\^|~|\.{3}|node:internal|Node\.js v\d|goroutine \d|\d+: 0x|(?:Exception Group )?Traceback \(|During handling of|The above exception|ExceptionGroup: )|^\s+\S+\.go:\d|^\W*$/,
  },
  // Usage texts and lists of advice.
  { rank: 0, pattern: /^\s*(?:-|\*|usage:|options:|commands:|flags:|arguments:)/i },
  { rank: 1, pattern: /^\W*(?:npm )?warn(?:ing)?\b/i },
  {
    rank: 3,
    pattern:
      /^\W{0,3}(?:\S{1,60}\s{1,4}){0,4}?(?:[\w.$]{0,80}(?:Error|Exception)|error|fatal|panic|critical)\b(?:\s?\[[^\]]{0,60}\]|\s?\([^)]{0,60}\))?[:\]]/i,
  },
  { rank: 3, pattern: /\blevel"?[=:]\s?"?(?:error|fatal|panic|critical)\b/i },
  {
    rank: 2,
    pattern:
      /\b(?:required|missing|must (?:be|have|set|provide)|not (?:set|found|defined|allowed|provided|permitted|exist)|no such|cannot|can't|could not|couldn't|unable to|failed|failure|invalid|denied|refused|unknown|unexpected|unsupported|does not|doesn't|aborted|killed)\b|\bE[A-Z]{4,12}\b/i,
  },
];
const USUAL_RANK = 1;
const LOWEST_CAUSE = 2;

/** Characters of a line that the ranking reads and the excerpt prints. */
const SHOWN_CHARACTERS = 400;

interface NumberedLine {
  /** From 1, blank lines not counted. */
  readonly number: number;
  readonly text: string;
}

/** How many lines of the beginning and of the end an excerpt has. */
export interface ExcerptShape {
  readonly first: number;
  readonly last: number;
}

/** As many as a small terminal has room for, below what was there before. */
const USUAL_SHAPE: ExcerptShape = { first: 3, last: 6 };

/** A line in the place of others. */
export const LEFT_OUT = /^… \d+ lines? left out …$/;

/** @returns Lines without blank ones, oldest first; `… 21 lines left out …` in the place of others. */
export function excerptLines(lines: readonly string[], shape: ExcerptShape = USUAL_SHAPE): string[] {
  const sample = new OutputSample();
  for (const line of lines) sample.add(line);
  return sample.excerpt(shape);
}

/** Kept of the beginning and of the end of an output of any length. */
const KEPT_FIRST = 20;
const KEPT_LAST = 100;

/** Takes an output line by line, and keeps little of it. */
export class OutputSample {
  readonly #first: NumberedLine[] = [];
  readonly #last: NumberedLine[] = [];
  /** The best cause among lines that are in neither. */
  #between: NumberedLine | undefined;
  #count = 0;

  add(line: string): void {
    if (line.trim() === "") return;
    this.#count += 1;
    const added = { number: this.#count, text: line.slice(0, SHOWN_CHARACTERS) };
    if (this.#first.length < KEPT_FIRST) {
      this.#first.push(added);
      return;
    }
    this.#last.push(added);
    if (this.#last.length <= KEPT_LAST) return;
    const left = this.#last.shift();
    if (left && rankLine(left.text) > readRank(this.#between)) this.#between = left;
  }

  /** The last lines that were kept, oldest first. */
  get lastLines(): readonly string[] {
    return this.#lines.map(({ text }) => text);
  }

  /** See {@link excerptLines}. */
  excerpt({ first, last }: ExcerptShape = USUAL_SHAPE): string[] {
    const cause = this.#findCause();
    const shown = this.#lines.filter(
      ({ number }) => number <= first || number > this.#count - last || number === cause?.number,
    );
    const excerpt: string[] = [];
    let before = 0;
    for (const { number, text } of shown) {
      const left = number - before - 1;
      if (left > 0) excerpt.push(`… ${left} ${left === 1 ? "line" : "lines"} left out …`);
      excerpt.push(text);
      before = number;
    }
    return excerpt;
  }

  get #lines(): NumberedLine[] {
    return [...this.#first, ...(this.#between ? [this.#between] : []), ...this.#last];
  }

  #findCause(): NumberedLine | undefined {
    let cause: NumberedLine | undefined;
    for (const line of this.#lines) if (rankLine(line.text) > readRank(cause)) cause = line;
    return cause;
  }
}

function readRank(line: NumberedLine | undefined): number {
  return line === undefined ? LOWEST_CAUSE - 1 : rankLine(line.text);
}

function rankLine(text: string): number {
  return RANKS.find(({ pattern }) => pattern.test(text))?.rank ?? USUAL_RANK;
}
