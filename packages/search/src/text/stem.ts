/**
 * English word forms: `toSingular` for plurals, `stemWord` for the other endings.
 * `stemWord` is M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980), 130–137.
 */

/** The singular of a regular English plural (`registries` → `registry`); any other word unchanged. */
export function toSingular(word: string): string {
  if (word.length < 4 || !word.endsWith("s")) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/(?:sses|shes|ches|xes|zes)$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

function isVowelAt(word: string, at: number): boolean {
  const char = word[at];
  if (char === undefined) return false;
  if ("aeiou".includes(char)) return true;
  return char === "y" && at > 0 && !isVowelAt(word, at - 1);
}

/** Porter's m: how many times a vowel run is followed by a consonant run. */
function computeMeasure(stem: string): number {
  let measure = 0;
  let wasVowel = false;
  for (let at = 0; at < stem.length; at++) {
    const isVowel = isVowelAt(stem, at);
    if (wasVowel && !isVowel) measure += 1;
    wasVowel = isVowel;
  }
  return measure;
}

function hasVowel(stem: string): boolean {
  for (let at = 0; at < stem.length; at++) if (isVowelAt(stem, at)) return true;
  return false;
}

function endsDouble(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && !isVowelAt(word, word.length - 1);
}

/** Consonant, vowel, consonant at the end, the last one not w, x or y. */
function endsShort(word: string): boolean {
  return (
    word.length > 2 &&
    !isVowelAt(word, word.length - 1) &&
    isVowelAt(word, word.length - 2) &&
    !isVowelAt(word, word.length - 3) &&
    !"wxy".includes(word.at(-1) ?? "")
  );
}

const STEP_2 = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
] as const;
const STEP_3 = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
] as const;
const STEP_4 = [
  "al",
  "ance",
  "ence",
  "er",
  "ic",
  "able",
  "ible",
  "ant",
  "ement",
  "ment",
  "ent",
  "ion",
  "ou",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
] as const;

function replaceEnding(word: string, table: readonly (readonly [string, string])[]): string {
  for (const [ending, replacement] of table) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    return computeMeasure(stem) > 0 ? stem + replacement : word;
  }
  return word;
}

function withoutPastOrParticiple(word: string): string {
  if (word.endsWith("eed")) return computeMeasure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = ["ed", "ing"].find(
    (candidate) => word.endsWith(candidate) && hasVowel(word.slice(0, -candidate.length)),
  );
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  if (computeMeasure(stem) === 1 && endsShort(stem)) return `${stem}e`;
  return stem;
}

/** The stem that the forms of an English word share (`configuring`, `configuration` → `configur`). ASCII letters only. */
export function stemWord(original: string): string {
  if (original.length < 4 || !/^[a-z]+$/.test(original)) return original;
  let word = original;
  if (word.endsWith("sses") || word.endsWith("ies")) word = word.slice(0, -2);
  else if (word.endsWith("s") && !word.endsWith("ss")) word = word.slice(0, -1);
  word = withoutPastOrParticiple(word);
  if (word.endsWith("y") && hasVowel(word.slice(0, -1))) word = `${word.slice(0, -1)}i`;
  word = replaceEnding(word, STEP_2);
  word = replaceEnding(word, STEP_3);

  // Longest ending first: `ement` before `ment` before `ent`.
  const ending = STEP_4.filter((candidate) => word.endsWith(candidate)).sort((a, b) => b.length - a.length)[0];
  if (ending !== undefined) {
    const stem = word.slice(0, -ending.length);
    if (computeMeasure(stem) > 1 && (ending !== "ion" || /[st]$/.test(stem))) word = stem;
  }
  if (word.endsWith("e")) {
    const stem = word.slice(0, -1);
    const measure = computeMeasure(stem);
    if (measure > 1 || (measure === 1 && !endsShort(stem))) word = stem;
  }
  if (word.endsWith("ll") && computeMeasure(word) > 1) word = word.slice(0, -1);
  return word;
}
