/**
 * What a word counts for, by how few texts have it: BM25's inverse document frequency.
 *
 * @param all Number of texts. @param having Number of those that have the word.
 */
export function computeRarity(all: number, having: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}
