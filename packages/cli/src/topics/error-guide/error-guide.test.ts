/** Causes that several errors could have and one alone has. */
import { expect, test } from "vitest";
import { ERROR_GUIDE } from "./error-guide.ts";

test("a full disk is a cause of failing files alone: those of thv, of the engine and of clients", () => {
  const naming = Object.entries(ERROR_GUIDE).filter(([, { why }]) => why.some((cause) => /disk is full/.test(cause)));

  expect(naming.map(([code]) => code).sort()).toEqual(["CLIENT_FILE_FAILED", "ENGINE_FAILED", "FILE_FAILED"]);
});
