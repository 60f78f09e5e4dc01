/** The documentation that is being answered from: read from its file, and read again when a build has replaced it. */
import { readFile, stat } from "node:fs/promises";
import { describeError } from "@toolhive/core/errors";
import { DocsLibrary, decodePack } from "@toolhive/docs";
import type { SearchLog, SearchService } from "@toolhive/search";

export interface DocsStoreOptions {
  /** The file that the build writes. */
  readonly file: string;
  readonly search: Pick<SearchService, "search">;
  readonly log: SearchLog;
  /** Milliseconds between two checks of the file. */
  readonly lookIntervalMs?: number;
}

const LOOK_INTERVAL_MS = 1_000;

export class DocsStore {
  readonly #options: DocsStoreOptions;
  #library: DocsLibrary | undefined;
  #signature = "";
  #lastProblem = "";
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  constructor(options: DocsStoreOptions) {
    this.#options = options;
  }

  /** @returns `undefined` while there is none; the log has the reason. */
  async find(): Promise<DocsLibrary | undefined> {
    const { lookIntervalMs = LOOK_INTERVAL_MS } = this.#options;
    if (performance.now() - this.#lookedAt >= lookIntervalMs) {
      this.#looking ??= this.#look().finally(() => {
        this.#lookedAt = performance.now();
        this.#looking = undefined;
      });
    }
    if (this.#library === undefined) await this.#looking;
    return this.#library;
  }

  async #look(): Promise<void> {
    const { file, search, log } = this.#options;
    try {
      const { mtimeMs, size, ino } = await stat(file);
      const signature = `${mtimeMs}:${size}:${ino}`;
      if (signature === this.#signature) return;
      const { content } = decodePack(await readFile(file));
      this.#signature = signature;
      this.#library = new DocsLibrary(content, (query) => search.search(query));
      this.#lastProblem = "";
      log.info({ pages: content.pages.length, version: content.version }, "documentation loaded");
    } catch (error) {
      const problem = describeError(error);
      if (problem !== this.#lastProblem) log.warn({ file, error: problem }, "documentation not loaded");
      this.#lastProblem = problem;
    }
  }
}
