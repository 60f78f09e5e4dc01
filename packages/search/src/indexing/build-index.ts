/** From a built site to one index file. */

import { buildIndexData } from "../engine/index/build-index-data.ts";
import { encodeIndex } from "../engine/index/index-format.ts";
import { readSite } from "../records/read-site.ts";
import type { SearchRecord } from "../records/search-record.ts";
import { writeFileAtomically } from "../support/atomic-write.ts";

export interface WriteIndexOptions {
  /** Records of the site's pages (`SiteRecords`). */
  readonly records: readonly SearchRecord[];
  /** Replaced atomically; a running service notices. */
  readonly outFile: string;
  readonly indexName: string;
  /** Laid over the defaults of `engine/index-settings.ts`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface BuildIndexOptions extends Omit<WriteIndexOptions, "records"> {
  /** Folder of the built site (Docusaurus classic theme). */
  readonly siteDir: string;
  /** Where the site is served: hits have absolute urls below it. */
  readonly siteUrl: string;
}

export interface BuildIndexResult {
  readonly records: number;
  readonly bytes: number;
}

/** @throws {Error} when the site has no page to index: an empty index would hide the mistake. */
export async function buildIndex({ siteDir, siteUrl, ...options }: BuildIndexOptions): Promise<BuildIndexResult> {
  const records = await readSite({ siteDir, siteUrl });
  if (records.length === 0) throw new Error(`no page to index in ${siteDir}`);
  return await writeIndex({ records, ...options });
}

/** @throws {Error} when there are no records: an empty index would hide the mistake. */
export async function writeIndex({
  records,
  outFile,
  indexName,
  settings = {},
}: WriteIndexOptions): Promise<BuildIndexResult> {
  if (records.length === 0) throw new Error(`no records for the index ${outFile}`);
  const pieces = encodeIndex(buildIndexData({ indexName, records, settings }));
  await writeFileAtomically(outFile, pieces);
  return { records: records.length, bytes: pieces.reduce((sum, piece) => sum + piece.byteLength, 0) };
}
