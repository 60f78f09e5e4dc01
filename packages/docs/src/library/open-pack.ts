/** A library over the file of the documentation alone: the search's index is made of its records with the first question. */
import { BRAND } from "@toolhive/core/brand";
import { createEngine } from "@toolhive/search/offline";
import { decodePack } from "../pack/docs-pack.ts";
import { DocsLibrary } from "./docs-library.ts";

/**
 * @throws {PackError} when the bytes are no documentation of this format. Searching throws it, too, where the records are missing;
 *   the pages can be read all the same.
 */
export function openPack(bytes: Uint8Array): DocsLibrary {
  const { content, readRecords } = decodePack(bytes);
  let engine: ReturnType<typeof createEngine> | undefined;
  return new DocsLibrary(content, (query) => {
    engine ??= createEngine(BRAND.search.indexName, readRecords());
    return engine.search(query);
  });
}
