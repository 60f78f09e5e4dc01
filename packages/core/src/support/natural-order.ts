/** The order in which people expect names: r2 before r10. */

const COLLATOR = new Intl.Collator("en", { numeric: true });

/** For `sort`; names that count as the same keep one order. */
export function compareNames(left: string, right: string): number {
  return COLLATOR.compare(left, right) || (left < right ? -1 : Number(left > right));
}
