/** A file that follows what is in memory: written when that changes, and tried again each second after a write that failed. */
import { describeError } from "../support/errors.ts";

const RETRY_MS = 1_000;

export interface KeptWriteOptions {
  /** Writes what is in memory at that moment. */
  readonly write: () => Promise<void>;
  /** Called when a write failed that no caller waits for; once until one succeeds. */
  readonly onFailed: (reason: string) => void;
  /** Called when it has become written or unwritten. */
  readonly onChange?: (() => void) | undefined;
}

export class KeptWrite {
  readonly #options: KeptWriteOptions;
  /** The newest write. Never rejects. */
  #newest: Promise<void> = Promise.resolve();
  #reason: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: KeptWriteOptions) {
    this.#options = options;
  }

  /** Why the newest content is in memory alone; `undefined` when the file has it. */
  get unsavedReason(): string | undefined {
    return this.#reason;
  }

  /** Writes after the writes before. Never rejects: it reports a failure and tries again. */
  save(): Promise<void> {
    return this.#write().catch(() => undefined);
  }

  /** The same for somebody who waits for it. @throws What the write fails with; it is tried again all the same. */
  saveNow(): Promise<void> {
    return this.#write(true);
  }

  /** Tries again at once what failed. */
  retry(): void {
    if (this.#reason !== undefined) void this.save();
  }

  /** Settles when nothing is written any more, and nothing will be. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#newest;
  }

  #write(isReported = false): Promise<void> {
    clearTimeout(this.#timer);
    const written = this.#newest.then(async () => {
      if (this.#isClosed) return;
      try {
        await this.#options.write();
        this.#note(undefined);
      } catch (error) {
        const reason = describeError(error);
        if (this.#reason === undefined && !isReported) this.#options.onFailed(reason);
        this.#note(reason);
        this.#tryLater();
        throw error;
      }
    });
    this.#newest = written.catch(() => undefined);
    return written;
  }

  #note(reason: string | undefined): void {
    const isNews = (reason === undefined) !== (this.#reason === undefined);
    this.#reason = reason;
    if (isNews) this.#options.onChange?.();
  }

  #tryLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), RETRY_MS).unref();
  }
}
