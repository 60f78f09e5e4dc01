import { expect, test } from "vitest";
import { dropProgress } from "./run-thv.ts";

test("what takes a command long is dropped, and every warning stays", () => {
  const said = ["Starting the supervisor", "Warning: Starting one took long", "Asking two", "Hint: Waiting helps", ""];

  expect(dropProgress(said.join("\n"))).toBe("Warning: Starting one took long\nHint: Waiting helps\n");
});
