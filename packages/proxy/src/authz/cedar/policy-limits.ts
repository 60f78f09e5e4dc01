/** Bounds of policies and of policy queries. This file imports nothing, because pages print these numbers too. */

/** Arguments that policies read, and characters of their texts: Cedar needs about 20 µs for each, and for each kB. */
export const MAX_ARGUMENTS = 256;
export const MAX_ARGUMENTS_LENGTH = 64 * 1024;
/** Characters of the name of a tool or prompt, or of a URI: browsers accept 8,000 in an address. */
export const MAX_NAME_LENGTH = 8_192;

/**
 * Levels of one policy, and of a value of an entity. The engine's stack ends at 66 to 78 levels of brackets, and at 104 of
 * operators; JSON ends at 128 levels of arrays and objects.
 */
export const MAX_POLICY_DEPTH = 32;
/** How many `||` or `&&` in a row count as one level: the engine ends at 318 of them. */
export const ALTERNATIVES_IN_A_LEVEL = 6;
/** Characters of one policy: a list of 32,000 numbers takes a third of a second. */
export const MAX_POLICY_LENGTH = 64 * 1024;
/** Characters of all policies of a file, and of its entities. */
export const MAX_POLICIES_LENGTH = 256 * 1024;
/** Characters behind the first `*` in the patterns of `like`: each is compared with each character of an argument. */
export const MAX_PATTERNS_LENGTH = 4_096;
/** Steps from entities to their parents, and from there to theirs, all together. */
export const MAX_ANCESTRY = 100_000;
