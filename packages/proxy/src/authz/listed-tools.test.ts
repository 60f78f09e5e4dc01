/** The names of tools that pass in lists, page by page. */
import { expect, test } from "vitest";
import { ListedTools } from "./tool-choice.ts";

test("are those of the last list that has passed whole", () => {
  const listed = new ListedTools();
  expect(listed.names).toBeUndefined();
  listed.record(["a"], false);
  expect(listed.names).toBeUndefined();
  listed.record(["b", "a"], true);
  expect(listed.names).toEqual(["a", "b"]);
  listed.record(["c"], true);
  expect(listed.names).toEqual(["c"]);
  listed.forget();
  expect(listed.names).toBeUndefined();
});

test("are at most ten thousand, however many a server lists", () => {
  const listed = new ListedTools();
  listed.record(
    Array.from({ length: 30_000 }, (_, index) => `tool${index}`),
    true,
  );
  expect(listed.names).toHaveLength(10_000);
});
