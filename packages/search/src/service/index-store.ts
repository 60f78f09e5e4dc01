/**
 * The index that is being served. It is read from its file, and read again when the file is replaced; a search always sees
 * one whole index, the old or the new one. A file that cannot be used leaves the old index in place.
 */
import { readFile, stat } from "node:fs/promises";
import { decodeIndex, encodeIndex, type IndexData, IndexFormatError } from "../engine/index/index-format.ts";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import { writeFileAtomically } from "../support/atomic-write.ts";
import type { SearchLog } from "../support/search-log.ts";

export interface IndexStoreOptions {
  readonly indexFile: string;
  readonly log: SearchLog;
  /** Milliseconds between two checks of the file. 0: only on `reload()`. */
  readonly watchIntervalMs: number;
}

export class IndexStore implements AsyncDisposable {
  readonly #file: string;
  readonly #log: SearchLog;
  readonly #timer: NodeJS.Timeout | undefined;
  #engine: OwnEngine | undefined;
  /** Identity of the file that was read last, usable or not. */
  #signature = "";
  #loading: Promise<boolean> | undefined;
  /** A missing file is reported once, not every second. */
  #lastProblem = "";
  #isClosed = false;

  constructor({ indexFile, log, watchIntervalMs }: IndexStoreOptions) {
    this.#file = indexFile;
    this.#log = log;
    if (watchIntervalMs > 0) {
      // Asking for the file's identity works across renames, mounts and networks, where change events do not.
      this.#timer = setInterval(() => void this.reload(), watchIntervalMs);
      this.#timer.unref();
    }
  }

  get engine(): OwnEngine | undefined {
    return this.#engine;
  }

  /**
   * Checks the file and loads it if it was replaced.
   *
   * @returns Whether a new index is being served. Never rejects: a missing or damaged file is logged.
   */
  reload(): Promise<boolean> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<boolean> {
    try {
      const { mtimeMs, size, ino } = await stat(this.#file);
      const signature = `${mtimeMs}:${size}:${ino}`;
      if (signature === this.#signature) return false;
      this.#signature = signature;
      const data = decodeIndex(await readFile(this.#file));
      if (this.#isClosed || data.meta.version === this.#engine?.data.meta.version) return false;
      this.#engine = new OwnEngine({ data });
      this.#lastProblem = "";
      const { indexName, recordCount, version } = data.meta;
      this.#log.info({ index: indexName, records: recordCount, version }, "search index loaded");
      return true;
    } catch (error) {
      // A damaged file is not read again until it is replaced; other failures may pass.
      if (!(error instanceof IndexFormatError)) this.#signature = "";
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#lastProblem)
        this.#log.warn({ file: this.#file, error: problem }, "search index not loaded");
      this.#lastProblem = problem;
      return false;
    }
  }

  /** Writes an index over the file and serves it. */
  async replace(data: IndexData): Promise<void> {
    await writeFileAtomically(this.#file, encodeIndex(data));
    await this.reload();
    // A reload that had begun before the file existed saw the old one.
    if (this.#engine?.data.meta.version !== data.meta.version) await this.reload();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#loading;
  }
}
