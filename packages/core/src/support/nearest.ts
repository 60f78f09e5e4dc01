/** "Did you mean": finds the nearest known word to a mistyped one. */

/** Characters of a word; no command or field is longer, and the work grows with the square. */
const MAX_LENGTH = 64;
/** Edits that still count as a slip of the fingers. */
const MAX_DISTANCE = 3;

export function findNearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = candidate.startsWith(word) && word.length > 1 ? 0 : computeEditDistance(word, candidate);
    const limit = Math.min(MAX_DISTANCE, Math.ceil(candidate.length / 3));
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Levenshtein distance: insertions, deletions, substitutions. */
export function computeEditDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_value, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
