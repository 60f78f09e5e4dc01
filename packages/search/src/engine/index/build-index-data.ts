/** Makes an index from records: numbers pages, urls, facets and terms, and sorts the occurrences by term. */
import type { SearchRecord } from "../../records/search-record.ts";
import { GrowingUint32 } from "./growing-array.ts";
import type { IndexData } from "./index-format.ts";
import { type OccurrenceLog, RecordColumns, type TermSections } from "./record-columns.ts";

export interface BuildIndexDataOptions {
  readonly indexName: string;
  readonly records: Iterable<SearchRecord>;
  readonly settings?: Readonly<Record<string, unknown>>;
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
  const columns = new RecordColumns(settings);
  for (const record of records) {
    yield;
    columns.add(record);
  }
  const sorted = yield* sortByTerm(columns.occurrences);
  const meta = columns.summarize(indexName, sorted.termStart.length - 1);
  return { meta, sections: { ...columns.write(), ...sorted } };
}

/** A counting sort: stable, so that the records of a term stay ascending. */
function* sortByTerm(log: OccurrenceLog): Generator<void, Pick<IndexData["sections"], TermSections>> {
  const termTexts = log.terms.keys();
  const order = termTexts
    .map((_, number) => number)
    .sort((a, b) => compareUnits(termTexts[a] as string, termTexts[b] as string));
  const ranks = new Uint32Array(order.length);
  for (const [rank, number] of order.entries()) ranks[number] = rank;

  const term = log.term.view();
  const record = log.record.view();
  const occurrence = log.occurrence.view();
  const next = new Uint32Array(order.length + 1);
  yield;
  for (let at = 0; at < term.length; at++) {
    if (at % SORTED_BETWEEN_STEPS === 0) yield;
    const slot = (ranks[term[at] as number] as number) + 1;
    next[slot] = (next[slot] as number) + 1;
  }
  for (let rank = 0; rank < order.length; rank++) next[rank + 1] = (next[rank + 1] as number) + (next[rank] as number);
  const termEnds = next.slice(1);
  const sortedRecord = new Uint32Array(term.length);
  const occurrences = new Uint32Array(term.length);
  for (let at = 0; at < term.length; at++) {
    if (at % SORTED_BETWEEN_STEPS === 0) yield;
    const rank = ranks[term[at] as number] as number;
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
