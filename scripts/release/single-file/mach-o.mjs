/**
 * Signs executables of macOS without a key ("ad hoc"), as its linker does: Apple's processors start nothing that has no
 * signature, and a changed executable no longer fits the one it had. The formats are those of Apple's `loader.h` and
 * `cs_blobs.h`; only 64-bit files for one processor are understood.
 */
import { createHash } from "node:crypto";

const MAGIC = 0xfeedfacf;
const HEADER_BYTES = 32;
const SEGMENT = 0x19;
const CODE_SIGNATURE = 0x1d;
const SIGNATURE_COMMAND_BYTES = 16;
/** Of the memory of Apple's processors; those of Intel have smaller ones, which fit. */
const MEMORY_PAGE = 0x4000n;
const PAGE_BITS = 12;
const HASH_BYTES = 32;
const DIRECTORY_BYTES = 88;

/** @typedef {{ kind: number, at: number, bytes: number }} LoadCommand */

/** @param {Buffer} file @returns {LoadCommand[]} @throws {Error} When it is not such an executable. */
function listCommands(file) {
  if (file.length < HEADER_BYTES || file.readUInt32LE(0) !== MAGIC) throw new Error("This is no 64-bit Mach-O file.");
  /** @type {LoadCommand[]} */
  const commands = [];
  let at = HEADER_BYTES;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const bytes = file.readUInt32LE(at + 4);
    if (bytes < 8) throw new Error(`The load command at ${at} has ${bytes} bytes.`);
    commands.push({ kind: file.readUInt32LE(at), at, bytes });
    at += bytes;
  }
  return commands;
}

/** @param {Buffer} file @param {string} name @returns {LoadCommand} */
function findSegment(file, name) {
  const found = listCommands(file).find(
    ({ kind, at }) => kind === SEGMENT && file.toString("latin1", at + 8, at + 24).replace(/\0+$/, "") === name,
  );
  if (found === undefined) throw new Error(`The Mach-O file has no segment ${name}.`);
  return found;
}

/** @param {Buffer} file @returns {Buffer} The file without a signature; the same where it has none. */
export function removeSignature(file) {
  const signature = listCommands(file).find(({ kind }) => kind === CODE_SIGNATURE);
  if (signature === undefined) return file;
  const start = file.readUInt32LE(signature.at + 8);
  if (start + file.readUInt32LE(signature.at + 12) < file.length - 15)
    throw new Error("The signature is not at the end.");
  const result = Buffer.from(file.subarray(0, start));
  const end = HEADER_BYTES + result.readUInt32LE(20);
  result.copyWithin(signature.at, signature.at + signature.bytes, end);
  result.fill(0, end - signature.bytes, end);
  result.writeUInt32LE(result.readUInt32LE(16) - 1, 16);
  result.writeUInt32LE(result.readUInt32LE(20) - signature.bytes, 20);
  resizeLinkedit(result, start);
  return result;
}

/** Lets the last segment reach to the end of the file. @param {Buffer} file @param {number} end */
function resizeLinkedit(file, end) {
  const { at } = findSegment(file, "__LINKEDIT");
  const size = BigInt(end) - file.readBigUInt64LE(at + 40);
  file.writeBigUInt64LE(size, at + 48);
  file.writeBigUInt64LE(((size + MEMORY_PAGE - 1n) / MEMORY_PAGE) * MEMORY_PAGE, at + 32);
}

/**
 * @param {Buffer} file Without a signature.
 * @param {string} identifier What the system's messages call it.
 * @returns {Buffer} The signed file.
 */
export function signAdHoc(file, identifier) {
  const codeEnd = Math.ceil(file.length / 16) * 16;
  const pages = Math.ceil(codeEnd / 2 ** PAGE_BITS);
  const name = Buffer.from(`${identifier}\0`);
  const directoryBytes = DIRECTORY_BYTES + name.length + pages * HASH_BYTES;
  const blobBytes = 20 + directoryBytes;

  const result = Buffer.alloc(codeEnd + Math.ceil(blobBytes / 16) * 16);
  file.copy(result);
  addSignatureCommand(result, codeEnd, result.length - codeEnd);
  resizeLinkedit(result, result.length);

  const text = findSegment(result, "__TEXT").at;
  const blob = result.subarray(codeEnd);
  // A container with one entry, the directory of the code, in slot 0.
  for (const [index, value] of [0xfade0cc0, blobBytes, 1, 0, 20].entries()) blob.writeUInt32BE(value, index * 4);
  const directory = blob.subarray(20, 20 + directoryBytes);
  const numbers = [
    0xfade0c02,
    directoryBytes,
    0x20400, // the version with the segment of the code
    0x20002, // ad hoc, by a linker
    DIRECTORY_BYTES + name.length,
    DIRECTORY_BYTES,
    0,
    pages,
    codeEnd,
  ];
  for (const [index, value] of numbers.entries()) directory.writeUInt32BE(value, index * 4);
  directory.set([HASH_BYTES, 2, 0, PAGE_BITS], 36); // SHA-256
  directory.writeBigUInt64BE(result.readBigUInt64LE(text + 40), 64);
  directory.writeBigUInt64BE(result.readBigUInt64LE(text + 48), 72);
  directory.writeBigUInt64BE(1n, 80); // a main program
  name.copy(directory, DIRECTORY_BYTES);
  for (let page = 0; page < pages; page++) {
    const bytes = result.subarray(page << PAGE_BITS, Math.min(codeEnd, (page + 1) << PAGE_BITS));
    createHash("sha256")
      .update(bytes)
      .digest()
      .copy(directory, DIRECTORY_BYTES + name.length + page * HASH_BYTES);
  }
  return result;
}

/** @param {Buffer} file @param {number} start @param {number} bytes */
function addSignatureCommand(file, start, bytes) {
  const end = HEADER_BYTES + file.readUInt32LE(20);
  if (file.subarray(end, end + SIGNATURE_COMMAND_BYTES).some((byte) => byte !== 0)) {
    throw new Error("There is no room for a signature behind the load commands.");
  }
  for (const [index, value] of [CODE_SIGNATURE, SIGNATURE_COMMAND_BYTES, start, bytes].entries())
    file.writeUInt32LE(value, end + index * 4);
  file.writeUInt32LE(file.readUInt32LE(16) + 1, 16);
  file.writeUInt32LE(file.readUInt32LE(20) + SIGNATURE_COMMAND_BYTES, 20);
}
