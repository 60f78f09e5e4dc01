/** Whether an object of the cluster still has everything that was asked for. Members that others added are theirs. */
import { readQuantity } from "../cluster/quantity.ts";

/** Members by which Kubernetes distinguishes the items of a list; the first that an item has is used. */
const KEYS = ["name", "mountPath", "containerPort", "port", "uid"] as const;
/** Paths' last members whose texts are quantities, for example `0.5` and `500m`. */
const QUANTITY_PARENTS = new Set(["limits", "requests"]);

/** @returns Whether `live` has each member of `desired` with an equal value. */
export function matchesDesired(desired: unknown, live: unknown, parent = ""): boolean {
  if (desired === null || desired === undefined) return live === null || live === undefined;
  if (Array.isArray(desired)) return matchesList(desired, live);
  if (typeof desired === "object") {
    // An empty map is as good as none.
    if (live === null || live === undefined) return Object.values(desired).every((member) => member === undefined);
    if (typeof live !== "object" || Array.isArray(live)) return false;
    return Object.entries(desired).every(([name, member]) =>
      QUANTITY_PARENTS.has(parent)
        ? isSameQuantity(member, (live as Record<string, unknown>)[name])
        : matchesDesired(member, (live as Record<string, unknown>)[name], name),
    );
  }
  // The API server leaves out values that a member has anyway, for example `readOnly: false`.
  if (live === undefined) return desired === false || desired === "" || desired === 0;
  return desired === live;
}

function matchesList(desired: readonly unknown[], live: unknown): boolean {
  if (live === undefined || live === null) return desired.length === 0;
  if (!Array.isArray(live)) return false;
  const key = KEYS.find((name) => desired.length > 0 && isUnique(desired, name));
  if (key === undefined) {
    return desired.length === live.length && desired.every((item, index) => matchesDesired(item, live[index]));
  }
  const byKey = new Map(live.map((item) => [(item as Record<string, unknown> | null)?.[key], item]));
  return desired.every((item) => matchesDesired(item, byKey.get((item as Record<string, unknown>)[key])));
}

/** Ports may be there twice, for UDP and for TCP. */
function isUnique(items: readonly unknown[], name: string): boolean {
  if (!items.every((item) => hasMember(item, name))) return false;
  return new Set(items.map((item) => (item as Record<string, unknown>)[name])).size === items.length;
}

function hasMember(item: unknown, name: string): boolean {
  return typeof item === "object" && item !== null && Object.hasOwn(item, name);
}

/** Both may be written in several ways; what is no quantity is compared as it is. */
function isSameQuantity(desired: unknown, live: unknown): boolean {
  return (readQuantity(desired) ?? desired) === (readQuantity(live) ?? live);
}
