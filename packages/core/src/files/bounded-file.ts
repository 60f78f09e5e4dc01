/**
 * Reads files whose path comes from a user. Reading a pipe or a device can block a thread of the process or never end;
 * four such reads would block all file access.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { describeError, readSystemCode } from "../support/errors.ts";
import { retryInUse } from "./retry-in-use.ts";

/** Bytes, unless the reader says otherwise: settings, policies, certificates and tokens have less. */
export const MAX_NAMED_FILE_BYTES = 1024 * 1024;

/** The file exists and is not read. The message is half a sentence: `it is no regular file`. */
export class UnsuitableFile extends Error {
  override readonly name = "UnsuitableFile";
}

export interface BoundedRead {
  /** Default 1 MiB. */
  readonly maxBytes?: number;
  /**
   * Allows files that are not regular, such as `<(command)` in a shell. Only for a process that may block. Default
   * false.
   */
  readonly mayWait?: boolean;
}

/** @throws {UnsuitableFile} and errors of the system. */
export async function readBoundedFile(
  path: string,
  { maxBytes = MAX_NAMED_FILE_BYTES, mayWait = false }: BoundedRead = {},
): Promise<Buffer> {
  // Windows has no such flag, and no pipes among its files.
  const flags = constants.O_RDONLY | (mayWait ? 0 : (constants.O_NONBLOCK ?? 0));
  const file = await retryInUse(() => open(path, flags));
  try {
    const info = await file.stat();
    if (info.isDirectory() || (!mayWait && !info.isFile())) throw new UnsuitableFile("it is no regular file");
    if (info.size > maxBytes) throw createTooLargeError(maxBytes);
    return await readAtMost(file, maxBytes);
  } finally {
    await file.close();
  }
}

/** As `readBoundedFile`, decoded with {@link decodeText}. */
export async function readBoundedText(path: string, options?: BoundedRead): Promise<string> {
  return decodeText(await readBoundedFile(path, options));
}

/** As `readBoundedText`; `undefined` when there is no such file. */
export async function readTextIfPresent(path: string, options?: BoundedRead): Promise<string | undefined> {
  try {
    return await readBoundedText(path, options);
  } catch (error) {
    if (readSystemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** UTF-8, or UTF-16 where it begins with that byte order mark: PowerShell on Windows writes both. Without the mark. */
export function decodeText(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? "utf16le" : "utf8").replace(/^\uFEFF/, "");
}

/** @returns Half a sentence for either kind of failure: `it cannot be read (EACCES)`. */
export function describeReadFailure(error: unknown): string {
  return error instanceof UnsuitableFile
    ? error.message
    : `it cannot be read (${readSystemCode(error) ?? describeError(error)})`;
}

/** The reported size of a file may be 0, or change during the read. */
async function readAtMost(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) throw createTooLargeError(maxBytes);
    parts.push(part);
  }
  return Buffer.concat(parts, bytes);
}

function createTooLargeError(maxBytes: number): UnsuitableFile {
  return new UnsuitableFile(`it is larger than ${maxBytes} bytes`);
}
