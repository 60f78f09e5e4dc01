/**
 * Words with a part of their own in ranking: stop words, which carry no subject, and words of asking, which carry little. Both are
 * general to documentation of command-line tools; words for the same thing are in `thesaurus.json`.
 */

const STOP_WORDS = new Set(
  (
    "a about after all also am an and any are as at be been before being but by can cannot could did do does doing for from " +
    "had has have having he her here him his how i if in into is it its itself me my no nor not of on once only or other our " +
    "out over own same shall she should so some such than that the their them then there these they this those through to " +
    "too under until us very was we were what when where which while who whom why will with would you your"
  ).split(" "),
);

/** Whether a folded word is unrelated to the subject of a question. */
export function isStopWord(term: string): boolean {
  return STOP_WORDS.has(term);
}

const ASKING_WORDS = new Set(
  (
    "actually come ever exactly find get give go happen happens have just know let like look make makes making mean means need " +
    "needs possible put really see simply something somewhere suddenly tell thing things try use used uses using want wants way " +
    "ways work working works"
  ).split(" "),
);

/** Whether a folded word belongs to the way of asking more than to what is asked for: `make`, `use`, `want`. */
export function isAskingWord(term: string): boolean {
  return ASKING_WORDS.has(term);
}
