/**
 * Another engine first, and our own index while that one does not answer, so that readers find something. The log contains the
 * beginning and the end of that, and each such answer is marked.
 */
import type { SearchLog } from "../support/search-log.ts";
import type { IndexSettings } from "./index-settings.ts";
import type { EngineAnswer, EngineQuery, SearchEngine } from "./search-engine.ts";

export interface FallbackEngineOptions {
  readonly engine: SearchEngine;
  /** Undefined while there is no index of our own: the error of the first engine reaches the reader then. */
  readonly findFallback: () => SearchEngine | undefined;
  readonly log: SearchLog;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** After the first failure, in milliseconds; doubled with each further one up to the maximum. */
const FIRST_REST_MS = 1_000;
const MAX_REST_MS = 30_000;

export class FallbackEngine implements SearchEngine {
  readonly #options: FallbackEngineOptions;
  /** In a row. */
  #failures = 0;
  /** The first engine is not asked before this time. */
  #restUntil = 0;

  constructor(options: FallbackEngineOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.engine.name;
  }

  get version(): string {
    return this.#options.engine.version;
  }

  get settings(): IndexSettings {
    return this.#options.engine.settings;
  }

  async search(query: EngineQuery): Promise<EngineAnswer> {
    const { engine, findFallback, now } = this.#options;
    const own = findFallback();
    if (own === undefined) return await engine.search(query);
    if (now() >= this.#restUntil) {
      const failures = this.#failures;
      // One search finds out whether the engine is back; the others do not wait for it.
      if (failures > 0) this.#restUntil = Number.POSITIVE_INFINITY;
      try {
        const answer = await engine.search(query);
        this.#recover();
        return answer;
      } catch (error) {
        this.#fail(error, failures);
      }
    }
    return { ...(await own.search(query)), isFallback: true };
  }

  #recover(): void {
    const { engine, log } = this.#options;
    if (this.#failures > 0) log.info({ engine: engine.name }, "search engine answers again");
    this.#failures = 0;
    this.#restUntil = 0;
  }

  /** @param failures As they were when the search began: searches that were underway together fail together, and count once. */
  #fail(error: unknown, failures: number): void {
    const { engine, log, now } = this.#options;
    const isFirst = failures === 0 && this.#failures === 0;
    if (failures === this.#failures) this.#failures += 1;
    this.#restUntil = now() + Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** (this.#failures - 1));
    if (!isFirst) return;
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ engine: engine.name, error: reason }, "search engine does not answer, our own index does");
  }
}
