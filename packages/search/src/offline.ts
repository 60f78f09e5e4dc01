/** The engine alone, for a program that searches records of its own without a service and without files. */

import { buildIndexData } from "./engine/index/build-index-data.ts";
import { OwnEngine } from "./engine/memory/memory-engine.ts";
import type { SearchEngine } from "./engine/search-engine.ts";
import type { SearchRecord } from "./records/search-record.ts";

export { isMessage, saysProblem } from "./engine/query-words.ts";
export { type EngineAnswer, EngineError, type EngineHit, type EngineQuery } from "./engine/search-engine.ts";
export { HIERARCHY_LEVELS, type SearchRecord } from "./records/search-record.ts";
export { fold } from "./text/fold.ts";
export { isOtherLanguage } from "./text/other-language.ts";
export { computeRarity } from "./text/rarity.ts";
export { stemWord } from "./text/stem.ts";
export { THESAURUS, Thesaurus } from "./text/thesaurus.ts";
export { tokenize } from "./text/tokenize.ts";
export { isAskingWord, isStopWord } from "./text/vocabulary.ts";

/** The same engine, index and ranking as a service over the index file of these records. */
export function createEngine(indexName: string, records: readonly SearchRecord[]): SearchEngine {
  return new OwnEngine({ data: buildIndexData({ indexName, records }) });
}
