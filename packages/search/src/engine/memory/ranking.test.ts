import { expect, test } from "vitest";
import { countSlots } from "./ranking.ts";

test("the first page of an answer has three places, the next three have two each, and all others one", () => {
  expect([0, 1, 2, 3, 4, 5, 20].map(countSlots)).toEqual([3, 2, 2, 2, 1, 1, 1]);
});
