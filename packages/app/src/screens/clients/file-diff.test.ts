import { expect, test } from "vitest";
import { diffLines } from "./file-diff.ts";

test("a new file is all added, a removed one all removed", () => {
  expect(diffLines(undefined, "{\n}\n")).toEqual([
    { kind: "added", text: "{" },
    { kind: "added", text: "}" },
  ]);
  expect(diffLines("a\n", undefined)).toEqual([{ kind: "removed", text: "a" }]);
});

test("lines far from a change are left out", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const found = diffLines(lines.join("\n"), lines.with(10, "changed").join("\n"));
  expect(found.map(({ kind }) => kind).join(" ")).toBe("gap same same same removed added same same same");
});

test("texts that are the same, or too long to compare, have no lines", () => {
  expect(diffLines("a", "a")).toEqual([]);
  expect(diffLines("a".repeat(400_000), "b".repeat(400_000))).toEqual([]);
});

test("a file without a line end at its end shows no remark about it", () => {
  expect(diffLines("a", "b")).toEqual([
    { kind: "removed", text: "a" },
    { kind: "added", text: "b" },
  ]);
});
