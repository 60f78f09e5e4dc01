/**
 * The log of one server on stdio: its standard error, in bounded files. Standard output is the protocol and holds
 * results of tools, so it is never stored; stray lines there, a common mistake, are kept in memory. Writing never
 * blocks the server: lines that cannot be written in time are omitted, and the log says so.
 */
import type { Readable } from "node:stream";
import { createFileError } from "../files/file-failure.ts";
import type { Logger } from "../ports/log.ts";
import { describeError, readSystemCode } from "../support/errors.ts";
import { Allowance } from "./allowance.ts";
import { LineQueue } from "./line-queue.ts";
import type { LogFile } from "./log-file.ts";
import {
  decodeLine,
  encodeLine,
  type LogSelection,
  MAX_LINE_BYTES,
  type StampedLine,
  selectLines,
} from "./log-line.ts";
import { StderrRecorder } from "./stderr-recorder.ts";

/** Bytes that wait to be written. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024;
/** Milliseconds between two tries to write to a disk that refused. */
const RETRY_MS = 1_000;
/** Lines of standard output that are kept. */
const MAX_STRAY_LINES = 100;
/** Bytes that are read first; enough for a hundred lines of a usual length. */
const FIRST_READ_BYTES = 64 * 1024;

interface ServerLogOptions {
  readonly workload: string;
  readonly file: LogFile;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export class ServerLog {
  readonly #options: ServerLogOptions;
  readonly #now: () => number;
  readonly #readers = new Set<LineQueue>();
  /** Not messages, and in memory only. */
  readonly #stray: StampedLine[] = [];
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #leftOutLines = 0;
  /** Why the last try to write failed, and when. */
  #failure: { readonly reason: string; readonly at: number } | undefined;
  /** The file is used by one operation at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #isWriting = false;
  #isRemoved = false;

  constructor(options: ServerLogOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Records the standard error of one run of the server. */
  record(stderr: Readable, allowance = new Allowance()): StderrRecorder {
    return new StderrRecorder(stderr, { onLine: (text) => this.#addLine(text), allowance });
  }

  /** Keeps a stray line of standard output. @param text Of any length. */
  addStray(text: string): void {
    const line = { at: this.#now(), text: text.slice(0, MAX_LINE_BYTES) };
    this.#stray.push(line);
    if (this.#stray.length > MAX_STRAY_LINES) this.#stray.shift();
    for (const reader of this.#readers) reader.push(line);
  }

  /** Oldest first. @throws {ThvError} `FILE_FAILED`. */
  async read(selection: LogSelection): Promise<StampedLine[]> {
    return await this.#enqueue(() => this.#read(selection, this.#snapshot()));
  }

  /** The selected lines and later ones; ends once `over` fires, after all earlier lines, or at once with the signal. */
  async *follow(
    selection: LogSelection,
    { signal, over }: { readonly signal: AbortSignal; readonly over: AbortSignal },
  ): AsyncGenerator<StampedLine> {
    const queue = new LineQueue();
    try {
      const { lines } = await this.#enqueue(async () => {
        // No line can arrive between these two: each line is in exactly one of them.
        const snapshot = this.#snapshot();
        this.#readers.add(queue);
        return { lines: await this.#read(selection, snapshot) };
      });
      yield* lines;
      for await (const line of queue.read(AbortSignal.any([signal, over]))) {
        if (signal.aborted) return;
        yield line;
      }
    } finally {
      this.#readers.delete(queue);
    }
  }

  /** Resolves when all lines so far are written or have failed. */
  async flush(): Promise<void> {
    await this.#turn;
  }

  /** Deletes the files, and writes none any more. @throws {Error} When they cannot be removed. */
  async remove(): Promise<void> {
    this.#isRemoved = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#enqueue(() => this.#options.file.remove());
  }

  #addLine(text: string): void {
    const at = this.#now();
    for (const reader of this.#readers) reader.push({ at, text });
    if (this.#isRemoved) return;
    const bytes = encodeLine(at, text);
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES || this.#isWaitingForDisk) {
      this.#leftOutLines += 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#isWriting) return;
    this.#isWriting = true;
    void this.#enqueue(() => this.#write());
  }

  get #isWaitingForDisk(): boolean {
    return this.#failure !== undefined && this.#now() - this.#failure.at < RETRY_MS;
  }

  async #write(): Promise<void> {
    const note =
      this.#leftOutLines > 0
        ? [encodeLine(this.#now(), formatLeftOutNote(this.#leftOutLines, this.#failure?.reason))]
        : [];
    const noted = this.#leftOutLines;
    const bytes = Buffer.concat([...note, ...this.#waiting]);
    const count = this.#waiting.length;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#isWriting = false;
    if (bytes.length === 0 || this.#isRemoved) return;
    const { workload, file, log } = this.#options;
    try {
      await file.append(bytes);
      this.#leftOutLines -= noted;
      if (this.#failure) log.info({ workload }, "server's log is written again");
      this.#failure = undefined;
    } catch (error) {
      this.#leftOutLines += count;
      const reason = readSystemCode(error) ?? describeError(error);
      // Logged once, not for each of the next hundred thousand lines.
      if (!this.#failure)
        log.warn({ workload, reason }, "server's log cannot be written, the server goes on without it");
      this.#failure = { reason, at: this.#now() };
    }
  }

  /** What is not in the file yet. */
  #snapshot(): StampedLine[] {
    const lines = this.#waiting.map((bytes) => decodeLine(bytes.subarray(0, -1)));
    if (this.#leftOutLines === 0) return lines;
    return [...lines, { at: this.#now(), text: formatLeftOutNote(this.#leftOutLines, this.#failure?.reason) }];
  }

  async #read({ tail, since }: LogSelection, newest: readonly StampedLine[]): Promise<StampedLine[]> {
    const stray = [...this.#stray];
    const written = await this.#readWritten(since === undefined ? tail : Number.POSITIVE_INFINITY);
    return selectLines(mergeByTime([...written, ...newest], stray), { tail, since });
  }

  async #readWritten(tail: number): Promise<StampedLine[]> {
    for (let size = FIRST_READ_BYTES; ; size *= 8) {
      const bytes = await this.#options.file.readNewest(size).catch((error) => {
        throw createFileError(error) ?? error;
      });
      const isAll = bytes.length < size;
      const lines = isAll ? bytes : bytes.subarray(bytes.indexOf("\n") + 1);
      if (isAll || hasLines(lines, tail)) return decodeLines(lines);
    }
  }

  /** Runs work after all earlier work. */
  async #enqueue<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(run);
    this.#turn = result.catch(() => undefined);
    return await result;
  }
}

function formatLeftOutNote(lines: number, reason: string | undefined): string {
  const why = reason === undefined ? "the disk was too slow" : `the log could not be written (${reason})`;
  return `thv: left out ${lines} ${lines === 1 ? "line" : "lines"}, ${why}`;
}

function hasLines(bytes: Buffer, wanted: number): boolean {
  let count = 0;
  for (let end = bytes.indexOf("\n"); end !== -1 && count < wanted; end = bytes.indexOf("\n", end + 1)) count += 1;
  return count >= wanted;
}

function decodeLines(bytes: Buffer): StampedLine[] {
  const lines: StampedLine[] = [];
  let from = 0;
  for (let end = bytes.indexOf("\n"); end !== -1; end = bytes.indexOf("\n", from)) {
    lines.push(decodeLine(bytes, from, end));
    from = end + 1;
  }
  return lines;
}

/** Both are in their order already; a line without a moment stays behind the one before it. */
function mergeByTime(lines: readonly StampedLine[], others: readonly StampedLine[]): StampedLine[] {
  if (others.length === 0) return [...lines];
  const merged: StampedLine[] = [];
  let next = 0;
  for (const line of lines) {
    for (; next < others.length && (others[next]?.at ?? 0) < (line.at ?? 0); next += 1)
      merged.push(others[next] as StampedLine);
    merged.push(line);
  }
  return [...merged, ...others.slice(next)];
}
