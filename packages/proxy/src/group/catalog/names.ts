/**
 * The names under which a group shows what its servers offer. The rule depends on who offers what, and never on who joined first:
 *
 * - `auto`: a name that one server has stays; a name that several have becomes `server__name` for each of them. So does a
 *   name that begins like another server's `server__name`, to the eye of a reader, too, whether that server has it or not.
 * - `always`: every name is `server__name`.
 * - `never`: names stay; of several with one name, the first server by name has it, and the others are hidden.
 *
 * Stopped servers count with their last known offers: a name must not change because one sleeps.
 */
import { formatFullName, type GroupNaming, ServerPrefixes } from "@toolhive/core";

/** What one server offers, by its own names; each occurs once. */
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
  /** Another server of the group whose `server__name` the own name looks like. */
  readonly readsLike?: string | undefined;
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
  const prefixes = new ServerPrefixes(sorted.map(({ server }) => server));
  const choose = (server: string, own: string, readsLike: string | undefined): string => {
    if (naming === "never") return own;
    const isUnlikeOthers = !fullNames.has(own) && readsLike === undefined;
    const isPlain = naming === "auto" && holders.get(own) === 1 && isUnlikeOthers;
    return isPlain ? own : formatFullName(server, own);
  };
  const owners = new Map<string, string>();
  return pairs.map(({ server, own }) => {
    const readsLike = prefixes.findOther(server, own);
    const shown = choose(server, own, readsLike);
    const hiddenBy = owners.get(shown);
    const warned = readsLike !== undefined && { readsLike };
    if (hiddenBy !== undefined) return { server, own, shown: undefined, hiddenBy, ...warned };
    owners.set(shown, server);
    return { server, own, shown, ...warned };
  });
}
