/** The answer to one search as the clients read it, written as JSON hit by hit, so that a long one can be interrupted. */
import type { IndexSettings } from "../engine/index-settings.ts";
import type { EngineAnswer } from "../engine/search-engine.ts";
import { isOtherLanguage } from "../text/other-language.ts";
import { HitWriter } from "./hit-writer.ts";
import type { SearchParams } from "./search-params.ts";
import { WireError } from "./wire-error.ts";

/** Characters in the whole answer to one request: 1,000 hits of the site with all they have are a third of it. */
const MAX_ANSWER_CHARACTERS = 8_000_000;

/** Remaining room in the answer to one request; its searches share it. */
export class AnswerRoom {
  #left = MAX_ANSWER_CHARACTERS;

  /** @throws {WireError} 400 when the answer would be too large. */
  take(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) {
      throw new WireError(
        400,
        `The answer is larger than ${MAX_ANSWER_CHARACTERS} characters: ask for fewer hits, attributes or searches`,
      );
    }
  }
}

export interface ResultContext {
  readonly index: string;
  readonly settings: IndexSettings;
  readonly processingTimeMS: number;
}

/**
 * Yields after every hit.
 *
 * @returns JSON text.
 * @throws {WireError} 400 when there is no room for it.
 */
export function* writeSearchResult(
  answer: EngineAnswer,
  params: SearchParams,
  { index, settings, processingTimeMS }: ResultContext,
  room: AnswerRoom,
): Generator<void, string> {
  const reachable = Math.min(answer.total, settings.paginationLimitedTo);
  const isCounted = !(answer.isEstimate ?? false);
  const withFacets = params.engineQuery.facets.length > 0;
  const writer = new HitWriter(answer, params);
  const about = JSON.stringify({
    nbHits: answer.total,
    page: params.page,
    nbPages: params.hitsPerPage === 0 ? 0 : Math.ceil(reachable / params.hitsPerPage),
    hitsPerPage: params.hitsPerPage,
    // Byte for byte what was asked: the search page drops answers to anything else.
    query: params.query,
    index,
    processingTimeMS,
    exhaustiveNbHits: isCounted,
    exhaustiveTypo: true,
    exhaustive: { nbHits: isCounted, typo: true, ...(withFacets ? { facetsCount: isCounted } : {}) },
    ...(withFacets ? { facets: answer.facets, exhaustiveFacetsCount: isCounted } : {}),
    renderingContent: {},
    ...(answer.unknown.length > 0 ? { unknownWords: answer.unknown } : {}),
    ...(isOtherLanguage(params.query) ? { otherLanguage: true } : {}),
    ...(answer.isFallback === true ? { fallback: true } : {}),
  });
  room.take(about.length);
  const hits: string[] = [];
  for (const { record } of answer.hits) {
    const hit = writer.write(record);
    room.take(hit.length + 1);
    hits.push(hit);
    yield;
  }
  return `{"hits":[${hits.join(",")}],${about.slice(1)}`;
}
