/** The words of one query beside the words of an index: their possible matches, their weights, and what matched. */
import { entriesOfGroups, THESAURUS, Thesaurus } from "../../text/thesaurus.ts";
import { isAskingWord } from "../../text/vocabulary.ts";
import { CommandNames } from "../command-names.ts";
import { VocabularyIndex } from "../index/vocabulary-index.ts";
import type { IndexSettings } from "../index-settings.ts";
import { describeName } from "../name-words.ts";
import { classifyQuery, MAX_SEARCHED_CHARACTERS, type QueryKind, type QueryWord, saysProblem } from "../query-words.ts";
import { type EngineQuery, MAX_NEAREST, type TermMatch, type UnknownWord } from "../search-engine.ts";
import { ASKING_WORD_WEIGHT } from "./ranking.ts";
import { type Alternatives, findAlternatives } from "./word-alternatives.ts";

/** The words of all pages of an index. */
export interface Lexicon {
  readonly vocabulary: VocabularyIndex;
  /** Number of records with a term. */
  readonly countUses: (term: number) => number;
  readonly thesaurus: Thesaurus;
  readonly commands: CommandNames;
  readonly settings: IndexSettings;
}

/** The words of an index with the thesaurus that its settings choose. */
export function createLexicon(
  terms: readonly string[],
  settings: IndexSettings,
  countUses: (term: number) => number,
  commands: readonly string[] = [],
): Lexicon {
  const { synonyms } = settings;
  return {
    vocabulary: new VocabularyIndex(terms),
    countUses,
    thesaurus: new Thesaurus(synonyms === undefined ? THESAURUS : entriesOfGroups(synonyms)),
    commands: new CommandNames(commands),
    settings,
  };
}

/** A query whose text is as long as is searched, with the words of commands corrected. */
export function prepareQuery(query: EngineQuery, { vocabulary, countUses, commands }: Lexicon): EngineQuery {
  const text = query.text.slice(0, MAX_SEARCHED_CHARACTERS);
  if (!query.typoTolerance) return { ...query, text };
  const countWord = (word: string): number => {
    const term = vocabulary.find(word);
    return term < 0 ? 0 : countUses(term);
  };
  return { ...query, text: commands.correct(text, query.queryType !== "prefixNone", countWord) };
}

export class AskedWords {
  readonly words: readonly QueryWord[];
  readonly alternatives: readonly Alternatives[];
  readonly kind: QueryKind;
  /** Whether it says that something does not work. */
  readonly saysProblem: boolean;
  /** Per word, how many words it is written with. */
  readonly sizes: readonly number[];
  /** Per word, how much it counts beside how rare it is, above 0 up to 1. */
  readonly weights: readonly number[];
  /** The query as a whole, see `describeName`. */
  readonly querySum: number;
  readonly #lexicon: Lexicon;

  /** @param widen Find typing mistakes in words that occur, and for compounds in parts. */
  constructor(words: readonly QueryWord[], query: EngineQuery, lexicon: Lexicon, widen: boolean) {
    const { vocabulary, countUses, thesaurus, settings } = lexicon;
    this.#lexicon = lexicon;
    this.words = words;
    this.kind = classifyQuery(query.text, words);
    this.saysProblem = saysProblem(query.text);
    this.alternatives = findAlternatives(words, {
      vocabulary,
      countUses,
      thesaurus,
      matches: thesaurus.find(query.text),
      settings,
      widen,
      typoTolerance: query.typoTolerance,
      allowsPrefix: query.queryType !== "prefixNone",
    });
    this.sizes = words.map(({ parts }) => Math.max(1, parts.length));
    this.weights = words.map(({ term }) => (this.kind === "question" && isAskingWord(term) ? ASKING_WORD_WEIGHT : 1));
    this.querySum = describeName(query.text).sum;
  }

  /** Whether only words of asking were found: they do not concern the subject, and no record has the words that do. */
  isFiller(found: number): boolean {
    const isFound = (word: number): boolean => (found & (1 << word)) !== 0;
    return (
      this.words.every(({ term }, word) => !isFound(word) || isAskingWord(term)) &&
      this.words.some((_, word) => !isFound(word))
    );
  }

  /** The words that no record has. */
  describeUnknown(found: number): UnknownWord[] {
    const { vocabulary, countUses } = this.#lexicon;
    return this.words.flatMap(({ label, term }, word) => {
      if ((found & (1 << word)) !== 0) return [];
      return [{ word: label, nearest: vocabulary.nearestTo(term, MAX_NEAREST, countUses) }];
    });
  }

  /** How terms of texts matched, for marking them. */
  termMatcher(): (term: string) => TermMatch | undefined {
    const { terms } = this.#lexicon.vocabulary;
    const matches = new Map<string, TermMatch>();
    const add = (term: number, word: number, typed: string | undefined): void => {
      const text = terms[term] as string;
      const prefixLength = typed === undefined || typed.length === text.length ? undefined : typed.length;
      const known = matches.get(text);
      // A match of the whole term marks more than one of its beginning.
      if (known === undefined || (known.prefixLength !== undefined && prefixLength === undefined)) {
        matches.set(text, { word, prefixLength });
      }
    };
    for (const [word, { terms: own, prefixes, phrases, hints }] of this.alternatives.entries()) {
      for (const term of [...own.keys(), ...hints.terms.keys()]) add(term, word, prefixes.get(term));
      for (const { parts } of [...phrases, ...hints.phrases]) {
        for (const term of parts.flat()) {
          const typed = this.words[word]?.parts.find((part) => (terms[term] as string).startsWith(part));
          add(term, word, typed);
        }
      }
    }
    return (term) => matches.get(term);
  }
}
