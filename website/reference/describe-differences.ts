/** What a table of comparisons says of the ways through the product on which something differs. */

interface Difference<Way extends string> {
  readonly way: Way | "direct";
  readonly reason: string;
}

/** @param ways What each way is called in a table. @returns One sentence for each reason, with the ways that it is about. */
export function describeDifferences<Way extends string>(
  differences: readonly Difference<Way>[],
  ways: Readonly<Record<Way, string>>,
): string {
  if (differences.length === 0) return "The same";
  const reasons = [...new Set(differences.map(({ reason }) => reason))];
  return reasons
    .map((reason) => {
      const found = differences.filter((each) => each.reason === reason).map(({ way }) => way);
      const named = [...new Set(found)].map((way) => (way === "direct" ? way : ways[way])).join(" and ");
      return `The same, except with ${named}. ${reason}`;
    })
    .join(" ");
}
