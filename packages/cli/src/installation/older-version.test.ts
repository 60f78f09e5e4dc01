import { expect, test } from "vitest";
import { isOlder } from "./older-version.ts";

test.each([
  ["v0.1.0", "v0.1.1", true],
  ["v0.9.0", "v0.10.0", true],
  ["0.1.9", "v1.0.0", true],
  ["v0.1.0", "v0.1.0", false],
  ["v1.0.0", "v0.9.9", false],
  ["v0.0.0-source", "v0.1.0", false],
  ["v0.1.0", "unknown", false],
])("%s is older than %s: %s", (version, than, expected) => {
  expect(isOlder(version, than)).toBe(expected);
});
