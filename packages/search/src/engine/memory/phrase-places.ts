/** Where words are side by side: finds compounds and quoted phrases. */
import { CAMEL_BIT, type IndexData } from "../index/index-format.ts";

/**
 * Finds a phrase.
 *
 * @param parts Terms of each word of the phrase, in order.
 * @param allowed A byte per record, 0 where a filter forbids it.
 * @returns Record → the occurrences of the phrase's last word.
 */
export function findPhrase(
  data: IndexData,
  parts: readonly (readonly number[])[],
  allowed: Uint8Array | undefined,
): ReadonlyMap<number, readonly number[]> {
  let open: ReadonlyMap<number, readonly number[]> | undefined;
  for (const part of parts) open = continuePhrase(data, open, part, allowed);
  return open ?? new Map();
}

/** From the places where a phrase's beginning ends to those where it ends with one more word. */
function continuePhrase(
  data: IndexData,
  open: ReadonlyMap<number, readonly number[]> | undefined,
  part: readonly number[],
  allowed: Uint8Array | undefined,
): Map<number, number[]> {
  const { termStart, postingRecord, occurrenceStart, occurrences } = data.sections;
  const result = new Map<number, number[]>();
  for (const term of part) {
    const end = termStart[term + 1] as number;
    for (let posting = termStart[term] as number; posting < end; posting++) {
      const record = postingRecord[posting] as number;
      if (allowed !== undefined && allowed[record] === 0) continue;
      const before = open?.get(record);
      if (open !== undefined && before === undefined) continue;
      const last = occurrenceStart[posting + 1] as number;
      for (let at = occurrenceStart[posting] as number; at < last; at++) {
        const occurrence = ((occurrences[at] as number) & ~CAMEL_BIT) >>> 0;
        if (before !== undefined && !before.includes(occurrence - 1)) continue;
        const ends = result.get(record);
        if (ends === undefined) result.set(record, [occurrence]);
        else ends.push(occurrence);
      }
    }
  }
  return result;
}
