/**
 * How many typing mistakes lie between two words: insertions, deletions, substitutions and swaps of neighbours
 * (optimal string alignment). As the hosted provider counts, a wrong first letter is two mistakes.
 */

const rows: [Uint8Array, Uint8Array, Uint8Array] = [new Uint8Array(72), new Uint8Array(72), new Uint8Array(72)];

/**
 * Distance from what was typed to a term, or to the best beginning of it.
 *
 * @param typed At most 64 characters.
 * @param term At most 64 characters.
 * @param limit The search stops above it. 0–3.
 * @param asPrefix Compare with the best beginning of `term` instead of all of it.
 * @returns 0–limit, or limit + 1 when there are more mistakes.
 */
export function editDistance(typed: string, term: string, limit: number, asPrefix = false): number {
  const height = typed.length;
  const tooFar = limit + 1;
  if (height > 70 || term.length > 70) return typed === term ? 0 : tooFar;
  if (height - term.length > limit) return tooFar;
  if (!asPrefix && term.length - height > limit) return tooFar;
  const firstLetterPenalty = typed.charCodeAt(0) === term.charCodeAt(0) ? 0 : 1;
  const budget = limit - firstLetterPenalty;
  if (budget < 0 || (firstLetterPenalty === 1 && budget === 0)) return tooFar;
  const width = Math.min(term.length, height + limit);

  let [before, above, current] = rows;
  for (let column = 0; column <= width; column++) above[column] = column;
  for (let row = 1; row <= height; row++) {
    const code = typed.charCodeAt(row - 1);
    current[0] = row;
    let best = row;
    for (let column = 1; column <= width; column++) {
      const other = term.charCodeAt(column - 1);
      let cost = (above[column - 1] as number) + (code === other ? 0 : 1);
      const deletion = (above[column] as number) + 1;
      if (deletion < cost) cost = deletion;
      const insertion = (current[column - 1] as number) + 1;
      if (insertion < cost) cost = insertion;
      if (
        row > 1 &&
        column > 1 &&
        code !== other &&
        code === term.charCodeAt(column - 2) &&
        typed.charCodeAt(row - 2) === other
      ) {
        const swap = (before[column - 2] as number) + 1;
        if (swap < cost) cost = swap;
      }
      current[column] = cost;
      if (cost < best) best = cost;
    }
    if (best > budget) return tooFar;
    [before, above, current] = [above, current, before];
  }

  let distance = above[width] as number;
  if (asPrefix) for (let column = 0; column < width; column++) distance = Math.min(distance, above[column] as number);
  return distance > budget ? tooFar : distance + firstLetterPenalty;
}

/** The hosted provider's rule: one mistake from 4 letters on, two from 8; numbers must be exact. */
export function typosAllowed(word: string, minFor1 = 4, minFor2 = 8): number {
  if (/^[\d.]+$/.test(word)) return 0;
  if (word.length >= minFor2) return 2;
  return word.length >= minFor1 ? 1 : 0;
}
