import { expect, test } from "vitest";
import { UserIndex } from "./user-index.ts";

test("whatever names an object is known, until it names another one", () => {
  const index = new UserIndex();
  index.replace("a/one", [], ["a/work", "a/home"]);
  index.replace("a/two", [], ["a/work"]);
  expect([...index.list("a/work")]).toEqual(["a/one", "a/two"]);

  index.replace("a/one", ["a/work", "a/home"], ["a/home"]);
  expect([...index.list("a/work")]).toEqual(["a/two"]);
  expect([...index.list("a/home")]).toEqual(["a/one"]);

  index.replace("a/two", ["a/work"], []);
  expect([...index.list("a/work")]).toEqual([]);
});
