import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { digestInputs, findBuild } from "./build.mjs";

const SITE = { title: "Build the site", workspace: "site", outputs: ["out/index.html"], stamp: "out/.inputs" };

let root = "";

function write(files: Record<string, string>) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "thv-build-"));
  write({
    "package.json": JSON.stringify({ workspaces: ["site"] }),
    "package-lock.json": "{}",
    "tsconfig.base.json": "{}",
    "site/package.json": JSON.stringify({ name: "site" }),
    "site/page.ts": "1",
  });
});

afterEach(() => rmSync(root, { recursive: true }));

describe("findBuild", () => {
  test("nothing was built yet", () => {
    expect(findBuild(root, SITE)).toBe("missing");
  });

  test("what was built from the sources of now is current, until one of them changes", () => {
    write({ "out/index.html": "built", "out/.inputs": digestInputs(root, SITE) });
    expect(findBuild(root, SITE)).toBe("current");

    write({ "site/page.ts": "2" });
    expect(findBuild(root, SITE)).toBe("outdated");
  });

  test("a build by hand is whole, and nobody knows from which sources", () => {
    write({ "out/index.html": "built" });
    expect(findBuild(root, SITE)).toBe("outdated");
  });
});
