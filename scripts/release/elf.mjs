/** What an executable for Linux needs of a system, read from the file itself. Source: elf(5), and the LSB's symbol versions. */

const SECTION_STRINGS = 3;
const SECTION_DYNAMIC = 6;
const SECTION_VERSIONS_NEEDED = 0x6ffffffe;
const TAG_NEEDED = 1n;

/**
 * @param {Buffer} file A 64-bit little-endian ELF file.
 * @returns {{ libraries: string[], versions: string[] }} The libraries it is linked with, and the symbol versions it wants
 *   of them, such as `GLIBC_2.28`.
 */
export function readNeeds(file) {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1)
    throw new Error("That is no 64-bit little-endian ELF file.");
  const sections = listSections(file);
  /** @param {typeof sections[number]} section @returns {(offset: number) => string} */
  const findStrings = ({ link }) => {
    const strings = sections[link];
    if (strings?.type !== SECTION_STRINGS) throw new Error("The ELF file is damaged: a section has no strings.");
    return (offset) => {
      const begin = strings.offset + offset;
      return file.toString("latin1", begin, file.indexOf(0, begin));
    };
  };
  /** @type {string[]} */
  const libraries = [];
  /** @type {string[]} */
  const versions = [];
  for (const section of sections) {
    if (section.type === SECTION_DYNAMIC) {
      const read = findStrings(section);
      for (let at = section.offset; at < section.offset + section.size; at += 16)
        if (file.readBigUInt64LE(at) === TAG_NEEDED) libraries.push(read(Number(file.readBigUInt64LE(at + 8))));
    } else if (section.type === SECTION_VERSIONS_NEEDED) {
      versions.push(...listVersions(file, section.offset, findStrings(section)));
    }
  }
  return { libraries, versions };
}

/**
 * @param {readonly string[]} versions As {@link readNeeds} gives them.
 * @returns {string} The oldest GNU C library that has them all, such as `2.28`.
 */
export function findMinimumGlibc(versions) {
  const minors = versions.flatMap((version) => /^GLIBC_2\.(\d+)/.exec(version)?.[1] ?? []).map(Number);
  if (minors.length === 0) throw new Error("The executable wants no version of the GNU C library.");
  return `2.${Math.max(...minors)}`;
}

function listSections(/** @type {Buffer} */ file) {
  const table = Number(file.readBigUInt64LE(0x28));
  const size = file.readUInt16LE(0x3a);
  return Array.from({ length: file.readUInt16LE(0x3c) }, (_, index) => {
    const at = table + index * size;
    return {
      type: file.readUInt32LE(at + 4),
      offset: Number(file.readBigUInt64LE(at + 0x18)),
      size: Number(file.readBigUInt64LE(at + 0x20)),
      link: file.readUInt32LE(at + 0x28),
    };
  });
}

/**
 * A list of libraries, each with a list of versions; both are linked by distances, and 0 ends them.
 *
 * @param {Buffer} file
 * @param {number} begin
 * @param {(offset: number) => string} read
 */
function listVersions(file, begin, read) {
  /** @type {string[]} */
  const versions = [];
  for (let library = begin, isLast = false; !isLast; library += file.readUInt32LE(library + 12)) {
    isLast = file.readUInt32LE(library + 12) === 0;
    let at = library + file.readUInt32LE(library + 8);
    for (let left = file.readUInt16LE(library + 2); left > 0; left--) {
      versions.push(read(file.readUInt32LE(at + 8)));
      at += file.readUInt32LE(at + 12);
    }
  }
  return versions;
}
