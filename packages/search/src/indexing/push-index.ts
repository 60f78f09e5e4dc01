/**
 * Uploads an index's records and settings to a hosted application, or to any service with the same protocol: into a
 * temporary index, which is then moved over the served one, so that readers see the old or the new content.
 */

import type { IndexData } from "../engine/index/index-format.ts";
import { readFacetAttribute, withDefaults } from "../engine/index-settings.ts";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import { THESAURUS } from "../text/thesaurus.ts";
import { escapeTexts } from "../wire/escape-record.ts";

export interface PushIndexOptions {
  readonly data: IndexData;
  /** Origin of the service, `https://APPID.algolia.net` for the hosted one. */
  readonly url: string;
  readonly appId: string;
  readonly adminKey: string;
  /** Index to replace. */
  readonly indexName: string;
  /** For one request, in milliseconds. Default 30,000, the client's limit for writes. */
  readonly timeoutMs?: number;
  /** Between two questions whether a task is done, in milliseconds. Default 250. */
  readonly pollIntervalMs?: number;
}

/** What the service answered that stopped the upload. */
export class PushError extends Error {
  override readonly name = "PushError";
}

/** Records in one request; about a megabyte. */
const BATCH_RECORDS = 1_000;
/** How long a task may take, in milliseconds. */
const TASK_TIMEOUT_MS = 300_000;

/**
 * The hosted engine's settings closest to our ranking: DocSearch's template. Ours that it does not know are omitted; texts are
 * escaped, because it does not escape.
 */
function hostedSettings(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { attributesForFaceting } = withDefaults(settings).settings;
  const levels = [0, 1, 2, 3, 4, 5, 6].map((level) => `unordered(hierarchy.lvl${level})`);
  return {
    attributesForFaceting: attributesForFaceting.map(readFacetAttribute),
    attributesToRetrieve: ["hierarchy", "content", "anchor", "url", "url_without_anchor", "type"],
    attributesToHighlight: ["hierarchy"],
    attributesToSnippet: ["content:10"],
    camelCaseAttributes: ["hierarchy", "content"],
    searchableAttributes: [...levels, "unordered(keywords)", "content"],
    distinct: true,
    attributeForDistinct: "url",
    customRanking: ["desc(weight.pageRank)", "desc(weight.level)", "asc(weight.position)"],
    ranking: ["words", "filters", "typo", "attribute", "proximity", "exact", "custom"],
    highlightPreTag: '<span class="algolia-docsearch-suggestion--highlight">',
    highlightPostTag: "</span>",
    minWordSizefor1Typo: 4,
    minWordSizefor2Typos: 8,
    allowTyposOnNumericTokens: false,
    minProximity: 1,
    ignorePlurals: true,
    separatorsToIndex: "_",
    removeWordsIfNoResults: "allOptional",
    userData: { textIsHtml: true },
  };
}

/** @returns the number of records. @throws {PushError} when the service refuses or does not answer; the old index stays. */
export async function pushIndex(options: PushIndexOptions): Promise<number> {
  const { data, indexName } = options;
  const service = new UploadTarget(options);
  const temporary = `${indexName}_tmp_${data.meta.version}`;
  const engine = new OwnEngine({ data });
  const path = (name: string): string => `/1/indexes/${encodeURIComponent(name)}`;

  // Removes the remains of an upload that was cut off.
  await service.done(temporary, await service.call("POST", `${path(temporary)}/clear`, {}));
  await service.done(
    temporary,
    await service.call("PUT", `${path(temporary)}/settings`, hostedSettings(data.meta.settings)),
  );
  const synonyms = THESAURUS.map(({ say, means }, at) => ({
    objectID: `entry-${at}`,
    type: "oneWaySynonym",
    input: say,
    synonyms: means,
  }));
  await service.trySynonyms(`${path(temporary)}/synonyms/batch?replaceExistingSynonyms=true`, synonyms);
  for (let from = 0; from < data.meta.recordCount; from += BATCH_RECORDS) {
    const to = Math.min(data.meta.recordCount, from + BATCH_RECORDS);
    const requests = Array.from({ length: to - from }, (_, at) => ({
      action: "addObject",
      body: escapeTexts(engine.recordAt(from + at)),
    }));
    await service.done(temporary, await service.call("POST", `${path(temporary)}/batch`, { requests }));
  }
  const move = { operation: "move", destination: indexName };
  await service.done(indexName, await service.call("POST", `${path(temporary)}/operation`, move));
  return data.meta.recordCount;
}

class UploadTarget {
  readonly #options: PushIndexOptions;

  constructor(options: PushIndexOptions) {
    this.#options = options;
  }

  /** Sends one request. @returns the parsed answer. */
  async call(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> {
    const { url, appId, adminKey, timeoutMs = 30_000 } = this.#options;
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${url.replace(/\/+$/, "")}${path}`, {
        method,
        headers: {
          "content-type": "application/json",
          "x-algolia-application-id": appId,
          "x-algolia-api-key": adminKey,
        },
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      throw new PushError(`the search service does not answer ${method} ${path}`, { cause: error });
    }
    if (!response.ok)
      throw new PushError(
        `the search service answered ${method} ${path} with ${response.status}: ${text.slice(0, 200)}`,
      );
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new PushError(`the search service answered ${method} ${path} with something that is not JSON`, {
        cause: error,
      });
    }
  }

  /** Our own service keeps synonyms in the index itself and has no such path; the hosted one has. */
  async trySynonyms(path: string, synonyms: readonly object[]): Promise<void> {
    try {
      await this.call("POST", path, synonyms);
    } catch (error) {
      if (!(error instanceof PushError && error.message.includes(" with 404:"))) throw error;
    }
  }

  /** Waits until a write has taken effect. */
  async done(indexName: string, answer: Readonly<Record<string, unknown>>): Promise<void> {
    const { pollIntervalMs = 250 } = this.#options;
    const deadline = Date.now() + TASK_TIMEOUT_MS;
    for (;;) {
      const task = await this.call("GET", `/1/indexes/${encodeURIComponent(indexName)}/task/${String(answer.taskID)}`);
      if (task.status === "published") return;
      if (Date.now() > deadline)
        throw new PushError(`task ${String(answer.taskID)} of the search service is not done in time`);
      await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
    }
  }
}
