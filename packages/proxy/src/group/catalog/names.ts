/**
 * The names under which a group shows what its servers offer. The rule depends on who offers what, and never on who was
 * there first:
 *
 * - `auto`: a name that one server has stays; a name that several have becomes `server__name` for each of them. So does a
 *   name that reads like another server's `server__name`.
 * - `always`: every name is `server__name`.
 * - `never`: names stay; of several with one name, the first server by name has it, and the others are hidden.
 *
 * Servers that are stopped count as far as it is known what they offer: a name must not change because one sleeps.
 */
import { formatFullName, type GroupNaming } from "@toolhive/core";

/** What one server offers, by its own names; each is there once. */
export interface OfferedNames {
  readonly server: string;
  readonly names: readonly string[];
}

export interface NamedOffer {
  readonly server: string;
  readonly own: string;
  /** What clients see; `undefined` when another server's hides it. */
  readonly shown: string | undefined;
  /** Whose it is that hides it. */
  readonly hiddenBy?: string | undefined;
}

export function assignNames(offered: readonly OfferedNames[], naming: GroupNaming): NamedOffer[] {
  const sorted = [...offered].sort((left, right) => (left.server < right.server ? -1 : 1));
  const pairs = sorted.flatMap(({ server, names }) => names.map((own) => ({ server, own })));
  const holders = new Map<string, number>();
  const fullNames = new Set<string>();
  for (const { server, own } of pairs) {
    holders.set(own, (holders.get(own) ?? 0) + 1);
    fullNames.add(formatFullName(server, own));
  }
  const choose = (server: string, own: string): string => {
    if (naming === "never") return own;
    const isPlain = naming === "auto" && holders.get(own) === 1 && !fullNames.has(own);
    return isPlain ? own : formatFullName(server, own);
  };
  const owners = new Map<string, string>();
  return pairs.map(({ server, own }) => {
    const shown = choose(server, own);
    const hiddenBy = owners.get(shown);
    if (hiddenBy !== undefined) return { server, own, shown: undefined, hiddenBy };
    owners.set(shown, server);
    return { server, own, shown };
  });
}
