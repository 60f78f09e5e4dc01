/** Removes the signature of an executable of Windows: it no longer fits a file to which something was added. */

const SECURITY_DIRECTORY = 4;
const PE32_PLUS = 0x20b;

/** @param {Buffer} file @returns {Buffer} The same where it has none. @throws {Error} When it is no such executable. */
export function removeAuthenticode(file) {
  const header = file.readUInt32LE(0x3c);
  if (file.toString("latin1", 0, 2) !== "MZ" || file.toString("latin1", header, header + 4) !== "PE\0\0") {
    throw new Error("This is no executable of Windows.");
  }
  const optional = header + 24;
  if (file.readUInt16LE(optional) !== PE32_PLUS) throw new Error("This is no 64-bit executable of Windows.");
  const entry = optional + 112 + SECURITY_DIRECTORY * 8;
  const start = file.readUInt32LE(entry);
  if (start === 0) return file;
  // An offset in the file, unlike the other entries; padding of less than eight bytes may follow.
  if (start + file.readUInt32LE(entry + 4) < file.length - 7) throw new Error("The signature is not at the end.");
  const result = Buffer.from(file.subarray(0, start));
  result.fill(0, entry, entry + 8);
  return result;
}
