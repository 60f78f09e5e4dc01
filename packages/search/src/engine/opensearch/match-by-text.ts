/** Which terms of a text a query meant, told from the words alone: for engines that do not say what they matched. */
import { editDistance, typosAllowed } from "../../text/edit-distance.ts";
import { stemOf } from "../../text/stem.ts";
import type { QueryWord } from "../query-words.ts";
import type { TermMatch } from "../search-engine.ts";

/** Marking a word that is one mistake away misleads when words are short. */
const MIN_TYPO_LENGTH = 5;

/** @returns A function as `EngineAnswer.matchTerm`. */
export function matchByText(words: readonly QueryWord[]): (term: string) => TermMatch | undefined {
  const asked = words.flatMap(({ flag, term, parts, isPrefix }, word) =>
    [flag, term, ...parts]
      .filter((text): text is string => text !== undefined && text !== "")
      .map((text) => ({ text, stem: stemOf(text), word, isPrefix })),
  );
  return (term) => {
    const stem = stemOf(term);
    const whole = asked.find(({ text, stem: askedStem }) => text === term || askedStem === stem);
    if (whole !== undefined) return { word: whole.word, prefixLength: undefined };
    const start = asked.find(({ text, isPrefix }) => isPrefix && term.startsWith(text));
    if (start !== undefined) return { word: start.word, prefixLength: start.text.length };
    const close = asked.find(
      ({ text }) => text.length >= MIN_TYPO_LENGTH && typosAllowed(text) > 0 && editDistance(text, term, 1) === 1,
    );
    return close === undefined ? undefined : { word: close.word, prefixLength: undefined };
  };
}
