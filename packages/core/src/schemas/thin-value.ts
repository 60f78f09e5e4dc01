/**
 * A value must be small before every mistake in it is reported: each report contains the path to the mistake, and a report about
 * a list contains all its duplicates, so that a file of one megabyte could cause a message of hundreds.
 */

/** Items of a list that are checked one by one. */
const MAX_ITEMS = 256;
/** Characters of a member's name. */
const MAX_NAME_LENGTH = 200;
/** Levels; nothing that is described has more. */
const MAX_DEPTH = 32;

export interface ThinValue {
  readonly value: unknown;
  /** Items that a list had, also of one that was not cut. */
  readLength(list: readonly unknown[]): number;
}

/** A copy without the items of long lists, and with long names cut; what is below 32 levels stays as it is. */
export function thinValue(value: unknown): ThinValue {
  const lengths = new WeakMap<readonly unknown[], number>();
  const thin = (each: unknown, depth: number): unknown => {
    if (typeof each !== "object" || each === null || depth > MAX_DEPTH) return each;
    if (Array.isArray(each)) {
      const list = each.slice(0, MAX_ITEMS).map((item) => thin(item, depth + 1));
      lengths.set(list, each.length);
      return list;
    }
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [cut(name), thin(member, depth + 1)]));
  };
  return { value: thin(value, 0), readLength: (list) => lengths.get(list) ?? list.length };
}

function cut(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}
