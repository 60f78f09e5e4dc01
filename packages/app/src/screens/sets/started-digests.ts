/** The digest of each set that this browser has started from an image registry: whether its tag names another one now. */
import { parseJson, toRecord } from "@toolhive/http/values";

const KEY = "toolhive.started-sets";
/** Sets that are remembered. */
const MAX_SETS = 100;

type Store = Pick<Storage, "getItem" | "setItem">;

export function readStarted(reference: string, store: Store = localStorage): string | undefined {
  return readAll(store).get(reference);
}

export function rememberStarted(reference: string, digest: string, store: Store = localStorage): void {
  const all = readAll(store);
  all.delete(reference);
  all.set(reference, digest);
  const kept = [...all].slice(-MAX_SETS);
  try {
    store.setItem(KEY, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // A full store: the next change of the tag is not pointed out.
  }
}

function readAll(store: Store): Map<string, string> {
  const entries = Object.entries(toRecord(parseJson(store.getItem(KEY) ?? "")));
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
