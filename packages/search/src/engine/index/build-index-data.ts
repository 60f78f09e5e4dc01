/** Makes an index from records: numbers pages, urls, facets and terms, and sorts the occurrences by term. */
import { createHash } from "node:crypto";
import { HIERARCHY_LEVELS, type SearchRecord } from "../../records/search-record.ts";
import { type TokenKind, tokenize } from "../../text/tokenize.ts";
import { facetAttributeOf, withDefaults } from "../index-settings.ts";
import { describeName } from "../name-words.ts";
import { GrowingUint32 } from "./growing-array.ts";
import {
  ALIAS_STRIDE,
  CAMEL_BIT,
  FIELD,
  FIELD_SHIFT,
  type IndexData,
  type IndexMeta,
  NO_RECORD,
  POSITION_MASK,
} from "./index-format.ts";

export interface BuildIndexDataOptions {
  readonly indexName: string;
  readonly records: Iterable<SearchRecord>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Words between two texts of one field, so that no phrase crosses from one into the next. */
const FIELD_GAP = 8;
/** Facet ids are 16 bits wide. */
const MAX_FACET_SETS = 65_535;

class Numbering {
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#numbers.size;
  }

  of(key: string): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(key, number);
    }
    return number;
  }

  keys(): string[] {
    return [...this.#numbers.keys()];
  }
}

/** Occurrences in the order of the records, one entry in three columns each. */
class OccurrenceLog {
  readonly terms = new Numbering();
  readonly term = new GrowingUint32(1 << 16);
  readonly record = new GrowingUint32(1 << 16);
  readonly occurrence = new GrowingUint32(1 << 16);

  /** @returns The position behind the last word. */
  add(text: string, record: number, field: number, firstPosition: number): number {
    const fieldBits = (field << FIELD_SHIFT) >>> 0;
    return tokenize(
      text,
      (term: string, _start: number, _end: number, position: number, kind: TokenKind) => {
        this.term.push(this.terms.of(term));
        this.record.push(record);
        const camel = kind === "camelPart" ? CAMEL_BIT : 0;
        this.occurrence.push((fieldBits | camel | Math.min(position, POSITION_MASK)) >>> 0);
      },
      firstPosition,
    );
  }
}

function readFacetValues(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return value === undefined || value === null ? [] : [String(value)];
}

/** Keywords or questions as an upload may bring them: a list, or one text. */
function readTexts(value: unknown): readonly string[] {
  return readFacetValues(value);
}

/** Numbers that are sorted between two steps. */
const SORTED_BETWEEN_STEPS = 1 << 15;

/**
 * Builds the index of some records in memory, to the end.
 *
 * @throws {RangeError} when a facet attribute has more than 65,535 distinct sets of values.
 */
export function buildIndexData(options: BuildIndexDataOptions): IndexData {
  const steps = buildIndexSteps(options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Builds the same in many short steps, for a process that answers others meanwhile (`../../support/in-slices.ts`).
 *
 * @throws {RangeError} as {@link buildIndexData}.
 */
export function* buildIndexSteps({
  indexName,
  records,
  settings = {},
}: BuildIndexDataOptions): Generator<void, IndexData> {
  const facetAttributes = withDefaults(settings).settings.attributesForFaceting.map(facetAttributeOf);
  const facetSets = facetAttributes.map(() => new Numbering());
  const facetColumns = facetAttributes.map(() => new GrowingUint32());
  const pages = new Numbering();
  const urls = new Numbering();
  const log = new OccurrenceLog();
  const digest = createHash("sha256").update(JSON.stringify(settings));
  const encodedRecords: Buffer[] = [];
  const recordStart = new GrowingUint32();
  const recordPage = new GrowingUint32();
  const recordUrl = new GrowingUint32();
  const recordLevel = new GrowingUint32();
  const pageHead: number[] = [];
  const pageWords: number[] = [];
  const nameStart = new GrowingUint32();
  const nameWords = new GrowingUint32();
  const nameSum = new GrowingUint32();
  const addName = (text: string): void => {
    const name = describeName(text);
    nameWords.push(name.words);
    nameSum.push(name.sum);
  };
  const pageRank: number[] = [];

  let bytes = 0;
  let count = 0;
  for (const record of records) {
    yield;
    const number = count++;
    const encoded = Buffer.from(JSON.stringify(record));
    digest.update(encoded);
    encodedRecords.push(encoded);
    recordStart.push(bytes);
    bytes += encoded.length;

    const page = pages.of(record.url_without_anchor || record.url || record.objectID);
    pageHead[page] ??= NO_RECORD;
    pageWords[page] ??= 0;
    nameStart.push(nameWords.length);
    pageRank[page] = Math.max(pageRank[page] ?? record.weight.pageRank, record.weight.pageRank);
    recordPage.push(page);
    recordUrl.push(urls.of(record.url || record.objectID));
    recordLevel.push(record.type === "content" ? 7 : Number(record.type.slice(3)));
    for (const [column, attribute] of facetAttributes.entries()) {
      const set = (facetSets[column] as Numbering).of(JSON.stringify(readFacetValues(record[attribute])));
      if (set > MAX_FACET_SETS) throw new RangeError(`too many different values of the facet "${attribute}"`);
      (facetColumns[column] as GrowingUint32).push(set);
    }

    const { hierarchy } = record;
    const questions = readTexts(record.questions);
    const addQuestions = (textsBefore: number): void => {
      for (const [at, question] of questions.entries()) {
        log.add(question, number, FIELD.question, (textsBefore + at) * ALIAS_STRIDE);
      }
    };
    if (record.type === "lvl1") {
      if (pageHead[page] === NO_RECORD) pageHead[page] = number;
      log.add(hierarchy.lvl1 ?? "", number, FIELD.title, 0);
      log.add(hierarchy.lvl0 ?? "", number, FIELD.category, 0);
      const aliases = readTexts(record.keywords);
      for (const [at, alias] of aliases.entries()) log.add(alias, number, FIELD.alias, at * ALIAS_STRIDE);
      addQuestions(aliases.length);
      for (const name of [hierarchy.lvl1 ?? "", ...aliases, ...questions]) addName(name);
      pageWords[page] = (pageWords[page] as number) + log.add(record.content ?? "", number, FIELD.description, 0);
      continue;
    }
    let ownWords: number;
    if (record.type === "content") ownWords = log.add(record.content ?? "", number, FIELD.content, 0);
    else {
      ownWords = log.add(hierarchy[record.type] ?? "", number, FIELD.heading, 0);
      addQuestions(0);
      for (const name of [hierarchy[record.type] ?? "", ...questions]) addName(name);
    }
    pageWords[page] = (pageWords[page] as number) + ownWords;
    let position = 0;
    for (const level of HIERARCHY_LEVELS) {
      if (level === record.type) break;
      const text = hierarchy[level];
      if (text !== null) position = log.add(text, number, FIELD.context, position) + FIELD_GAP;
    }
  }
  recordStart.push(bytes);
  nameStart.push(nameWords.length);

  const sorted = yield* sortByTerm(log);
  const meta: IndexMeta = {
    indexName,
    version: digest.digest("hex").slice(0, 16),
    settings,
    recordCount: count,
    pageCount: pages.size,
    termCount: sorted.termStart.length - 1,
    averagePageWords: pageWords.length === 0 ? 0 : pageWords.reduce((sum, words) => sum + words, 0) / pageWords.length,
    facetSets: Object.fromEntries(
      facetAttributes.map((attribute, column) => [
        attribute,
        (facetSets[column] as Numbering).keys().map((key): string[] => JSON.parse(key)),
      ]),
    ),
  };
  const facetIds = new Uint16Array(facetAttributes.length * count);
  for (const [column, ids] of facetColumns.entries()) facetIds.set(ids.view(), column * count);
  return {
    meta,
    sections: {
      records: Buffer.concat(encodedRecords, bytes),
      recordStart: recordStart.view(),
      recordPage: recordPage.view(),
      recordUrl: recordUrl.view(),
      recordLevel: Uint8Array.from(recordLevel.view()),
      facetIds,
      pageHead: Uint32Array.from(pageHead),
      pageWords: Uint32Array.from(pageWords),
      nameStart: nameStart.view(),
      nameWords: Uint8Array.from(nameWords.view()),
      nameSum: nameSum.view(),
      pageRank: Float32Array.from(pageRank),
      ...sorted,
    },
  };
}

/** A counting sort: stable, so that the records of a term stay ascending. */
function* sortByTerm(
  log: OccurrenceLog,
): Generator<
  void,
  Pick<IndexData["sections"], "terms" | "termStart" | "postingRecord" | "occurrenceStart" | "occurrences">
> {
  const termTexts = log.terms.keys();
  const order = termTexts
    .map((_, number) => number)
    .sort((a, b) => compareUnits(termTexts[a] as string, termTexts[b] as string));
  const rankOf = new Uint32Array(order.length);
  for (const [rank, number] of order.entries()) rankOf[number] = rank;

  const term = log.term.view();
  const record = log.record.view();
  const occurrence = log.occurrence.view();
  const next = new Uint32Array(order.length + 1);
  yield;
  for (let at = 0; at < term.length; at++) {
    if (at % SORTED_BETWEEN_STEPS === 0) yield;
    const slot = (rankOf[term[at] as number] as number) + 1;
    next[slot] = (next[slot] as number) + 1;
  }
  for (let rank = 0; rank < order.length; rank++) next[rank + 1] = (next[rank + 1] as number) + (next[rank] as number);
  const termEnds = next.slice(1);
  const sortedRecord = new Uint32Array(term.length);
  const occurrences = new Uint32Array(term.length);
  for (let at = 0; at < term.length; at++) {
    if (at % SORTED_BETWEEN_STEPS === 0) yield;
    const rank = rankOf[term[at] as number] as number;
    const target = next[rank] as number;
    next[rank] = target + 1;
    sortedRecord[target] = record[at] as number;
    occurrences[target] = occurrence[at] as number;
  }

  const termStart = new Uint32Array(order.length + 1);
  const postingRecord = new GrowingUint32(1 << 16);
  const occurrenceStart = new GrowingUint32(1 << 16);
  let at = 0;
  for (let rank = 0; rank < order.length; rank++) {
    yield;
    const end = termEnds[rank] as number;
    for (let last = -1; at < end; at++) {
      const current = sortedRecord[at] as number;
      if (current === last) continue;
      last = current;
      postingRecord.push(current);
      occurrenceStart.push(at);
    }
    termStart[rank + 1] = postingRecord.length;
  }
  occurrenceStart.push(term.length);
  return {
    terms: Buffer.from(order.map((number) => termTexts[number]).join("\n")),
    termStart,
    postingRecord: postingRecord.view(),
    occurrenceStart: occurrenceStart.view(),
    occurrences,
  };
}

/** By UTF-16 units, as `<` on strings: the order that binary search in the vocabulary relies on. */
function compareUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
