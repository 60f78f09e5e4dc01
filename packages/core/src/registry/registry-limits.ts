/** Bounds of what is read of a registry. The official one had some ten thousand servers in 2026. */

/** Entries of one registry, all versions counted. Further ones are left out, which is said. */
export const MAX_ENTRIES = 30_000;
/** Versions of one server. Older ones are left out, which is said. */
export const MAX_VERSIONS = 100;
/** Damaged entries that are told. A file with more is not looked through any further. */
export const MAX_SKIPPED = 1_000;
/** Characters of a reason. */
export const MAX_REASON_LENGTH = 1_000;
