import { expect, test } from "vitest";
import { describeOwnProgram } from "./own-program.ts";

test("a bundle is started by the same Node.js, with the flags before it", () => {
  const program = { path: "/usr/lib/thv/thv.mjs", isSingleFile: false };
  expect(describeOwnProgram({ NODE_OPTIONS: "--no-warnings" }, program)).toEqual({
    command: [process.execPath, "--max-semi-space-size=2", "/usr/lib/thv/thv.mjs"],
    env: {},
  });
});

test("a single file is its own program, and gets the flags behind those of the user, once", () => {
  const program = { path: "/usr/bin/thv", isSingleFile: true };
  const first = describeOwnProgram({ NODE_OPTIONS: "--no-warnings" }, program);
  expect(first).toEqual({
    command: ["/usr/bin/thv"],
    env: { NODE_OPTIONS: "--no-warnings --max-semi-space-size=2" },
  });
  expect(describeOwnProgram(first.env, program)).toEqual(first);
  expect(describeOwnProgram({}, program).env).toEqual({ NODE_OPTIONS: "--max-semi-space-size=2" });
});
