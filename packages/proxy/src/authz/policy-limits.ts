/** Bounds of policy queries. This file imports nothing, because pages print these numbers too. */

/** Arguments that policies read, and characters of their texts: Cedar needs about 20 µs for each, and for each kB. */
export const MAX_ARGUMENTS = 256;
export const MAX_ARGUMENTS_LENGTH = 64 * 1024;
/** Characters of the name of a tool or prompt, or of a URI: browsers accept 8,000 in an address. */
export const MAX_NAME_LENGTH = 8_192;
