/** Compares two versions: which one is older. */

/** Whether the first is from before the second. What is no version (built from sources) is as new as any. */
export function isOlder(version: string, than: string): boolean {
  const left = parse(version);
  const right = parse(than);
  if (!left || !right) return false;
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? 0;
    if (part !== other) return part < other;
  }
  return false;
}

function parse(version: string): number[] | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)$/.exec(version);
  return match?.slice(1).map(Number);
}
