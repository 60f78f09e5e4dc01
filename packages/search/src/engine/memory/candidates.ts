/** From matches to an order: which pages are candidates, how they compare, which of their records answer. */

import { FIELD_SHIFT, findMaxRank, type IndexData, NO_RECORD, POSITION_MASK } from "../index/index-format.ts";
import type { QueryKind } from "../query-words.ts";
import { bestPlaces } from "./best-places.ts";
import type { MatchTable } from "./match-table.ts";
import {
  countSlots,
  ENOUGH_PAGES,
  MAX_PROXIMITY_GAP,
  PAGE_MIX,
  PROXIMITY_WEIGHTS,
  RANK_FACTOR,
  REFINED_PAGES,
  TEXT_FACTOR,
} from "./ranking.ts";
import { type Asked, SectionChoice } from "./section-choice.ts";

export interface Candidate {
  readonly page: number;
  score: number;
  /** How well its best section fits the query, 0–1. */
  readonly section: number;
  /** Records of the page that answer, best first once the candidate was refined. */
  records: number[];
}

export interface Ranking {
  /** Pages on which every word occurs. */
  readonly fullPages: number;
  /** Best first; as many as were requested. No two of their records have the same url. */
  readonly candidates: Candidate[];
  /** Records of all candidate pages, one for each url. */
  readonly total: number;
  /** These records, when they were requested. */
  readonly counted: readonly number[];
}

export interface RankOptions {
  readonly kind: QueryKind;
  /** Whether the query says that something does not work. */
  readonly saysProblem: boolean;
  /** Hits that are examined, from the first. */
  readonly wanted: number;
  readonly wantsCounted: boolean;
}

/** Records shown of a page on which no single record has every word. */
const MAX_PARTIAL_RECORDS = 3;

/**
 * Tables as long as the index, made once and reused, as in `match-table.ts`: at a hundred thousand records an object per
 * matching page costs more than all the rest of a search.
 */
export class CandidateRanker {
  readonly #data: IndexData;
  readonly #table: MatchTable;
  readonly #maxRank: number;
  /** The candidate pages of this search, and their scores. */
  readonly #pages: Uint32Array;
  readonly #scores: Float64Array;
  /** Per page, its place among the candidates plus one, 0 for none. */
  readonly #place: Uint32Array;
  /** Records of candidate i are records[starts[i]…starts[i + 1]]. */
  readonly #starts: Uint32Array;
  readonly #records: Uint32Array;
  readonly #choice: SectionChoice;
  /** Per url, the number of the last search that counted it. */
  readonly #urlStamp: Uint32Array;
  #stamp = 0;

  /** @param maxRank The best prior of all pages. Default: of those in the index. */
  constructor(data: IndexData, table: MatchTable, maxRank = findMaxRank(data)) {
    const { pageCount, recordCount } = data.meta;
    this.#data = data;
    this.#table = table;
    this.#maxRank = maxRank;
    this.#pages = new Uint32Array(pageCount);
    this.#scores = new Float64Array(pageCount);
    this.#place = new Uint32Array(pageCount);
    this.#starts = new Uint32Array(pageCount + 2);
    this.#records = new Uint32Array(recordCount);
    this.#choice = new SectionChoice(data, table);
    this.#urlStamp = new Uint32Array(recordCount);
  }

  /** Orders the pages that the table's words occur on. */
  rank({ kind, saysProblem, wanted, wantsCounted }: RankOptions): Ranking {
    const { sections } = this.#data;
    const table = this.#table;
    const full = table.fullMask;
    let fullPages = 0;
    for (const page of table.pages) if (table.maskOfPage(page) === full) fullPages += 1;
    const wantsPartial = table.words > 1 && fullPages < ENOUGH_PAGES;
    const textWeight = PAGE_MIX.text * TEXT_FACTOR[kind];
    const rankWeight = PAGE_MIX.rank * RANK_FACTOR[kind];
    let count = 0;
    for (const page of table.pages) {
      if (!wantsPartial && table.maskOfPage(page) !== full) continue;
      const text = table.scoreText(page) * table.measureCoverage(page);
      const rank = (sections.pageRank[page] as number) / this.#maxRank;
      this.#pages[count] = page;
      this.#scores[count] = textWeight * text + rankWeight * rank;
      this.#place[page] = ++count;
    }
    this.#groupRecords(count);
    const best = bestPlaces(this.#scores.subarray(0, count), Math.max(REFINED_PAGES, wanted));
    const candidates = best.map((place) => ({
      page: this.#pages[place] as number,
      score: this.#scores[place] as number,
      section: this.#scoreBestSection(place),
      records: this.#chooseRecords(place),
    }));
    const refined = this.#refine(candidates, wanted, { saysProblem, isMessage: kind === "message" });
    for (const place of best) this.#place[this.#pages[place] as number] = 0;
    return { fullPages, candidates: refined, ...this.#count(refined, count, wantsCounted) };
  }

  /** Sorts the matching records by candidate, in one pass over them each to count and to place. */
  #groupRecords(count: number): void {
    const { recordPage } = this.#data.sections;
    const starts = this.#starts;
    starts.fill(0, 0, count + 2);
    // Shifted by two: while records are placed, starts[i + 1] moves from the begin of candidate i to its end.
    const { records } = this.#table;
    for (const record of records) {
      const place = this.#place[recordPage[record] as number] as number;
      if (place > 0) starts[place + 1] = (starts[place + 1] as number) + 1;
    }
    for (let at = 2; at <= count + 1; at++) starts[at] = (starts[at] as number) + (starts[at - 1] as number);
    for (const record of records) {
      const place = this.#place[recordPage[record] as number] as number;
      if (place === 0) continue;
      const target = starts[place] as number;
      this.#records[target] = record;
      starts[place] = target + 1;
    }
  }

  #scoreBestSection(place: number): number {
    let best = 0;
    for (let at = this.#starts[place] as number; at < (this.#starts[place + 1] as number); at++) {
      best = Math.max(best, this.#table.scoreSection(this.#records[at] as number));
    }
    return best;
  }

  /** The records that have every word, and the page's own; when none has every word, the best few. */
  #chooseRecords(place: number): number[] {
    const table = this.#table;
    const from = this.#starts[place] as number;
    const to = this.#starts[place + 1] as number;
    const head = this.#data.sections.pageHead[this.#pages[place] as number] as number;
    const complete: number[] = [];
    let isHeadIncomplete = false;
    for (let at = from; at < to; at++) {
      const record = this.#records[at] as number;
      if (table.maskOfRecord(record) === table.fullMask) complete.push(record);
      else if (record === head) isHeadIncomplete = true;
    }
    if (complete.length > 0) {
      if (isHeadIncomplete) complete.push(head);
      return complete;
    }
    return this.#chooseFitting(from, to);
  }

  /** A few of the records from one place up to another, best first; chosen in one pass, because most pages of a search have many. */
  #chooseFitting(from: number, to: number): number[] {
    const best: number[] = [];
    const fits: number[] = [];
    for (let at = from; at < to; at++) {
      const record = this.#records[at] as number;
      const fit = this.#table.scoreRecord(record) + this.#table.scoreSection(record);
      let place = best.length;
      while (place > 0 && isBetter(fit, record, fits[place - 1] as number, best[place - 1] as number)) place -= 1;
      if (place === MAX_PARTIAL_RECORDS) continue;
      best.splice(place, 0, record);
      fits.splice(place, 0, fit);
      if (best.length > MAX_PARTIAL_RECORDS) {
        best.pop();
        fits.pop();
      }
    }
    return best;
  }

  /** Counts one record for each url: those of the candidates, which lose the others, then those of the remaining pages. */
  #count(candidates: readonly Candidate[], count: number, wantsCounted: boolean): Pick<Ranking, "total" | "counted"> {
    const { recordUrl } = this.#data.sections;
    const counted: number[] = [];
    const stamp = ++this.#stamp;
    let total = 0;
    const isNew = (record: number): boolean => {
      const url = recordUrl[record] as number;
      if (this.#urlStamp[url] === stamp) return false;
      this.#urlStamp[url] = stamp;
      total += 1;
      if (wantsCounted) counted.push(record);
      return true;
    };
    for (const { records } of candidates) {
      let kept = 0;
      for (const record of records) if (isNew(record)) records[kept++] = record;
      records.length = kept;
    }
    for (let place = 0; place < count; place++) {
      const page = this.#pages[place] as number;
      if (this.#place[page] === 0) continue;
      this.#place[page] = 0;
      for (const record of this.#chooseRecords(place)) isNew(record);
    }
    return { total, counted };
  }

  /** Ranks the best candidates closely by names, words side by side, the best record; orders the records of the wanted. */
  #refine(candidates: Candidate[], wanted: number, asked: Asked): Candidate[] {
    candidates.sort((a, b) => b.score - a.score || a.page - b.page);
    const close = candidates.slice(0, REFINED_PAGES);
    for (const candidate of close) {
      let bestRecord = 0;
      let bestProximity = 0;
      const head = this.#data.sections.pageHead[candidate.page] as number;
      const bestName = head === NO_RECORD ? 0 : this.#table.scoreNames(head);
      let bestHeading = 0;
      for (const record of candidate.records) {
        const proximity = this.#measureProximity(record);
        const fit = this.#table.scoreRecord(record);
        const heading = record === head ? 0 : this.#table.scoreNames(record);
        bestRecord = Math.max(bestRecord, fit);
        bestHeading = Math.max(bestHeading, heading);
        bestProximity = Math.max(bestProximity, proximity);
      }
      candidate.score +=
        PAGE_MIX.title * Math.max(bestName, PAGE_MIX.heading * bestHeading) +
        PAGE_MIX.record * bestRecord +
        PAGE_MIX.section * candidate.section +
        PAGE_MIX.proximity * bestProximity;
    }
    close.sort((a, b) => b.score - a.score || a.page - b.page);
    let left = wanted;
    for (let rank = 0; rank < close.length && left > 0; rank++) {
      const candidate = close[rank] as Candidate;
      this.#chooseSections(candidate, asked);
      left -= Math.min(countSlots(rank), candidate.records.length);
    }
    return [...close, ...candidates.slice(REFINED_PAGES)];
  }

  /** The sections that answer instead of single records. */
  #chooseSections(candidate: Candidate, asked: Asked): void {
    const place = (this.#place[candidate.page] as number) - 1;
    candidate.records = this.#choice.choose({
      page: candidate.page,
      ...asked,
      records: this.#records.subarray(this.#starts[place], this.#starts[place + 1]),
      measureProximity: (record) => this.#measureProximity(record),
    });
  }

  /** How close the query's neighbours are in a record: 1 when all are side by side in the title, 0 when none are near. */
  #measureProximity(record: number): number {
    const { words } = this.#table;
    if (words < 2) return 0;
    const mask = this.#table.maskOfRecord(record);
    let sum = 0;
    for (let word = 0; word + 1 < words; word++) {
      const both = 0b11 << word;
      if ((mask & both) === both) sum += this.#pairProximity(word, record);
    }
    return sum / (words - 1);
  }

  #pairProximity(word: number, record: number): number {
    const table = this.#table;
    const quality = table.readQuality(word, record) * table.readQuality(word + 1, record);
    const rights = table.listOccurrences(word + 1, record);
    let best = 0;
    for (const left of table.listOccurrences(word, record)) {
      const field = left >>> FIELD_SHIFT;
      for (const right of rights) {
        if (right >>> FIELD_SHIFT !== field) continue;
        const distance = (right & POSITION_MASK) - (left & POSITION_MASK);
        // Words in the wrong order are a little further apart than they look; both may be parts of one compound.
        const gap = distance > 0 ? distance : 1 - distance;
        if (gap <= MAX_PROXIMITY_GAP) best = Math.max(best, (PROXIMITY_WEIGHTS[field] as number) / gap);
      }
    }
    return best * quality;
  }
}

function isBetter(fit: number, record: number, otherFit: number, otherRecord: number): boolean {
  return fit > otherFit || (fit === otherFit && record < otherRecord);
}

/** Records from `offset` on: every page gives as many as its rank allows, then the rest follows in the same order. */
export function takeTurns(
  candidates: readonly Candidate[],
  offset: number,
  limit: number,
): { record: number; score: number }[] {
  const taken: { record: number; score: number }[] = [];
  const end = offset + limit;
  let at = 0;
  const take = ({ records, score }: Candidate, from: number, to: number): void => {
    for (let turn = from; turn < Math.min(to, records.length) && at < end; turn++, at++) {
      if (at >= offset) taken.push({ record: records[turn] as number, score });
    }
  };
  for (const [rank, candidate] of candidates.entries()) {
    if (at >= end) return taken;
    take(candidate, 0, countSlots(rank));
  }
  for (const [rank, candidate] of candidates.entries()) {
    if (at >= end) return taken;
    take(candidate, countSlots(rank), candidate.records.length);
  }
  return taken;
}
