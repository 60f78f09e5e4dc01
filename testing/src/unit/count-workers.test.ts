import { expect, test } from "vitest";
import { countWorkers } from "./count-workers.ts";

test.each([
  [undefined, 8, 8],
  ["", 8, 8],
  ["3", 8, 3],
  ["1", 8, 2],
  ["many", 4, 4],
  [undefined, 1, 2],
])("asked for %j on %i processors, there are %i workers", (asked, processors, expected) => {
  expect(countWorkers(asked, processors)).toBe(expected);
});
