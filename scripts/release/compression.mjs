/** How strongly the files of a release are compressed. */

/**
 * @typedef {{ brotli: number, layer: number, archive: number, package: number }} Compression Levels: `brotli` of what lies within an
 *   executable, `layer` of gzip for layers of images, `archive` of libdeflate's gzip, and `package` of xz for Linux packages.
 */

/**
 * Of 115 MB xz makes 29 in 43 seconds of processor time at this level; level 1 would make 34 in 7. A package is downloaded more
 * often than built.
 *
 * @type {Compression}
 */
export const STRONG = { brotli: 11, layer: 9, archive: 12, package: 6 };

/**
 * For files that a test builds and installs on this machine: the formats and all that unpacks them are the same, and the files
 * are larger. A release built at these levels takes a third of the processor time.
 *
 * @type {Compression}
 */
export const LIGHT = { brotli: 4, layer: 1, archive: 1, package: 0 };
