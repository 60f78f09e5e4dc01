/** The events' file: lines are only ever appended; a full file becomes `FILE.1`, replacing the one before. */
import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { SearchLog } from "../support/search-log.ts";
import type { EventLine } from "./event-line.ts";

export interface EventFileOptions {
  readonly file: string;
  readonly log: SearchLog;
  /** Of the file; with the one before, twice this is on disk. Default 5 MiB. */
  readonly maxBytes?: number;
  /** How long lines wait to be written together, in milliseconds. Default 1000. */
  readonly flushIntervalMs?: number;
}

/** Lines that wait for the disk; more are dropped and counted. */
const MAX_WAITING_LINES = 5_000;

export class EventFile implements AsyncDisposable {
  readonly #file: string;
  readonly #log: SearchLog;
  readonly #maxBytes: number;
  readonly #flushIntervalMs: number;
  #waiting: string[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor({ file, log, maxBytes = 5 * 2 ** 20, flushIntervalMs = 1_000 }: EventFileOptions) {
    this.#file = file;
    this.#log = log;
    this.#maxBytes = maxBytes;
    this.#flushIntervalMs = flushIntervalMs;
  }

  /** Takes lines to be written soon. Never throws: statistics must not disturb a search. */
  add(lines: readonly EventLine[]): void {
    for (const line of lines) {
      if (this.#waiting.length < MAX_WAITING_LINES) this.#waiting.push(JSON.stringify(line));
      else this.#dropped += 1;
    }
    this.#timer ??= setTimeout(() => void this.flush(), this.#flushIntervalMs).unref();
  }

  /** Writes what waits. Resolves when it is on disk, or was lost and logged. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const lines = this.#waiting;
    const dropped = this.#dropped;
    if (lines.length === 0) return;
    this.#waiting = [];
    this.#dropped = 0;
    try {
      await mkdir(dirname(this.#file), { recursive: true });
      const text = `${lines.join("\n")}\n`;
      const size = await this.#size();
      if (size > 0 && size + text.length > this.#maxBytes) await rename(this.#file, `${this.#file}.1`);
      await appendFile(this.#file, text, { mode: 0o600 });
      if (dropped > 0) this.#log.warn({ dropped }, "search events dropped");
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.#log.warn({ file: this.#file, lines: lines.length, error: problem }, "search events not written");
    }
  }

  async #size(): Promise<number> {
    try {
      return (await stat(this.#file)).size;
    } catch {
      // Not there yet. Any other problem shows in the write that follows.
      return 0;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
  }
}
