import { expect, test } from "vitest";
import { takeLastLines } from "./last-output.tsx";

test("the end of a log is what stands there last, without empty lines", () => {
  const log = `${Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n")}\n\nError: no token\n \n`;

  expect(takeLastLines(log, 3)).toEqual(["line 28", "line 29", "Error: no token"]);
  expect(takeLastLines("")).toEqual([]);
});
