/** The places of the greatest values, found without sorting all of them: a heap of the wanted length. */

/**
 * @param limit At least 1.
 * @returns At most `limit` places, in no particular order; of equal values the earlier places.
 */
export function bestPlaces(values: Float64Array, limit: number): number[] {
  if (values.length <= limit) return Array.from(values.keys());
  // The worst of the chosen is at the root.
  const heap = Array.from({ length: limit }, (_, place) => place);
  const isWorse = (a: number, b: number): boolean => {
    const difference = (values[a] as number) - (values[b] as number);
    return difference < 0 || (difference === 0 && a > b);
  };
  const sink = (from: number): void => {
    let at = from;
    const moved = heap[at] as number;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= limit) break;
      if (child + 1 < limit && isWorse(heap[child + 1] as number, heap[child] as number)) child += 1;
      if (!isWorse(heap[child] as number, moved)) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = moved;
  };
  for (let at = (limit >>> 1) - 1; at >= 0; at--) sink(at);
  for (let place = limit; place < values.length; place++) {
    if (!isWorse(heap[0] as number, place)) continue;
    heap[0] = place;
    sink(0);
  }
  return heap;
}
