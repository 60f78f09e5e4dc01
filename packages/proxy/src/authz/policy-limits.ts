/** What policies are asked about at most. Nothing here is loaded when there are none: pages say these numbers too. */

/** Arguments that policies look at, and characters of their texts: Cedar needs about 20 µs for each, and for each kB. */
export const MAX_ARGUMENTS = 256;
export const MAX_ARGUMENTS_LENGTH = 64 * 1024;
/** Characters of the name of a tool or prompt, or of a URI: browsers take 8,000 for an address. */
export const MAX_NAME_LENGTH = 8_192;
