/** A problem of one place in a value: the place as data, so that no code has to read it from the sentence. */

export interface LocatedProblem {
  /** Names and positions that lead to the place; `[]` for the whole value. Of an unknown member, to that. */
  readonly path: readonly string[];
  /** Without a full stop. */
  readonly sentence: string;
}

/**
 * What a sentence calls a member, so that the caller can have its own words for it, such as a flag.
 *
 * @param words What it is called without that.
 */
export type NameMember = (path: readonly string[], words: string) => string;

export const nameInWords: NameMember = (_path, words) => words;

/** Collects problems of the members below `path`. */
export function addProblems(
  problems: LocatedProblem[],
  path: readonly string[],
  sentences: readonly (string | undefined)[],
): void {
  for (const sentence of sentences) if (sentence !== undefined) problems.push({ path, sentence });
}

/** The same problems, of a value that is a member of another one. */
export function moveProblems(problems: readonly LocatedProblem[], ...owner: readonly string[]): LocatedProblem[] {
  return problems.map(({ path, sentence }) => ({ path: [...owner, ...path], sentence }));
}

/** Problems of a whole value, such as of a text that cannot be read. */
export function describeWhole(...sentences: readonly string[]): LocatedProblem[] {
  return sentences.map((sentence) => ({ path: [], sentence }));
}

/** The same problems, those of a place with its line before them: `line 3: …`. */
export function addLines(
  problems: readonly LocatedProblem[],
  findLine: (path: readonly string[]) => number,
): LocatedProblem[] {
  return problems.map(({ path, sentence }) => ({
    path,
    sentence: path.length === 0 ? sentence : `line ${findLine(path)}: ${sentence}`,
  }));
}

export function listSentences(problems: readonly LocatedProblem[]): string[] {
  return problems.map(({ sentence }) => sentence);
}

/** A path the way people write it: `servers.fetch.env_vars[0].name`. */
export function formatPath(path: readonly string[]): string {
  return path
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

/** A path as a JSON pointer (RFC 6901). */
export function formatPointer(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export function parsePointer(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
