/** A list of names that stays one line, however long it is. */
import { showLine } from "./shown-text.ts";

/** Names that one line repeats. */
const MAX_NAMED = 5;

/** For example `a, b, c, d, e and 33 more`. */
export function nameSome(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map(showLine);
  const rest = names.length - named.length;
  return rest > 0 ? `${named.join(", ")} and ${rest} more` : named.join(", ");
}
