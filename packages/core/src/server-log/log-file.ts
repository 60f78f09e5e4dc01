/** Where the standard error of one server is kept: two files that replace each other, so that they stay bounded. */
import { constants } from "node:fs";
import { chmod, type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { retryInUse } from "../files/retry-in-use.ts";
import { readSystemCode } from "../support/errors.ts";
import { MAX_LOG_FILE_BYTES } from "./log-limits.ts";

/** Keeps the newest bytes that were appended. Its methods are called one after the other. */
export interface LogFile {
  /** Appends whole lines. @throws When nothing can be written; then all or some of it is not kept. */
  append(bytes: Buffer): Promise<void>;
  /** The newest bytes, oldest first. @param maxBytes The result is shorter when fewer bytes are kept. */
  readNewest(maxBytes: number): Promise<Buffer>;
  /** Removing what is not there succeeds. */
  remove(): Promise<void>;
}

export type OpenLogFile = (workload: string) => LogFile;

/** Files in the folder `logs/servers` of the data directory, mode 0600: `NAME.log` and, older, `NAME.log.1`. */
export function createLogFileOpener(dataDirectory: string, maxBytes = MAX_LOG_FILE_BYTES): OpenLogFile {
  return (workload) => new RotatedFile(join(resolveServerLogFolder(dataDirectory), `${workload}.log`), maxBytes);
}

function resolveServerLogFolder(dataDirectory: string): string {
  return join(dataDirectory, "logs", "servers");
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

class RotatedFile implements LogFile {
  readonly #path: string;
  readonly #maxBytes: number;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  get #olderPath(): string {
    return `${this.#path}.1`;
  }

  async append(bytes: Buffer): Promise<void> {
    // Opened each time: a silent server holds no descriptor, and a file that somebody removed is created again.
    let file = await this.#open();
    try {
      const { size } = await file.stat();
      if (size > 0 && size + bytes.length > this.#maxBytes) {
        await file.close();
        await retryInUse(() => rename(this.#path, this.#olderPath));
        file = await this.#open();
      }
      await writeWhole(file, bytes);
    } finally {
      await file.close();
    }
  }

  async readNewest(maxBytes: number): Promise<Buffer> {
    const newer = await readEnd(this.#path, maxBytes);
    if (newer.length === maxBytes) return newer;
    return Buffer.concat([await readEnd(this.#olderPath, maxBytes - newer.length), newer]);
  }

  async remove(): Promise<void> {
    await retryInUse(() => rm(this.#path, { force: true }));
    await retryInUse(() => rm(this.#olderPath, { force: true }));
  }

  async #open() {
    // Not through a link: a user who could place one would choose the file that is written.
    const flags = O_APPEND | O_CREAT | O_WRONLY | (O_NOFOLLOW ?? 0);
    const openOnce = () => open(this.#path, flags, 0o600);
    try {
      return await openOnce();
    } catch (error) {
      if (readSystemCode(error) !== "ENOENT") throw error;
      const folder = dirname(this.#path);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await chmod(folder, 0o700);
      return await openOnce();
    }
  }
}

/** A disk that is full takes a part: then nothing is kept, because half a line would run into the next. */
async function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  const { size } = await file.stat();
  try {
    await file.writeFile(bytes);
  } catch (error) {
    await file.truncate(size);
    throw error;
  }
}

async function readEnd(path: string, maxBytes: number): Promise<Buffer> {
  try {
    const file = await open(path, O_RDONLY | (O_NOFOLLOW ?? 0));
    try {
      const { size } = await file.stat();
      const length = Math.min(size, maxBytes);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (readSystemCode(error) === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}
