/** Describes regular expressions of schemas in words, for error messages. */

const words = new Map<string, string>();

/**
 * @param meaning Completes "has to be …".
 * @returns The pattern.
 */
export function describePattern(pattern: string, meaning: string): string {
  words.set(pattern, meaning);
  return pattern;
}

/** What a value has to be to match; `undefined` for an expression that nobody has put into words. */
export function findPatternWords(pattern: string | RegExp): string | undefined {
  return words.get(typeof pattern === "string" ? pattern : pattern.source);
}
