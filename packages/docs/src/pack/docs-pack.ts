/**
 * The documentation in one file: a line of JSON that says what it is, a line with the content, a line with the records of
 * the search; all of it compressed at once, because records and pages say the same.
 */
import { promisify } from "node:util";
import { brotliCompress, brotliDecompressSync, constants } from "node:zlib";
import { isRecord, parseJson } from "@toolhive/http/values";
import type { SearchRecord } from "@toolhive/search/offline";
import type { DocsContent } from "./docs-content.ts";

const FORMAT = "toolhive-docs";
const FORMAT_VERSION = 1;
/** What a pack may have when it is decompressed; today's has 3.5 MB. */
const MAX_BYTES = 64 * 2 ** 20;
/** Sixteen megabytes: the records repeat the pages' texts, which are far before them. */
const WINDOW_BITS = 24;

const compress = promisify(brotliCompress);

/** Why a file is no pack of this version. The message says what was found. */
export class PackError extends Error {
  override readonly name = "PackError";
}

export interface DocsPack {
  readonly content: DocsContent;
  /**
   * Decoded on demand: a caller with an index of its own needs none.
   *
   * @throws {PackError} when there are none.
   */
  readonly readRecords: () => SearchRecord[];
}

export async function encodePack(content: DocsContent, records: readonly SearchRecord[]): Promise<Buffer> {
  const head = { format: FORMAT, version: FORMAT_VERSION };
  const text = [head, content, records.map(shortenRecord)].map((part) => JSON.stringify(part)).join("\n");
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
  };
  return await compress(text, { params });
}

/** @throws {PackError} when the bytes are cut, damaged, or of another version. */
export function decodePack(bytes: Uint8Array): DocsPack {
  let text: Buffer;
  try {
    text = brotliDecompressSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch {
    throw new PackError("it is damaged, or no documentation");
  }
  const headEnd = text.indexOf("\n");
  const contentEnd = text.indexOf("\n", headEnd + 1);
  const head = parseJson(text.toString("utf8", 0, Math.max(headEnd, 0)));
  if (!isRecord(head) || head.format !== FORMAT || contentEnd < 0) {
    throw new PackError("it is damaged, or no documentation");
  }
  const version = head.version;
  if (version !== FORMAT_VERSION) {
    throw new PackError(`it has format ${String(version)}, and this program reads format ${FORMAT_VERSION}`);
  }
  return {
    content: parseJson(text.toString("utf8", headEnd + 1, contentEnd)) as DocsContent,
    readRecords: () => {
      const records = parseJson(text.toString("utf8", contentEnd + 1));
      if (!Array.isArray(records) || records.length === 0) throw new PackError("it has no index to search");
      return records.map(completeRecord);
    },
  };
}

/** Without what follows from the rest. */
function shortenRecord({ objectID: _id, url: _url, ...record }: SearchRecord): Record<string, unknown> {
  return record;
}

/** @param record As {@link shortenRecord} left it. */
function completeRecord(record: SearchRecord): SearchRecord {
  const { url_without_anchor: page, anchor, weight } = record;
  return { ...record, objectID: `${weight.position}-${page}`, url: anchor === null ? page : `${page}#${anchor}` };
}
