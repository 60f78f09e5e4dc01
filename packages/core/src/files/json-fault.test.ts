import { expect, test } from "vitest";
import { createJsonLineFinder, describeJsonFault } from "./json-fault.ts";

test.each([
  ["", "it is empty"],
  [" \n", "it is empty"],
  ["<html>secret</html>", "line 1 is not JSON"],
  ['{\n  "a": 1,\n  "b": secret\n}', "line 3 is not JSON"],
  ['{\n  "a": 1', "line 2 is not JSON"],
  ["{} // why", "line 1 is not JSON"],
  ['{"a": 1,}', "line 1 is not JSON"],
])("of %j says where it is wrong, and quotes nothing", (text, fault) => {
  expect(describeJsonFault(text)).toBe(fault);
});

test("a place has the line of the name that is nearest to it", () => {
  const findLine = createJsonLineFinder('{\n  "a": [\n    { "0": 1,\n      "b": 2 }\n  ],\n  "c": {}\n}');

  expect(findLine([])).toBe(1);
  expect(findLine(["a"])).toBe(2);
  expect(findLine(["a", "0"])).toBe(3);
  expect(findLine(["a", "0", "0"])).toBe(3);
  expect(findLine(["a", "0", "b"])).toBe(4);
  expect(findLine(["c", "missing", "more"])).toBe(6);
  expect(findLine(["unknown"])).toBe(1);
  expect(createJsonLineFinder("")(["a"])).toBe(1);
});
