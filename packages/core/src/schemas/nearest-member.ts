/** "Did you mean" for names of members, which are often left incomplete: `env` for `env_vars`, `port` for `proxy_port`. */
import { findNearest } from "../support/nearest.ts";

/** Characters of a name from which a longer one is guessed. */
const MIN_BEGINNING = 4;

/** @returns The known member that was probably meant, compared without case, dashes and underscores. */
export function findNearestMember(name: string, known: readonly string[]): string | undefined {
  const folded = fold(name);
  const byFolded = new Map(known.map((each) => [fold(each), each]));
  const same = byFolded.get(folded);
  if (same !== undefined) return same;
  const byWord = known.find((each) => each.split("_").includes(name.toLowerCase()));
  const byBeginning = known.find((each) => folded.length >= MIN_BEGINNING && fold(each).startsWith(folded));
  const near = byWord ?? byBeginning ?? byFolded.get(findNearest(folded, [...byFolded.keys()]) ?? "");
  return near;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}
