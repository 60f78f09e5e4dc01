/**
 * What OpenSearch keeps: a document for each page with its words for finding it, and with the page's part of our own index, by
 * which it is ranked; and the words of all pages, in documents of their own, from which typed words are completed and corrected.
 */
import type { SearchRecord } from "../../records/search-record.ts";
import { tokenize } from "../../text/tokenize.ts";
import { buildIndexData } from "../index/build-index-data.ts";
import {
  encodeIndex,
  FIELD,
  FIELD_COUNT,
  FIELD_SHIFT,
  findMaxRank,
  type IndexData,
  NO_RECORD,
  readTerms,
} from "../index/index-format.ts";
import { readFacetAttribute } from "../index-settings.ts";
import { OwnEngine } from "../memory/memory-engine.ts";
import { PAGE_WEIGHTS } from "../memory/ranking.ts";

/** Raised when documents change, so that an engine does not read those of another version. */
export const DOCUMENT_FORMAT = 1;
/** Words in one document of the vocabulary. */
const VOCABULARY_CHUNK = 20_000;
/** The weight of a field is how often its words are written; 1.5 is three times of two. */
const REPEATS_PER_WEIGHT = 2;
/** A word is written at most this often: beyond, its count is saturated. */
const MAX_REPEATS = 60;

/** `_meta` of an index: what the engine must know of the whole. */
export interface CorpusMeta {
  readonly format: number;
  readonly version: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly pageCount: number;
  readonly recordCount: number;
  /** Absent in an index from before. */
  readonly commands?: readonly string[];
  readonly averagePageWords: number;
  readonly maxRank: number;
  readonly vocabularyChunks: number;
}

export interface IndexShape {
  /** Default 1. */
  readonly shards?: number;
  /** Copies beside the first. Default: 1, and 0 on one node, as `auto_expand_replicas` says. */
  readonly replicas?: number;
}

/** Body of `PUT /{index}`. Words arrive as our own tokens, so that both engines see the same ones. */
export function describeIndex(meta: CorpusMeta, { shards = 1, replicas }: IndexShape): object {
  return {
    settings: {
      number_of_shards: shards,
      ...(replicas === undefined ? { auto_expand_replicas: "0-1" } : { number_of_replicas: replicas }),
      refresh_interval: -1,
      similarity: { pages: { type: "BM25", k1: 3 * REPEATS_PER_WEIGHT, b: 0.2 } },
      analysis: { analyzer: { tokens: { tokenizer: "whitespace" } } },
    },
    mappings: {
      dynamic: false,
      _meta: meta,
      properties: {
        kind: { type: "keyword" },
        number: { type: "integer" },
        words: { type: "text", analyzer: "tokens", similarity: "pages", index_options: "freqs" },
        text: { type: "text", analyzer: "tokens", position_increment_gap: 100, norms: false },
        rank: { type: "float" },
        /** `attribute:value` of every facet of a record, and of the page's own record. */
        facets: { type: "keyword" },
        headFacets: { type: "keyword" },
        index: { type: "binary" },
        terms: { type: "keyword", index: false, doc_values: false },
        counts: { type: "integer", index: false, doc_values: false },
      },
    },
  };
}

export function describeCorpus(data: IndexData): CorpusMeta {
  const { version, settings, pageCount, recordCount, termCount, commands, averagePageWords } = data.meta;
  return {
    format: DOCUMENT_FORMAT,
    version,
    settings,
    pageCount,
    recordCount,
    ...(commands !== undefined && { commands }),
    averagePageWords,
    maxRank: findMaxRank(data),
    vocabularyChunks: Math.ceil(termCount / VOCABULARY_CHUNK),
  };
}

export interface Document {
  readonly id: string;
  readonly body: object;
}

/** Every document of an index, one after the other. */
export function* createDocuments(data: IndexData): Generator<Document> {
  yield* vocabularyDocuments(data);
  const engine = new OwnEngine({ data });
  const whole: Whole = {
    attributes: engine.settings.attributesForFaceting.map(readFacetAttribute),
    lowestRank: data.sections.pageRank.reduce((lowest, rank) => Math.min(lowest, rank), Number.POSITIVE_INFINITY),
  };
  for (const [page, records] of recordsByPage(data).entries()) {
    yield pageDocument(page, records, engine, whole);
  }
}

export function vocabularyId(chunk: number): string {
  return `vocabulary-${chunk}`;
}

function* vocabularyDocuments(data: IndexData): Generator<Document> {
  const texts = readTerms(data);
  const { termStart } = data.sections;
  for (let from = 0; from < texts.length; from += VOCABULARY_CHUNK) {
    const chunk = texts.slice(from, from + VOCABULARY_CHUNK);
    const counts = chunk.map((_, at) => (termStart[from + at + 1] as number) - (termStart[from + at] as number));
    const body = { kind: "vocabulary", terms: chunk.join("\n"), counts };
    yield { id: vocabularyId(from / VOCABULARY_CHUNK), body };
  }
}

function recordsByPage({ meta, sections }: IndexData): number[][] {
  const pages: number[][] = Array.from({ length: meta.pageCount }, () => []);
  for (let record = 0; record < meta.recordCount; record++) pages[sections.recordPage[record] as number]?.push(record);
  return pages;
}

/** What a page's document must know of the others. */
interface Whole {
  /** Facets to filter and count by. */
  readonly attributes: readonly string[];
  /** The cluster adds no negative scores. */
  readonly lowestRank: number;
}

function pageDocument(page: number, numbers: readonly number[], engine: OwnEngine, of: Whole): Document {
  const { meta, sections } = engine.data;
  const { attributes, lowestRank } = of;
  const records = numbers.map((number) => engine.recordAt(number));
  const part = buildIndexData({ indexName: meta.indexName, records, settings: meta.settings });
  const head = sections.pageHead[page] as number;
  return {
    id: String(page),
    body: {
      kind: "page",
      number: page,
      words: weightedWords(part).join(" "),
      text: records.flatMap(listTexts).map(plainWords),
      rank: (sections.pageRank[page] as number) - lowestRank,
      facets: [...new Set(records.flatMap((record) => facetValues(record, attributes)))],
      headFacets: head === NO_RECORD ? [] : facetValues(engine.recordAt(head), attributes),
      index: Buffer.concat(encodeIndex(part)).toString("base64"),
    },
  };
}

/** Every term of a page, written as often as its places are worth: BM25 over the page's weighted fields. */
function weightedWords(data: IndexData): string[] {
  const { termStart, occurrenceStart, occurrences } = data.sections;
  return readTerms(data).flatMap((text, term) => {
    const from = occurrenceStart[termStart[term] as number] as number;
    const to = occurrenceStart[termStart[term + 1] as number] as number;
    const perField = new Uint32Array(FIELD_COUNT);
    for (let at = from; at < to; at++) {
      const field = (occurrences[at] as number) >>> FIELD_SHIFT;
      perField[field] = (perField[field] as number) + 1;
    }
    const weight = perField.reduce((sum, count, field) => sum + count * (PAGE_WEIGHTS[field] as number), 0);
    const isInContextOnly = weight === 0 && (perField[FIELD.context] as number) > 0;
    const repeats = isInContextOnly ? 1 : Math.round(weight * REPEATS_PER_WEIGHT);
    return Array.from({ length: Math.min(MAX_REPEATS, Math.max(1, repeats)) }, () => text);
  });
}

function listTexts({ hierarchy, content, type }: SearchRecord): string[] {
  const own = type === "content" ? content : hierarchy[type];
  return own === null || own === undefined ? [] : [own];
}

/** Words and parts of words in their order, for phrases. */
function plainWords(text: string): string {
  const words: string[] = [];
  tokenize(text, (term, _start, _end, _position, kind) => {
    if (kind === "word" || kind === "part" || kind === "camelPart") words.push(term);
  });
  return words.join(" ");
}

function facetValues(record: SearchRecord, attributes: readonly string[]): string[] {
  return attributes.flatMap((attribute) => {
    const value = record[attribute];
    const values = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
    return values.map((one) => `${attribute}:${String(one)}`);
  });
}
