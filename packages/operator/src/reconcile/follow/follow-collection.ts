/** Keeps what a store remembers of one collection in step with the cluster: what a new list lacks is removed. */
import type { JsonObject } from "../../contract/index.ts";
import type { CollectionHandlers } from "./watch-collection.ts";

/** Which handlers a collection has, besides how it reports its failures. */
export type ObjectHandlers = Omit<CollectionHandlers, "fail">;

/** Where a store keeps what it remembers of an object. */
export interface Place<Part extends string = string> {
  /** Of the object itself, or of the one that it belongs to; begins with the namespace. */
  readonly key: string;
  /** Which of the objects of that key it is. Absent: the object itself. */
  readonly part?: Part;
}

interface RememberedCollection<Kept extends Place> {
  /** The one that the collection is of. Absent: all. */
  readonly namespace: string | undefined;
  /** @returns `undefined` for an object of which the store remembers nothing. */
  readonly locate: (object: JsonObject) => Kept | undefined;
  readonly set: (object: JsonObject, place: Kept) => void;
  /** @param object As it was when it was deleted. Absent: a new list lacks it. */
  readonly remove: (place: Kept, object?: JsonObject) => void;
  /** @returns Everything that the store remembers of this kind of object, in all namespaces. */
  readonly listKnown: () => Iterable<Kept>;
}

export function followCollection<Kept extends Place>({
  namespace,
  locate,
  set,
  remove,
  listKnown,
}: RememberedCollection<Kept>): ObjectHandlers {
  /** What the list has so far; `undefined` while there is none. */
  let seen: Set<string> | undefined;
  const format = ({ key, part = "" }: Place) => `${key}/${part}`;
  return {
    begin: () => {
      seen = new Set();
    },
    set: (object) => {
      const place = locate(object);
      if (place === undefined) return;
      seen?.add(format(place));
      set(object, place);
    },
    remove: (object) => {
      const place = locate(object);
      if (place !== undefined) remove(place, object);
    },
    end: () => {
      for (const place of listKnown()) {
        const isWithin = namespace === undefined || place.key.startsWith(`${namespace}/`);
        if (isWithin && !seen?.has(format(place))) remove(place);
      }
      seen = undefined;
    },
  };
}
