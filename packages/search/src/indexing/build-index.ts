/** From a built site to one index file. */

import { buildIndexData } from "../engine/index/build-index-data.ts";
import { encodeIndex } from "../engine/index/index-format.ts";
import { readSite } from "../records/read-site.ts";
import { writeFileAtomically } from "../support/atomic-write.ts";

export interface BuildIndexOptions {
  /** Folder of the built site (Docusaurus classic theme). */
  readonly siteDir: string;
  /** Where the site is served: hits have absolute urls below it. */
  readonly siteUrl: string;
  /** Replaced atomically; a running service notices. */
  readonly outFile: string;
  readonly indexName: string;
  /** Laid over the defaults of `engine/index-settings.ts`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface BuildIndexResult {
  readonly records: number;
  readonly bytes: number;
}

/** @throws {Error} when the site has no page to index: an empty index would hide the mistake. */
export async function buildIndex({
  siteDir,
  siteUrl,
  outFile,
  indexName,
  settings = {},
}: BuildIndexOptions): Promise<BuildIndexResult> {
  const records = await readSite({ siteDir, siteUrl });
  if (records.length === 0) throw new Error(`no page to index in ${siteDir}`);
  const pieces = encodeIndex(buildIndexData({ indexName, records, settings }));
  await writeFileAtomically(outFile, pieces);
  return { records: records.length, bytes: pieces.reduce((sum, piece) => sum + piece.byteLength, 0) };
}
