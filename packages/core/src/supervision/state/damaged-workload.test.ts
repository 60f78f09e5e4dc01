import { expect, test } from "vitest";
import type { DamagedRunConfig } from "../../workload/run-config-store.ts";
import { createDamagedError, describeDamaged } from "./damaged-workload.ts";

const PATH = "/state/notes.json";

const CASES: readonly (readonly [DamagedRunConfig, message: RegExp, hint: RegExp])[] = [
  [
    { name: "notes", path: PATH, code: "STATE_CORRUPT", reason: "it is not JSON" },
    /cannot be read: it is not JSON$/,
    /^Fix .* and restart the supervisor, or remove the server: thv rm notes$/,
  ],
  [
    {
      name: "notes",
      path: PATH,
      code: "STATE_TOO_NEW",
      reason: `${PATH} was written by a newer thv: it is of version 2.`,
    },
    /^\/state\/notes\.json was written by a newer thv: it is of version 2\.$/,
    /^Install that newer thv again, or remove the server: thv rm notes$/,
  ],
];

test.each(CASES)("a workload whose file is refused says why, and what helps: %o", (file, message, hint) => {
  const { code } = file;
  const said = { code, message: expect.stringMatching(message), hint: expect.stringMatching(hint) };

  expect(describeDamaged(file)).toMatchObject({ name: "notes", status: "error", error: said });
  expect(createDamagedError(file)).toMatchObject(said);
});
