import { beforeEach, expect, test } from "vitest";
import { followCollection } from "./follow-collection.ts";

const nameObject = (namespace: string, name: string) => ({ metadata: { namespace, name } });

let known: Set<string>;
beforeEach(() => {
  known = new Set();
});

function follow(namespace?: string) {
  return followCollection({
    namespace,
    locate: ({ metadata: { namespace: within, name } }) =>
      name === "unrelated" ? undefined : { key: `${within}/${name}` },
    set: (_object, { key }) => known.add(key),
    remove: ({ key }) => known.delete(key),
    *listKnown() {
      for (const key of known) yield { key };
    },
  });
}

test("what is set is known until it is removed", () => {
  const handlers = follow();
  handlers.set(nameObject("a", "one"));
  handlers.set(nameObject("a", "unrelated"));
  expect([...known]).toEqual(["a/one"]);

  handlers.remove(nameObject("a", "unrelated"));
  handlers.remove(nameObject("a", "one"));
  expect([...known]).toEqual([]);
});

test("what a new list lacks is removed, also when it was set since the list before", () => {
  const handlers = follow();
  handlers.begin();
  handlers.set(nameObject("a", "kept"));
  handlers.set(nameObject("a", "gone"));
  handlers.end();
  handlers.set(nameObject("a", "watched"));
  expect([...known]).toEqual(["a/kept", "a/gone", "a/watched"]);

  handlers.begin();
  handlers.set(nameObject("a", "kept"));
  handlers.end();
  expect([...known]).toEqual(["a/kept"]);
});

test("a list that failed halfway counts for nothing once it begins again", () => {
  known.add("a/one");
  const handlers = follow();
  handlers.begin();
  handlers.set(nameObject("a", "one"));
  handlers.begin();
  handlers.end();

  expect([...known]).toEqual([]);
});

test("the list of one namespace says nothing of the others, not even of one whose name begins alike", () => {
  for (const key of ["a/one", "ab/one"]) known.add(key);
  const handlers = follow("a");
  handlers.begin();
  handlers.end();

  expect([...known]).toEqual(["ab/one"]);
});
