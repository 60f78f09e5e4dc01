import { expect, test } from "vitest";
import { describeJsonFault } from "./json-fault.ts";

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
