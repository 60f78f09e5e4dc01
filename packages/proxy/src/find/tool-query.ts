/** What a query asks for: its words, each with the stems that tools may have in its place, and what is to be done. */
import { stemWord } from "@toolhive/search/words";
import { findIntent, type Intent, isVerb } from "./intents.ts";
import { findPhrases, findSaid, findSynonyms } from "./synonyms.ts";
import { readTerms, readWords } from "./tool-text.ts";
import { replaceValues } from "./value-kinds.ts";

export interface ToolQuery {
  /** For each phrase and each word of the query, stems with what they count for. */
  readonly words: readonly ReadonlyMap<string, number>[];
  readonly intent: Intent | undefined;
  /** Stems of all words. */
  readonly stems: ReadonlySet<string>;
}

/** What the index knows of words. */
export interface KnownWords {
  has(stem: string): boolean;
  /** @returns Stems that a word may have been meant for, with what they count for: completed or corrected. */
  findNear(word: string): Iterable<readonly [string, number]>;
}

/** Words of a query; later ones are ignored. */
const MAX_QUERY_WORDS = 60;
/** What a word counts for that says what is done: tools of all servers have it, and the intent says the same. */
const VERB_SHARE = 0.79;
/** How much of it counts what people mean by a word that tools use themselves. */
const SAID_OF_KNOWN_SHARE = 0.73;
/** What a word of a phrase counts for by itself. */
const IN_PHRASE_SHARE = 0.66;

export function readToolQuery(query: string, known: KnownWords): ToolQuery {
  const text = replaceValues(query);
  const words = readWords(text).slice(0, 2 * MAX_QUERY_WORDS);
  const stems = words.map((word) => stemWord(word));
  const phrases = findPhrases(stems);
  const inPhrases = new Set(phrases.flatMap(({ at, length }) => stems.slice(at, at + length)));
  const terms = [...new Set(readTerms(text))].slice(0, MAX_QUERY_WORDS);
  return {
    words: [
      ...phrases.map((phrase) => new Map([...phrase.stems].filter(([stem]) => known.has(stem)))),
      ...terms.map((term) =>
        findStems(term, (isVerb(term) ? VERB_SHARE : 1) * (inPhrases.has(term) ? IN_PHRASE_SHARE : 1), known),
      ),
    ],
    intent: findIntent(words),
    stems: new Set(stems),
  };
}

function findStems(word: string, share: number, known: KnownWords): Map<string, number> {
  const stems = new Map<string, number>();
  const add = ([stem, weight]: readonly [string, number]): void => {
    if (known.has(stem)) stems.set(stem, Math.max(stems.get(stem) ?? 0, weight * share));
  };
  add([word, 1]);
  const said = known.has(word) ? SAID_OF_KNOWN_SHARE : 1;
  for (const synonym of findSynonyms(word)) add(synonym);
  for (const [stem, weight] of findSaid(word)) add([stem, weight * said]);
  if (stems.size === 0) for (const near of known.findNear(word)) add(near);
  return stems;
}
