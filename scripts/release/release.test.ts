import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeFiles, writeChecksums } from "./checksums.mjs";
import { hasEntry, isVersion } from "./context.mjs";
import { narrowLockfile } from "./lockfile.mjs";
import { STEPS, selectSteps } from "./steps.mjs";

describe("a version", () => {
  test.each(["0.2.0", "1.0.0-rc.1", "10.20.30"])("%s is one", (text) => expect(isVersion(text)).toBe(true));
  test.each(["v0.2.0", "0.2", "01.0.0", "1.0.0+build", "1.0.0 ", "", "1.0.0-", "../1.0.0"])("%j is none", (text) =>
    expect(isVersion(text)).toBe(false),
  );
});

describe("an entry of the changelog", () => {
  const changelog =
    "# Changelog\n\n## 0.2.0, 2026-11-23\n\n### Added\n\n- A thing.\n\n## 0.1.0\n\n## 0.10.0\n\n- Old.\n";
  test.each([
    ["0.2.0", true],
    ["0.10.0", true],
    ["0.1.0", false],
    ["0.2", false],
    ["2.0", false],
    ["0.3.0", false],
  ])("of %s is there and not empty: %s", (version, expected) => expect(hasEntry(changelog, version)).toBe(expected));
});

describe("the steps", () => {
  test("come with those that they build on, in order", () => {
    expect(selectSteps(["npm"]).map(({ name }) => name)).toEqual(["program", "npm"]);
    expect(selectSteps([])).toBe(STEPS);
  });

  test("stand after what they need", () => {
    for (const [index, { needs }] of STEPS.entries())
      for (const needed of needs) expect(STEPS.slice(0, index).map(({ name }) => name)).toContain(needed);
  });

  test("refuse a name that none has, and list the names", () => {
    expect(() => selectSteps(["npn"])).toThrow(
      expect.objectContaining({ message: 'The release has no step "npn".', hint: expect.stringContaining("npm") }),
    );
  });
});

test("a lockfile is narrowed to the closure of what one package needs, at the same places", () => {
  const packages = {
    "": { version: "1" },
    "node_modules/a": { version: "1.0.0", dependencies: { b: "^2", c: "1" }, dev: true },
    "node_modules/a/node_modules/b": { version: "2.0.0", optionalDependencies: { "not-here": "1" } },
    "node_modules/b": { version: "1.0.0" },
    "node_modules/c": { version: "1.0.0", dependencies: { b: "1" } },
    "node_modules/other": { version: "1.0.0" },
  };
  const manifest = { name: "x", version: "3.0.0", dependencies: { a: "1.0.0" }, optionalDependencies: {} };
  const narrowed = narrowLockfile({ packages }, manifest);
  expect(Object.keys(narrowed.packages)).toEqual([
    "",
    "node_modules/a",
    "node_modules/a/node_modules/b",
    "node_modules/b",
    "node_modules/c",
  ]);
  expect(narrowed.packages["node_modules/a"]).toEqual({ version: "1.0.0", dependencies: { b: "^2", c: "1" } });
});

test("the checksums are those that sha256sum reads, sorted by name", () => {
  const folder = mkdtempSync(join(tmpdir(), "thv-checksums-"));
  try {
    writeFileSync(join(folder, "b"), "two");
    writeFileSync(join(folder, "a"), "");
    writeChecksums(
      folder,
      describeFiles(folder, [
        { file: "b", kind: "x", tried: true },
        { file: "a", kind: "x", tried: "no reason" },
      ]),
    );
    expect(readFileSync(join(folder, "SHA256SUMS"), "utf8")).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n" +
        "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3  b\n",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
