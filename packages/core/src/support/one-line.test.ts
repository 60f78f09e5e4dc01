import { expect, test } from "vitest";
import { toOneLine } from "./one-line.ts";

test("text of others cannot begin a line or steer a terminal", () => {
  expect(toOneLine("\tone\r\n\u001b[2Jtwo  three\u0000")).toBe("one [2Jtwo  three");
});
