/** Whether a query is in another language than English: in another script, or with words that join others in one of nine languages. */
import data from "./other-language.json" with { type: "json" };
import { isStopWord } from "./vocabulary.ts";

/** Longer queries are judged by their beginning. */
const MAX_CHARACTERS = 400;
/** Joining words of one language that a query has to have: one may be a name or a typing mistake. */
const LEAST_WORDS = 2;
const OTHER_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Greek}\p{Script=Thai}\p{Script=Devanagari}]/u;
/** Letters of other languages that English words have only in names. */
const OTHER_LETTER = /[^\P{Script=Latin}\p{ASCII}]/u;

const LANGUAGES: readonly ReadonlySet<string>[] = Object.values(data.words).map((words) => new Set(words.split(" ")));

export function isOtherLanguage(query: string): boolean {
  const text = query.slice(0, MAX_CHARACTERS).normalize("NFC").toLowerCase();
  if (OTHER_SCRIPT.test(text)) return true;
  const words = [...new Set(text.split(/[^\p{L}\p{M}]+/u))];
  // A question in English may have a word that another language has, too.
  const english = words.filter(isStopWord).length;
  const least = OTHER_LETTER.test(text) ? LEAST_WORDS - 1 : LEAST_WORDS;
  return LANGUAGES.some((language) => {
    const found = words.filter((word) => language.has(word)).length;
    return found >= least && found > english;
  });
}
