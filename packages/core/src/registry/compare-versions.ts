/** Which of two versions is newer, by semantic versioning as far as they follow it: https://semver.org/#spec-item-11. */

/** Positive when the first is newer. */
export function compareEntryVersions(left: string, right: string): number {
  const [one, other] = [splitVersion(left), splitVersion(right)];
  return (
    compareParts(one.numbers, other.numbers) ||
    // A release is newer than what came before it.
    Number(other.pre.length > 0) - Number(one.pre.length > 0) ||
    compareParts(one.pre, other.pre)
  );
}

function splitVersion(version: string) {
  const [plain = ""] = version.replace(/^v(?=\d)/, "").split("+", 1);
  const at = plain.indexOf("-");
  return {
    numbers: (at === -1 ? plain : plain.slice(0, at)).split("."),
    pre: at === -1 ? [] : plain.slice(at + 1).split("."),
  };
}

function compareParts(left: readonly string[], right: readonly string[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = comparePart(left[index], right[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function comparePart(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  const areNumbers = [/^\d{1,15}$/.test(left), /^\d{1,15}$/.test(right)] as const;
  if (areNumbers[0] && areNumbers[1]) return Number(left) - Number(right);
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
  return left < right ? -1 : 1;
}
