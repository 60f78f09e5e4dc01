/** Describes regular expressions of schemas in words, for error messages. */

const words = new Map<string, string>();

/**
 * @param meaning Completes "must be …".
 * @returns The pattern.
 */
export function describePattern(pattern: string, meaning: string): string {
  words.set(pattern, meaning);
  return pattern;
}

/** What a value must be to match, in words; `undefined` for an expression without such words. */
export function findPatternWords(pattern: string | RegExp): string | undefined {
  return words.get(typeof pattern === "string" ? pattern : pattern.source);
}
