/** Sorts the members of all objects in a JSON value by name, so that equal values have the same text. Lists keep their order. */
export function sortJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortJson);
  if (typeof value !== "object" || value === null) return value;
  const sorted = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, member]) => [name, sortJson(member)]));
}
