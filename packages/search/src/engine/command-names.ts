/**
 * The commands that the pages of an index are about. What follows a program's name is one of a closed list, so a mistyped word there
 * is corrected at any length, and before it counts as the beginning of a longer word.
 */
import { editDistance } from "../text/edit-distance.ts";

/** A command's name as a title or a keyword: words in lower case, the program's first. */
const COMMAND_NAME = /^[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)+$/;
/** A page whose title is one word in lower case is a program when at least this many names begin with it. */
const LEAST_COMMANDS = 3;
/** A word that more records have is a word of its own and no mistake (`thv server`). */
const RARE_WORD = 3;
/** From this length on, a word may have two mistakes. */
const LONG_WORD = 6;
/** In words as short as this the first letter is right, or has changed places with the second. */
const SHORT_WORD = 2;

/** @param names Titles and keywords of pages. @returns Those that are names of commands. */
export function listCommandNames(names: Iterable<string>): string[] {
  const all = [...new Set(names)];
  const commands = all.filter((name) => COMMAND_NAME.test(name));
  const programs = all.filter(
    (name) =>
      /^[a-z][a-z0-9-]*$/.test(name) && commands.filter((each) => each.startsWith(`${name} `)).length >= LEAST_COMMANDS,
  );
  return commands.filter((name) => programs.includes(name.slice(0, name.indexOf(" ")))).sort();
}

type Branch = Map<string, Branch>;

export class CommandNames {
  /** By the names of programs. */
  readonly #programs: Branch = new Map();

  constructor(names: readonly string[]) {
    for (const name of names) {
      let branch = this.#programs;
      for (const word of name.split(" ")) {
        const next = branch.get(word) ?? new Map();
        branch.set(word, next);
        branch = next;
      }
    }
  }

  /**
   * Corrects the words of a query that begins with a program's name, up to the first word that belongs to no command.
   *
   * @param mayContinue Whether the last word may be the beginning of a longer one.
   * @param countUses Number of records with a word.
   */
  correct(text: string, mayContinue: boolean, countUses: (word: string) => number): string {
    let corrected = "";
    let end = 0;
    let branch = this.#programs;
    for (const { 0: typed, index } of text.matchAll(/[^\s$]+/g)) {
      const word = typed.toLowerCase();
      const isLast = index + typed.length === text.length;
      const isCompleting = mayContinue && isLast && [...branch.keys()].some((name) => name.startsWith(word));
      const isKnown = branch.has(word) || isCompleting || branch === this.#programs || countUses(word) > RARE_WORD;
      const meant = isKnown ? word : findMeant(word, branch.keys());
      const next = meant === undefined ? undefined : branch.get(meant);
      if (next === undefined) break;
      corrected += text.slice(end, index) + (meant === word ? typed : meant);
      end = index + typed.length;
      branch = next;
    }
    return corrected + text.slice(end);
  }
}

/** The name that a mistyped word means: the one with fewest mistakes, and of equals the one with the likelier mistake. */
function findMeant(typed: string, names: Iterable<string>): string | undefined {
  let best: { name: string; cost: number } | undefined;
  for (const name of names) {
    const cost = measureMistake(typed, name);
    if (cost !== undefined && (best === undefined || cost < best.cost)) best = { name, cost };
  }
  return best?.name;
}

/** @returns `undefined` for words that are too different. */
function measureMistake(typed: string, name: string): number | undefined {
  const allowed = typed.length < LONG_WORD ? 1 : 2;
  // A wrong first letter counts as one more.
  const isFirstWrong = typed[0] !== name[0];
  const mistakes = editDistance(typed, name, allowed + 1) - (isFirstWrong ? 1 : 0);
  if (mistakes > allowed) return undefined;
  const isSwapped = typed.length === name.length && [...typed].sort().join("") === [...name].sort().join("");
  if (typed.length <= SHORT_WORD && isFirstWrong && !isSwapped) return undefined;
  // Fingers swap, leave out and repeat letters more often than they hit another one.
  const isLikely = isSwapped || isWithin(typed, name) || squeeze(typed) === squeeze(name);
  return mistakes * 4 + (isLikely ? 0 : typed.length === name.length ? 1 : 2);
}

/** Whether the letters of one word are in another in their order. */
function isWithin(part: string, whole: string): boolean {
  let at = 0;
  for (const letter of whole) if (letter === part[at]) at += 1;
  return at === part.length;
}

function squeeze(word: string): string {
  return [...word].filter((letter, at) => letter !== word[at - 1]).join("");
}
