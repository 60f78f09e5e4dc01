import { expect, test } from "vitest";
import { pickWords } from "./build.mjs";
import { isSupportedNode } from "./run-command.mjs";
import { isDebianLike } from "./system-packages.mjs";

test.each([
  ["20.18.3", false],
  ["20.19.0", true],
  ["22.0.0", true],
  ["18.20.8", false],
])("Node.js %s is supported: %s", (version, isSupported) => {
  expect(isSupportedNode(version)).toBe(isSupported);
});

test.each([
  ["ID=debian\n", true],
  ['NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n', true],
  ["ID=fedora\n", false],
  ["HOME_URL=debian\n", false],
])("%j is Debian or like it: %s", (release, expected) => {
  expect(isDebianLike(release)).toBe(expected);
});

test("a line of build output becomes words on one short line", () => {
  expect(pickWords("● Client █████ compiling (35%)")).toBe("Client compiling (35%)");
  expect(pickWords("x".repeat(80))).toHaveLength(60);
});
