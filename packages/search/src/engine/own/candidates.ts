/** From matches to an order: which pages are candidates, how they compare, which of their records answer. */
import { FIELD, FIELD_SHIFT, type IndexData, NO_RECORD, POSITION_MASK } from "./index-format.ts";
import type { MatchTable } from "./match-table.ts";
import {
  COVERAGE_POWER,
  ENOUGH_PAGES,
  MAX_PROXIMITY_GAP,
  PAGE_MIX,
  PROXIMITY_WEIGHTS,
  QUESTION_RANK_FACTOR,
  REFINED_PAGES,
  slotsOf,
} from "./ranking.ts";

export interface Candidate {
  readonly page: number;
  score: number;
  /** Records of the page that answer, best first once the candidate was refined. */
  readonly records: number[];
}

export interface Ranking {
  /** Pages on which every word occurs. */
  readonly fullPages: number;
  /** Best first. */
  readonly candidates: Candidate[];
}

/** Records shown of a page on which no single record has every word. */
const MAX_PARTIAL_RECORDS = 3;

export class CandidateRanker {
  readonly #data: IndexData;
  readonly #table: MatchTable;
  readonly #maxRank: number;

  constructor(data: IndexData, table: MatchTable) {
    this.#data = data;
    this.#table = table;
    this.#maxRank = data.sections.pageRank.reduce((most, rank) => Math.max(most, rank), 1);
  }

  /**
   * Orders the pages that the table's words occur on.
   *
   * @param isQuestion Whether the query is in plain words; then pages that explain come before pages to look things up in.
   */
  rank(isQuestion: boolean): Ranking {
    const { sections } = this.#data;
    const table = this.#table;
    const full = table.fullMask;
    let fullPages = 0;
    for (const page of table.pages) if (table.maskOfPage(page) === full) fullPages += 1;
    const wantsPartial = table.words > 1 && fullPages < ENOUGH_PAGES;
    const rankWeight = PAGE_MIX.rank * (isQuestion ? QUESTION_RANK_FACTOR : 1);
    const byPage = new Map<number, Candidate>();
    for (const page of table.pages) {
      if (table.maskOfPage(page) !== full && !wantsPartial) continue;
      const text = table.textScoreOf(page) * table.coverageOf(page) ** COVERAGE_POWER;
      const rank = (sections.pageRank[page] as number) / this.#maxRank;
      byPage.set(page, { page, score: PAGE_MIX.text * text + rankWeight * rank, records: [] });
    }
    for (const record of table.records) byPage.get(sections.recordPage[record] as number)?.records.push(record);
    const candidates: Candidate[] = [];
    for (const candidate of byPage.values()) {
      this.#keepBestRecords(candidate);
      if (candidate.records.length > 0) candidates.push(candidate);
    }
    return { fullPages, candidates: this.#refine(candidates) };
  }

  /** Leaves a candidate the records that have every word, and the page's own; when none has every word, the best few. */
  #keepBestRecords({ page, records }: Candidate): void {
    const table = this.#table;
    const complete = records.filter((record) => table.maskOfRecord(record) === table.fullMask);
    if (complete.length > 0) {
      const head = this.#data.sections.pageHead[page] as number;
      if (!complete.includes(head) && records.includes(head)) complete.push(head);
      if (complete.length < records.length) records.splice(0, records.length, ...complete);
      return;
    }
    records.sort((a, b) => table.recordScoreOf(b) - table.recordScoreOf(a) || a - b);
    records.length = Math.min(records.length, MAX_PARTIAL_RECORDS);
  }

  /** Looks closely at the best candidates: title, words side by side, the best record. */
  #refine(candidates: Candidate[]): Candidate[] {
    candidates.sort((a, b) => b.score - a.score || a.page - b.page);
    const close = candidates.slice(0, REFINED_PAGES);
    const worth = new Map<number, number>();
    for (const candidate of close) {
      let bestRecord = 0;
      let bestProximity = 0;
      for (const record of candidate.records) {
        const proximity = this.#proximityOf(record);
        const fit = this.#table.recordScoreOf(record);
        worth.set(record, PAGE_MIX.record * fit + PAGE_MIX.proximity * proximity);
        bestRecord = Math.max(bestRecord, fit);
        bestProximity = Math.max(bestProximity, proximity);
      }
      candidate.score +=
        PAGE_MIX.title * this.#titleMatchOf(candidate.page) +
        PAGE_MIX.record * bestRecord +
        PAGE_MIX.proximity * bestProximity;
    }
    close.sort((a, b) => b.score - a.score || a.page - b.page);
    for (const [rank, candidate] of close.entries()) this.#orderRecords(candidate, rank, worth);
    return [...close, ...candidates.slice(REFINED_PAGES)];
  }

  /**
   * Best first; the page's own record before all others where it does not take the only turn from a better answer: readers
   * see where the others belong, and recent searches need it.
   */
  #orderRecords({ page, records }: Candidate, rank: number, worth: ReadonlyMap<number, number>): void {
    const { pageHead, recordLevel } = this.#data.sections;
    const head = pageHead[page] as number;
    const isHeadFirst = slotsOf(rank) > 1 || this.#table.maskOfRecord(head) === this.#table.fullMask;
    const worthOf = (record: number): number =>
      record === head && isHeadFirst ? Number.POSITIVE_INFINITY : (worth.get(record) ?? 0);
    records.sort((a, b) => {
      const difference = worthOf(b) - worthOf(a);
      return difference || (recordLevel[a] as number) - (recordLevel[b] as number) || a - b;
    });
  }

  /** How close the query's neighbours stand in a record: 1 when all are side by side in the title, 0 when none are near. */
  #proximityOf(record: number): number {
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
    const quality = table.qualityOf(word, record) * table.qualityOf(word + 1, record);
    const rights = table.occurrencesOf(word + 1, record);
    let best = 0;
    for (const left of table.occurrencesOf(word, record)) {
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

  /** How much of the query the page's title answers, and how much of the title the query names. */
  #titleMatchOf(page: number): number {
    const { pageHead, pageTitleWords } = this.#data.sections;
    const head = pageHead[page] as number;
    if (head === NO_RECORD) return 0;
    const table = this.#table;
    const mask = table.maskOfRecord(head);
    const named = new Set<number>();
    let answered = 0;
    for (let word = 0; word < table.words; word++) {
      if ((mask & (1 << word)) === 0) continue;
      let isInTitle = false;
      for (const occurrence of table.occurrencesOf(word, head)) {
        if (occurrence >>> FIELD_SHIFT !== FIELD.title) continue;
        isInTitle = true;
        named.add(occurrence & POSITION_MASK);
      }
      if (isInTitle) answered += table.shareOf(word) * table.qualityOf(word, head);
    }
    return answered * (0.5 + 0.5 * Math.min(1, named.size / Math.max(1, pageTitleWords[page] as number)));
  }
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
    take(candidate, 0, slotsOf(rank));
  }
  for (const [rank, candidate] of candidates.entries()) {
    if (at >= end) return taken;
    take(candidate, slotsOf(rank), candidate.records.length);
  }
  return taken;
}
