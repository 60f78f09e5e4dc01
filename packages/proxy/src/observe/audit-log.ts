/**
 * Writes audit events to a file that only its owner can read, or to standard output, as one JSON text a line. Follows a rotated
 * file; after a failed write it reopens the file every second and writes the queued events.
 */
import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import type { Logger } from "@toolhive/core";
import { UnsuitableFile } from "@toolhive/core/bounded-file";
import { describeError, readSystemCode, ThvError } from "@toolhive/core/errors";

export interface AuditLog {
  write(event: Readonly<Record<string, unknown>>): void;
  /** False between a failed write and the next successful one. */
  readonly isWritable: boolean;
  /** Resolves when everything that can be written is written. */
  close(): Promise<void>;
}

/** Bytes that wait to be written before events are dropped and counted: a full disk must not fill the memory too. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Bytes of one write. */
const MAX_WRITE_BYTES = 256 * 1024;
/** Milliseconds between two attempts after an error, and between two checks of the file at the path. */
const RETRY_MS = 1_000;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

/** @param path Absolute; standard output when empty. @throws {ThvError} `INVALID_ARGUMENT` when it cannot be opened. */
export async function openAuditLog(path: string | undefined, log: Logger): Promise<AuditLog> {
  if (path) return new AuditFile(path, await openFile(path), log);
  return {
    write: (event) => void process.stdout.write(`${JSON.stringify(event)}\n`),
    isWritable: true,
    close: async () => undefined,
  };
}

class AuditFile implements AuditLog {
  readonly #path: string;
  readonly #log: Logger;
  #file: FileHandle | undefined;
  /** Lines that are not written yet, oldest first. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #isFailing = false;
  /** Whether the file ends in the middle of a line, after a failed write. */
  #isTorn = false;
  #lookedAt = performance.now();
  #work: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(path: string, file: FileHandle, log: Logger) {
    this.#path = path;
    this.#file = file;
    this.#log = log;
  }

  get isWritable(): boolean {
    return !this.#isFailing;
  }

  write(event: Readonly<Record<string, unknown>>): void {
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    if (this.#waitingBytes + line.length > MAX_WAITING_BYTES) {
      this.#dropped += 1;
      if (this.#dropped === 1) this.#log.error({ path: this.#path }, "audit events are lost");
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#retry === undefined) this.#begin();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#work;
    // Try again: there may be room by now.
    await this.#writeWaiting();
    const lost = this.#dropped + this.#waiting.length;
    if (lost > 0) this.#log.error({ path: this.#path, dropped: lost }, "audit events were lost");
    await this.#file?.close().catch(() => undefined);
  }

  #begin(): void {
    this.#work ??= this.#writeWaiting().finally(() => {
      this.#work = undefined;
      if (this.#isClosed || this.#waiting.length === 0) return;
      if (!this.#isFailing) return this.#begin();
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#begin();
      }, RETRY_MS);
      this.#retry.unref();
    });
  }

  /** Never rejects: what cannot be written waits. */
  async #writeWaiting(): Promise<void> {
    try {
      await this.#follow();
      while (this.#waiting.length > 0) await this.#writeSome();
      if (this.#isFailing)
        this.#log.info({ path: this.#path, dropped: this.#dropped }, "audit events are written again");
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.#log.error({ path: this.#path, reason: describeError(error) }, "audit events cannot be written");
      this.#isFailing = true;
      await this.#file?.close().catch(() => undefined);
      this.#file = undefined;
    }
  }

  /** Opens the file when there is none, and again when another one is at the path, or none: a rotation has moved ours. */
  async #follow(): Promise<void> {
    const now = performance.now();
    if (this.#file !== undefined && now - this.#lookedAt >= RETRY_MS) {
      this.#lookedAt = now;
      if (!(await isAt(this.#path, this.#file))) {
        const moved = this.#file;
        this.#file = undefined;
        this.#isTorn = false;
        await moved.close();
      }
    }
    this.#file ??= await openFile(this.#path);
  }

  /** Writes as many whole lines as go into one write. @throws when not all of it could be written. */
  async #writeSome(): Promise<void> {
    let count = 1;
    let bytes = this.#waiting[0]?.length ?? 0;
    while (count < this.#waiting.length && bytes + (this.#waiting[count]?.length ?? 0) <= MAX_WRITE_BYTES) {
      bytes += this.#waiting[count++]?.length ?? 0;
    }
    // The torn line stays, ended: readers of the file skip it, and the event is written again as a whole.
    const start = this.#isTorn ? [Buffer.from("\n")] : [];
    const data = Buffer.concat([...start, ...this.#waiting.slice(0, count)]);
    let written = 0;
    try {
      while (written < data.length) written += (await (this.#file as FileHandle).write(data, written)).bytesWritten;
    } finally {
      if (written > 0) this.#settle(written - start.length);
    }
  }

  /** Takes whole lines from what waits. @param bytes Of the lines, that are in the file now. */
  #settle(bytes: number): void {
    let lines = 0;
    let left = bytes;
    for (let line = this.#waiting[0]; line !== undefined && left >= line.length; line = this.#waiting[lines]) {
      left -= line.length;
      lines += 1;
    }
    this.#waiting.splice(0, lines);
    this.#waitingBytes -= bytes - left;
    this.#isTorn = left > 0;
  }
}

async function isAt(path: string, file: FileHandle): Promise<boolean> {
  try {
    const [there, ours] = await Promise.all([stat(path), file.stat()]);
    return there.ino === ours.ino && there.dev === ours.dev;
  } catch (error) {
    return readSystemCode(error) !== "ENOENT";
  }
}

async function openFile(path: string): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    // Not through a link: a user who could place one would choose the file that we write. A pipe would hold a thread of the
    // process until somebody reads it; without waiting, opening one fails with ENXIO.
    file = await open(path, O_APPEND | O_CREAT | O_WRONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0), 0o600);
    if (!(await file.stat()).isFile()) throw new UnsuitableFile("it is no regular file");
    await file.chmod(0o600);
    return file;
  } catch (error) {
    await file?.close().catch(() => undefined);
    const reason = error instanceof UnsuitableFile ? error.message : readSystemCode(error);
    throw new ThvError("INVALID_ARGUMENT", `The audit log ${path} cannot be opened: ${reason}.`, {
      hint: "Its folder must exist, and the path must be a regular file that you own, not a link, pipe or device.",
      cause: error,
    });
  }
}
