/**
 * A documentation site of any size, made up from a seed: pages of about 18 records, words by Zipf's law from a vocabulary
 * that grows with the square root of the text (Heaps' law), compounds and flags among them.
 */
import { EMPTY_HIERARCHY, type SearchRecord } from "../records/search-record.ts";

/** A small, fast, repeatable source of chance (mulberry32). @returns numbers in [0, 1). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const COMMON =
  "the to a server is and of in for run with you container it client on this that mcp tool by name are be or use from your port as " +
  "an file set configuration secret command list when network not default start its which value cluster registry image can one " +
  "add at have open read write page version install key token profile permission proxy transport log stop remove";
const SYLLABLES = "ba co di fe gu ka lo mi ne po ra si te vu wa xe yo za tri sta con net ser dat lin per mod gra".split(
  " ",
);

const RECORDS_PER_PAGE = 18;
const SECTIONS_PER_PAGE = 6;

export interface Corpus {
  readonly records: Generator<SearchRecord>;
  /** Queries as readers type them, most of them with an answer. */
  readonly queries: readonly string[];
}

/** The words of a site of this many records, most frequent first. */
function inventVocabulary(recordCount: number, random: () => number): string[] {
  const words = COMMON.split(" ");
  const size = Math.max(2_000, Math.round(220 * Math.sqrt(recordCount)));
  const seen = new Set(words);
  while (words.length < size) {
    const syllables = 2 + Math.floor(random() * 3);
    let word = "";
    for (let at = 0; at < syllables; at++) word += SYLLABLES[Math.floor(random() * SYLLABLES.length)];
    const chance = random();
    if (chance < 0.04) word = `--${word}-${SYLLABLES[Math.floor(random() * SYLLABLES.length)]}`;
    else if (chance < 0.09) word = `${word}_${SYLLABLES[Math.floor(random() * SYLLABLES.length)]}`;
    if (seen.has(word)) continue;
    seen.add(word);
    words.push(word);
  }
  return words;
}

/** Makes a site's records one by one, so that only the index has to fit into memory, and queries for it. */
export function createCorpus(recordCount: number, seed = 1): Corpus {
  const random = createRandom(seed);
  const vocabulary = inventVocabulary(recordCount, random);
  // Zipf with exponent 1 by inverse transform: the rank is exponential in chance.
  const drawWord = (chance: number): string => vocabulary[Math.floor(vocabulary.length ** chance) - 1] ?? "the";
  const writeText = (source: () => number, words: number): string =>
    Array.from({ length: words }, () => drawWord(source())).join(" ");
  // Titles are made of rarer words than sentences.
  const writeTitle = (page: number): string => {
    const source = createRandom(seed * 1_000_003 + page);
    return Array.from({ length: 2 + Math.floor(source() * 3) }, () => drawWord(0.35 + 0.65 * source())).join(" ");
  };

  function* records(): Generator<SearchRecord> {
    let made = 0;
    for (let page = 0; made < recordCount; page++) {
      const source = createRandom(seed * 2_000_003 + page);
      const base = { ...EMPTY_HIERARCHY, lvl0: `Section ${page % 40} / ${writeTitle(page)}`, lvl1: writeTitle(page) };
      const url = `https://docs.example.org/section-${page % 40}/page-${page}`;
      let position = 0;
      const record = (
        type: SearchRecord["type"],
        anchor: string | null,
        content: string | null,
        lvl2: string | null,
      ): SearchRecord => ({
        objectID: `${position}-${url}`,
        url: anchor === null ? url : `${url}#${anchor}`,
        url_without_anchor: url,
        anchor,
        type,
        content,
        hierarchy: { ...base, lvl2 },
        weight: { pageRank: 1, level: 0, position: position++ },
        language: "en",
        docusaurus_tag: "docs-default-current",
        ...(type === "lvl1" ? { keywords: [writeTitle(page)] } : {}),
      });
      const page1 = [record("lvl1", null, writeText(source, 14), null)];
      for (let section = 0; section < SECTIONS_PER_PAGE; section++) {
        const heading = writeText(source, 2 + Math.floor(source() * 4));
        page1.push(record("lvl2", `s${section}`, null, heading));
        for (let piece = 0; piece < (RECORDS_PER_PAGE - 1 - SECTIONS_PER_PAGE) / SECTIONS_PER_PAGE; piece++) {
          page1.push(record("content", `s${section}`, writeText(source, 30 + Math.floor(source() * 50)), heading));
        }
      }
      for (const one of page1.slice(0, recordCount - made)) {
        made += 1;
        yield one;
      }
    }
  }
  return { records: records(), queries: inventQueries(recordCount, writeTitle, writeText, random) };
}

/** Keystrokes towards titles and phrases, whole words, some with a mistake. */
function inventQueries(
  recordCount: number,
  writeTitle: (page: number) => string,
  writeText: (source: () => number, words: number) => string,
  random: () => number,
): string[] {
  const pages = Math.max(1, Math.floor(recordCount / RECORDS_PER_PAGE));
  const queries: string[] = [];
  while (queries.length < 600) {
    const chance = random();
    let query =
      chance < 0.6 ? writeTitle(Math.floor(random() * pages)) : writeText(random, 1 + Math.floor(random() * 3));
    if (random() < 0.15 && query.length > 6) {
      const at = 1 + Math.floor(random() * (query.length - 3));
      query = query.slice(0, at) + query.charAt(at + 1) + query.charAt(at) + query.slice(at + 2);
    }
    // As it is typed: one of its beginnings.
    queries.push(random() < 0.6 ? query.slice(0, 1 + Math.floor(random() * query.length)) : query);
  }
  return queries;
}
