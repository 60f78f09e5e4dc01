import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeBinary, findMissingBinaries } from "./complete-lockfile.mjs";

test.each([
  ["@biomejs/cli-linux-x64-musl", { os: ["linux"], cpu: ["x64"], libc: ["musl"] }],
  ["@swc/core-linux-arm-gnueabihf", { os: ["linux"], cpu: ["arm"] }],
  ["@oxc-parser/binding-darwin-arm64", { os: ["darwin"], cpu: ["arm64"] }],
])("%s is described by its name", (name, expected) => {
  expect(describeBinary(name, "1.2.3", { dev: true })).toMatchObject({ version: "1.2.3", optional: true, ...expected });
});

test("an optional package that is no binary is left to npm", () => {
  expect(describeBinary("fsevents", "2.3.3", {})).toBeUndefined();
});

test("the committed lockfile names every system's binaries, so that npm ci takes it everywhere", () => {
  const lockfile = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));

  expect(Object.keys(findMissingBinaries(lockfile.packages))).toEqual([]);
});
