/** The order in which people expect names: r2 before r10. The API lists its names in the same one. */

const COLLATOR = new Intl.Collator("en", { numeric: true });

/** For `sort`. */
export function compareNames(left: string, right: string): number {
  return COLLATOR.compare(left, right);
}
