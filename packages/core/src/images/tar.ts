/**
 * Writes a tar archive, as much of it as a build context needs: files, folders and symbolic links, in the ustar format with
 * pax records for long names. Equal entries give equal bytes: no times, no owners. POSIX.1-2017, `pax`.
 */

const BLOCK = 512;
/** Bytes of the name field. */
const MAX_NAME = 100;

export type TarEntry =
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly isExecutable?: boolean;
      /** Bytes; exactly as many as `content` yields. */
      readonly size: number;
      readonly content: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
    };

export function createTextEntry(path: string, text: string): TarEntry {
  const bytes = Buffer.from(text);
  return { kind: "file", path, size: bytes.length, content: () => [bytes] };
}

/** @throws {Error} When a file yields more or less than its size, because it changed meanwhile. */
export async function* writeTar(entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    yield* formatLongNames(entry);
    yield formatHeader(entry);
    if (entry.kind !== "file") continue;
    let written = 0;
    for await (const chunk of entry.content()) {
      written += chunk.length;
      if (written > entry.size) break;
      yield chunk;
    }
    if (written !== entry.size) throw new Error(`${entry.path} changed while it was read`);
    yield createPadding(entry.size);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function formatHeader(entry: TarEntry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const isExecutable = entry.kind === "directory" || (entry.kind === "file" && entry.isExecutable === true);
  block.write(formatPath(entry).slice(0, MAX_NAME), 0, MAX_NAME, "latin1");
  writeOctal(block, 100, 8, isExecutable ? 0o755 : 0o644);
  writeOctal(block, 108, 8, 0);
  writeOctal(block, 116, 8, 0);
  writeOctal(block, 124, 12, entry.kind === "file" ? entry.size : 0);
  writeOctal(block, 136, 12, 0);
  block.write({ file: "0", link: "2", directory: "5" }[entry.kind], 156, "latin1");
  if (entry.kind === "link") block.write(entry.target.slice(0, MAX_NAME), 157, MAX_NAME, "latin1");
  return addChecksum(block);
}

/** Names that are long or not ASCII are in records before the entry; engines read them since before Docker. */
function* formatLongNames(entry: TarEntry): Generator<Buffer> {
  const records = [
    ...(isPlain(formatPath(entry)) ? [] : [formatRecord("path", formatPath(entry))]),
    ...(entry.kind !== "link" || isPlain(entry.target) ? [] : [formatRecord("linkpath", entry.target)]),
    // The size field holds 8 GiB less one byte; a build context is bounded far below that.
  ];
  if (records.length === 0) return;
  const body = Buffer.concat(records);
  const block = Buffer.alloc(BLOCK);
  block.write("PaxHeader", 0, "latin1");
  writeOctal(block, 100, 8, 0o644);
  writeOctal(block, 108, 8, 0);
  writeOctal(block, 116, 8, 0);
  writeOctal(block, 124, 12, body.length);
  writeOctal(block, 136, 12, 0);
  block.write("x", 156, "latin1");
  yield addChecksum(block);
  yield body;
  yield createPadding(body.length);
}

function addChecksum(block: Buffer): Buffer {
  block.write("ustar\0" + "00", 257, "latin1");
  block.fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** `<length> <key>=<value>\n`, where the length counts itself. */
function formatRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  while (rest + String(length).length !== length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

function isPlain(text: string): boolean {
  return text.length <= MAX_NAME && /^[\x20-\x7e]*$/.test(text);
}

function formatPath(entry: TarEntry): string {
  return entry.kind === "directory" ? `${entry.path}/` : entry.path;
}

function writeOctal(block: Buffer, offset: number, width: number, value: number): void {
  block.write(`${value.toString(8).padStart(width - 1, "0")}\0`, offset, "latin1");
}

function createPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
