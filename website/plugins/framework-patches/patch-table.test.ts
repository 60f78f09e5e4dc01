import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installedVersion } from "./index.ts";
import { assertApplied, assertVersions, PATCHES } from "./patch-table.ts";
import { replaceChunkAssetPlugin } from "./routes/bundles.ts";

const websiteDir = path.join(import.meta.dirname, "../..");

describe("the table of patches", () => {
  test("has no patch that saves less than 5 kB", () => {
    expect(PATCHES.filter(({ savesBytes }) => savesBytes > 0 && savesBytes < 5_000)).toEqual([]);
  });

  test("names files that are there", () => {
    const missing = PATCHES.map(({ patch }) => patch.replace(/ \(.*/, "")).filter(
      (file) => !existsSync(path.join(websiteDir, file)),
    );

    expect(missing).toEqual([]);
  });

  test("was written for what is installed", () => {
    expect(() => assertVersions(installedVersion)).not.toThrow();
    expect(installedVersion("no-such-package")).toBe("not installed");
  });

  test("the build stops when the framework has another version", () => {
    const findVersion = (name: string) => (name === "@docusaurus/core" ? "3.9.0" : installedVersion(name));

    expect(() => assertVersions(findVersion)).toThrow(
      /@docusaurus\/core is 3\.9\.0, and plugins\/framework-patches\/routes was written for 3\.8\.1\. Read website\//,
    );
  });
});

describe("what the bundles hold", () => {
  const all = PATCHES.flatMap(({ modules }) => modules.map((parts) => `/site/${parts.join("!/site")}`));

  test("is enough when each patch left its modules", () => {
    expect(() => assertApplied(all)).not.toThrow();
  });

  test.each(PATCHES.filter(({ modules }) => modules.length > 0))("stops the build without $patch", (patch) => {
    const own = new Set(patch.modules.map((parts) => parts.join("!/site")));
    const others = all.filter((name) => ![...own].some((part) => name.endsWith(part)));

    expect(() => assertApplied(others)).toThrow(`${patch.patch} did not replace ${patch.replaces}`);
  });
});

describe("the function from a bundle's name to its address", () => {
  class ChunkAssetPlugin {}
  class Other {}

  test("stands in the framework's place", () => {
    const [other] = [new Other()];

    const plugins = replaceChunkAssetPlugin([new ChunkAssetPlugin(), other]);

    expect(plugins).toHaveLength(2);
    expect(plugins[0]).toBe(other);
  });

  test.each([
    ["is not there", [new Other()], "has 0 plugins called ChunkAssetPlugin"],
    ["is there twice", [new ChunkAssetPlugin(), new ChunkAssetPlugin()], "has 2 plugins called ChunkAssetPlugin"],
  ])("stops the build when that one %s", (_case, plugins, problem) => {
    const own = replaceChunkAssetPlugin(plugins).at(-1) as { apply(compiler: unknown): void };

    expect(() => own.apply({})).toThrow(problem);
  });
});
