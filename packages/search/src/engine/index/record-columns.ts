/** The columns of an index, filled record by record: what each is, where it belongs, and which terms occur in it. */
import { createHash } from "node:crypto";
import { HIERARCHY_LEVELS, type SearchRecord } from "../../records/search-record.ts";
import { type TokenKind, tokenize } from "../../text/tokenize.ts";
import { listCommandNames } from "../command-names.ts";
import { readFacetAttribute, withDefaults } from "../index-settings.ts";
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
export class OccurrenceLog {
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

/** The sections that are made of the occurrences. */
export type TermSections = "terms" | "termStart" | "postingRecord" | "occurrenceStart" | "occurrences";

/** Everything in an index but the terms, which are sorted when the last record is added. */
export class RecordColumns {
  readonly occurrences = new OccurrenceLog();
  readonly #settings: Readonly<Record<string, unknown>>;
  readonly #facetAttributes: readonly string[];
  readonly #facetSets: readonly Numbering[];
  readonly #facetColumns: readonly GrowingUint32[];
  readonly #pages = new Numbering();
  readonly #urls = new Numbering();
  readonly #digest = createHash("sha256");
  readonly #encodedRecords: Buffer[] = [];
  readonly #recordStart = new GrowingUint32();
  readonly #recordPage = new GrowingUint32();
  readonly #recordUrl = new GrowingUint32();
  readonly #recordLevel = new GrowingUint32();
  readonly #pageHead: number[] = [];
  readonly #pageWords: number[] = [];
  readonly #pageRank: number[] = [];
  readonly #nameStart = new GrowingUint32();
  readonly #nameWords = new GrowingUint32();
  readonly #nameSum = new GrowingUint32();
  /** Titles and keywords of pages. */
  readonly #pageNames = new Set<string>();
  #bytes = 0;

  constructor(settings: Readonly<Record<string, unknown>>) {
    this.#settings = settings;
    this.#facetAttributes = withDefaults(settings).settings.attributesForFaceting.map(readFacetAttribute);
    this.#facetSets = this.#facetAttributes.map(() => new Numbering());
    this.#facetColumns = this.#facetAttributes.map(() => new GrowingUint32());
    this.#digest.update(JSON.stringify(settings));
  }

  /** @throws {RangeError} when a facet attribute has more than 65,535 distinct sets of values. */
  add(record: SearchRecord): void {
    const number = this.#encodedRecords.length;
    const encoded = Buffer.from(JSON.stringify(record));
    this.#digest.update(encoded);
    this.#encodedRecords.push(encoded);
    this.#recordStart.push(this.#bytes);
    this.#bytes += encoded.length;

    const page = this.#pages.of(record.url_without_anchor || record.url || record.objectID);
    this.#pageHead[page] ??= NO_RECORD;
    if (record.type === "lvl1" && this.#pageHead[page] === NO_RECORD) this.#pageHead[page] = number;
    this.#pageRank[page] = Math.max(this.#pageRank[page] ?? record.weight.pageRank, record.weight.pageRank);
    this.#nameStart.push(this.#nameWords.length);
    this.#recordPage.push(page);
    this.#recordUrl.push(this.#urls.of(record.url || record.objectID));
    this.#recordLevel.push(record.type === "content" ? 7 : Number(record.type.slice(3)));
    this.#addFacets(record);
    const words = record.type === "lvl1" ? this.#addTitle(record, number) : this.#addPart(record, number);
    this.#pageWords[page] = (this.#pageWords[page] ?? 0) + words;
  }

  #addFacets(record: SearchRecord): void {
    for (const [column, attribute] of this.#facetAttributes.entries()) {
      const set = (this.#facetSets[column] as Numbering).of(JSON.stringify(readFacetValues(record[attribute])));
      if (set > MAX_FACET_SETS) throw new RangeError(`too many different values of the facet "${attribute}"`);
      (this.#facetColumns[column] as GrowingUint32).push(set);
    }
  }

  /** The record of a whole page. @returns Words of its text. */
  #addTitle(record: SearchRecord, number: number): number {
    const { lvl0, lvl1 } = record.hierarchy;
    this.occurrences.add(lvl1 ?? "", number, FIELD.title, 0);
    this.occurrences.add(lvl0 ?? "", number, FIELD.category, 0);
    const aliases = readTexts(record.keywords);
    for (const [at, alias] of aliases.entries()) this.occurrences.add(alias, number, FIELD.alias, at * ALIAS_STRIDE);
    const questions = this.#addQuestions(record, number, aliases.length);
    for (const name of [lvl1 ?? "", ...aliases]) this.#pageNames.add(name);
    this.#addNames([lvl1 ?? "", ...aliases, ...questions]);
    return this.occurrences.add(record.content ?? "", number, FIELD.description, 0);
  }

  /** A section or a paragraph of a page, found by the headings above it, too. @returns Words of its own text. */
  #addPart(record: SearchRecord, number: number): number {
    const { type, hierarchy, content } = record;
    let words: number;
    if (type === "content") words = this.occurrences.add(content ?? "", number, FIELD.content, 0);
    else {
      words = this.occurrences.add(hierarchy[type] ?? "", number, FIELD.heading, 0);
      const questions = this.#addQuestions(record, number, 0);
      this.#addNames([hierarchy[type] ?? "", ...questions]);
    }
    let position = 0;
    for (const level of HIERARCHY_LEVELS) {
      if (level === type) break;
      const text = hierarchy[level];
      if (text !== null) position = this.occurrences.add(text, number, FIELD.context, position) + FIELD_GAP;
    }
    return words;
  }

  #addQuestions(record: SearchRecord, number: number, textsBefore: number): readonly string[] {
    const questions = readTexts(record.questions);
    for (const [at, question] of questions.entries()) {
      this.occurrences.add(question, number, FIELD.question, (textsBefore + at) * ALIAS_STRIDE);
    }
    return questions;
  }

  #addNames(texts: readonly string[]): void {
    for (const text of texts) {
      const { words, sum } = describeName(text);
      this.#nameWords.push(words);
      this.#nameSum.push(sum);
    }
  }

  /** Once, after the last record. */
  summarize(indexName: string, termCount: number): IndexMeta {
    const words = this.#pageWords;
    return {
      indexName,
      version: this.#digest.digest("hex").slice(0, 16),
      settings: this.#settings,
      recordCount: this.#encodedRecords.length,
      pageCount: this.#pages.size,
      termCount,
      commands: listCommandNames(this.#pageNames),
      averagePageWords: words.length === 0 ? 0 : words.reduce((sum, each) => sum + each, 0) / words.length,
      facetSets: Object.fromEntries(
        this.#facetAttributes.map((attribute, column) => [
          attribute,
          (this.#facetSets[column] as Numbering).keys().map((key): string[] => JSON.parse(key)),
        ]),
      ),
    };
  }

  /** Once, after the last record. */
  write(): Omit<IndexData["sections"], TermSections> {
    this.#recordStart.push(this.#bytes);
    this.#nameStart.push(this.#nameWords.length);
    const count = this.#encodedRecords.length;
    const facetIds = new Uint16Array(this.#facetAttributes.length * count);
    for (const [column, ids] of this.#facetColumns.entries()) facetIds.set(ids.view(), column * count);
    return {
      records: Buffer.concat(this.#encodedRecords, this.#bytes),
      recordStart: this.#recordStart.view(),
      recordPage: this.#recordPage.view(),
      recordUrl: this.#recordUrl.view(),
      recordLevel: Uint8Array.from(this.#recordLevel.view()),
      facetIds,
      pageHead: Uint32Array.from(this.#pageHead),
      pageWords: Uint32Array.from(this.#pageWords),
      nameStart: this.#nameStart.view(),
      nameWords: Uint8Array.from(this.#nameWords.view()),
      nameSum: this.#nameSum.view(),
      pageRank: Float32Array.from(this.#pageRank),
    };
  }
}
