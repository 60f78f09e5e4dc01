/** Codes of the guide, and causes that several errors could have and one alone has. */
import { ERRORS } from "@toolhive/core/errors";
import { expect, test } from "vitest";
import { ERROR_AREAS, ERROR_GUIDE } from "./error-guide.ts";

// An incremental build does not compile again when only a JSON file changed.
test("every error code has an entry in one area, and every entry has its code", () => {
  expect(Object.keys(ERROR_GUIDE).sort()).toEqual(Object.keys(ERRORS).sort());
  expect(ERROR_AREAS.flatMap(({ codes }) => codes).sort()).toEqual(Object.keys(ERRORS).sort());
});

test("a full disk is a cause of failing files alone: those of thv, of the engine and of clients", () => {
  const naming = Object.entries(ERROR_GUIDE).filter(([, { why }]) => why.some((cause) => /disk is full/.test(cause)));

  expect(naming.map(([code]) => code).sort()).toEqual(["CLIENT_FILE_FAILED", "ENGINE_FAILED", "FILE_FAILED"]);
});
