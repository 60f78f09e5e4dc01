/**
 * One index, one file: a fixed header, a JSON head that names the sections, then the sections as they lie in memory, so
 * that loading is reading. Little-endian; every section begins at a multiple of 8.
 *
 *   0  "THVSRCH" and the format's version (1 byte)
 *   8  byte length of the head (uint32)
 *  12  CRC-32 of head and sections (uint32)
 *  16  the head (JSON), then the sections
 */
import { crc32 } from "node:zlib";
import type { SearchRecord } from "../../records/search-record.ts";

const INDEX_MAGIC = "THVSRCH";
const INDEX_VERSION = 3;
const HEADER_BYTES = 16;

/** Where a word occurs; `ranking.ts` says what each place is worth. The numbers are part of the file format. */
export const FIELD = {
  title: 0,
  heading: 1,
  alias: 2,
  content: 3,
  category: 4,
  context: 5,
  description: 6,
  question: 7,
} as const;
export const FIELD_COUNT = 8;

/** An occurrence is, from the top: field (3 bits), part of a camelCase word (1 bit), position (28 bits). */
export const FIELD_SHIFT = 29;
export const CAMEL_BIT = 1 << 28;
export const POSITION_MASK = CAMEL_BIT - 1;

/** Positions in a page's aliases, and in its questions behind them: text n begins at n times this. */
export const ALIAS_STRIDE = 64;

/** Stands for "no record" in `pageHead`. */
export const NO_RECORD = 0xffffffff;

export interface IndexMeta {
  readonly indexName: string;
  /** Names the content: the same records and settings give the same version. */
  readonly version: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly recordCount: number;
  readonly pageCount: number;
  readonly termCount: number;
  /** Names of commands, of which the pages are titled; absent in files from before. */
  readonly commands?: readonly string[];
  /** Mean number of words on a page. */
  readonly averagePageWords: number;
  /** Per facet attribute, in the order of `facetIds`, the distinct sets of values that records have. */
  readonly facetSets: Readonly<Record<string, readonly (readonly string[])[]>>;
}

interface IndexSections {
  /** JSON of every record, UTF-8; record i is records[recordStart[i]…recordStart[i + 1]]. */
  readonly records: Uint8Array;
  readonly recordStart: Uint32Array;
  readonly recordPage: Uint32Array;
  /** Records with the same url have the same number. */
  readonly recordUrl: Uint32Array;
  /** 0–6 for lvl0–lvl6, 7 for content. */
  readonly recordLevel: Uint8Array;
  /** facetIds[attribute * recordCount + record] is a number of `facetSets[attribute]`. */
  readonly facetIds: Uint16Array;
  /** The page's `lvl1` record, or {@link NO_RECORD}. */
  readonly pageHead: Uint32Array;
  /** Number of words on the page. */
  readonly pageWords: Uint32Array;
  /** Names of record r are nameWords[nameStart[r]…nameStart[r + 1]]: its title or heading, then its aliases and questions. */
  readonly nameStart: Uint32Array;
  /** Number of words in a name that are no stop words, at most 255. */
  readonly nameWords: Uint8Array;
  /** A number for all words of a name in their order, stop words too: that of a query which says the same. */
  readonly nameSum: Uint32Array;
  readonly pageRank: Float32Array;
  /** The terms in order of their UTF-16 units, one a line, UTF-8. */
  readonly terms: Uint8Array;
  /** Postings of term t are postingRecord[termStart[t]…termStart[t + 1]], ascending. */
  readonly termStart: Uint32Array;
  readonly postingRecord: Uint32Array;
  /** Occurrences of posting p are occurrences[occurrenceStart[p]…occurrenceStart[p + 1]]. */
  readonly occurrenceStart: Uint32Array;
  readonly occurrences: Uint32Array;
}

type SectionName = keyof IndexSections;
type ArrayKind = "u8" | "u16" | "u32" | "f32";

const SECTION_KINDS: Readonly<Record<SectionName, ArrayKind>> = {
  records: "u8",
  recordStart: "u32",
  recordPage: "u32",
  recordUrl: "u32",
  recordLevel: "u8",
  facetIds: "u16",
  pageHead: "u32",
  pageWords: "u32",
  nameStart: "u32",
  nameWords: "u8",
  nameSum: "u32",
  pageRank: "f32",
  terms: "u8",
  termStart: "u32",
  postingRecord: "u32",
  occurrenceStart: "u32",
  occurrences: "u32",
};
const SECTION_NAMES = Object.keys(SECTION_KINDS) as SectionName[];

export interface IndexData {
  readonly meta: IndexMeta;
  readonly sections: IndexSections;
}

/** The terms of an index by their numbers. */
export function readTerms({ sections: { terms } }: IndexData): string[] {
  const text = Buffer.from(terms.buffer, terms.byteOffset, terms.byteLength).toString("utf8");
  return text === "" ? [] : text.split("\n");
}

/** A record by its number, 0 to `recordCount` - 1. */
export function decodeRecord({ sections: { records, recordStart } }: IndexData, number: number): SearchRecord {
  const start = recordStart[number] as number;
  const bytes = Buffer.from(records.buffer, records.byteOffset + start, (recordStart[number + 1] as number) - start);
  return JSON.parse(bytes.toString("utf8"));
}

/** The best prior of a page, at least 1. */
export function findMaxRank({ sections: { pageRank } }: IndexData): number {
  return pageRank.reduce((most, rank) => Math.max(most, rank), 1);
}

interface Head {
  readonly meta: IndexMeta;
  /** Byte offset from the end of the head, and byte length. */
  readonly layout: Readonly<Record<SectionName, readonly [offset: number, bytes: number]>>;
}

/** Why a file is no index. The message says what was found. */
export class IndexFormatError extends Error {
  override readonly name = "IndexFormatError";
}

function align(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}

/** The bytes of an index file, in pieces so that a large index is not copied. */
export function encodeIndex({ meta, sections }: IndexData): Uint8Array[] {
  const layout: Partial<Record<SectionName, readonly [number, number]>> = {};
  let offset = 0;
  for (const name of SECTION_NAMES) {
    layout[name] = [offset, sections[name].byteLength];
    offset = align(offset + sections[name].byteLength);
  }
  const head = Buffer.from(JSON.stringify({ meta, layout }));
  const paddedHead = Buffer.alloc(align(HEADER_BYTES + head.length) - HEADER_BYTES, " ");
  head.copy(paddedHead);
  const pieces: Uint8Array[] = [paddedHead];
  for (const name of SECTION_NAMES) {
    const { buffer, byteOffset, byteLength } = sections[name];
    pieces.push(new Uint8Array(buffer, byteOffset, byteLength));
    if (align(byteLength) > byteLength) pieces.push(new Uint8Array(align(byteLength) - byteLength));
  }
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(INDEX_MAGIC, 0, "latin1");
  header[7] = INDEX_VERSION;
  header.writeUInt32LE(paddedHead.length, 8);
  header.writeUInt32LE(computeChecksum(pieces), 12);
  return [header, ...pieces];
}

/** zlib takes at most 2 GiB at a time. */
const CHECKSUM_STEP_BYTES = 2 ** 30;

function computeChecksum(pieces: readonly Uint8Array[]): number {
  let sum = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += CHECKSUM_STEP_BYTES) {
      sum = crc32(piece.subarray(at, at + CHECKSUM_STEP_BYTES), sum);
    }
  }
  return sum;
}

function createView(kind: ArrayKind, bytes: Uint8Array): Uint8Array | Uint16Array | Uint32Array | Float32Array {
  const { buffer, byteOffset, byteLength } = bytes;
  if (kind === "u8") return bytes;
  if (kind === "u16") return new Uint16Array(buffer, byteOffset, byteLength / 2);
  if (kind === "u32") return new Uint32Array(buffer, byteOffset, byteLength / 4);
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}

/**
 * Reads an index from the bytes of its file. The result refers to the bytes and keeps them alive.
 *
 * @throws {IndexFormatError} when the bytes are cut, damaged, or of another version.
 */
export function decodeIndex(file: Uint8Array): IndexData {
  // The typed views need an address that is a multiple of 8, which a pooled Buffer does not promise.
  const bytes = file.byteOffset % 8 === 0 ? file : new Uint8Array(file);
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(HEADER_BYTES, bytes.byteLength));
  if (header.length < HEADER_BYTES || header.toString("latin1", 0, 7) !== INDEX_MAGIC) {
    throw new IndexFormatError("not a search index");
  }
  if (header[7] !== INDEX_VERSION) {
    throw new IndexFormatError(`search index of version ${header[7]}, expected ${INDEX_VERSION}`);
  }
  const headBytes = header.readUInt32LE(8);
  const body = bytes.subarray(HEADER_BYTES);
  if (body.byteLength < headBytes || computeChecksum([body]) !== header.readUInt32LE(12)) {
    throw new IndexFormatError("search index is cut or damaged");
  }
  const head = JSON.parse(Buffer.from(body.buffer, body.byteOffset, headBytes).toString("utf8")) as Head;
  const sections: Partial<Record<SectionName, unknown>> = {};
  for (const name of SECTION_NAMES) {
    const [offset, length] = head.layout[name];
    sections[name] = createView(SECTION_KINDS[name], body.subarray(headBytes + offset, headBytes + offset + length));
  }
  return { meta: head.meta, sections: sections as unknown as IndexSections };
}
