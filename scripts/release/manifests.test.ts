import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readBrand } from "./brand.mjs";
import { formatManifests } from "./manifests.mjs";

const brand = readBrand();
const platforms = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64"];
const downloads = Object.fromEntries(
  platforms.map((platform, index) => [
    platform,
    { address: `https://downloads.example/v1.10.0/thv_${platform}`, sha256: String(index).repeat(64) },
  ]),
);
const files = formatManifests(brand, "1.10.0", downloads);

describe("the formula of Homebrew", () => {
  const formula = files["homebrew/thv.rb"] ?? "";

  test("names every file of macOS and Linux with its own digest", () => {
    const pairs = [...formula.matchAll(/on_(macos|linux) do|on_(arm|intel) do|url "(.+)"|sha256 "(.+)"/g)];
    let system = "";
    let processor = "";
    const found: string[][] = [];
    for (const [, os, cpu, url, digest] of pairs) {
      if (os !== undefined) system = os === "macos" ? "darwin" : "linux";
      if (cpu !== undefined) processor = cpu === "arm" ? "arm64" : "amd64";
      if (url !== undefined) found.push([`${system}_${processor}`, url]);
      if (digest !== undefined) found.at(-1)?.push(digest);
    }
    expect(found.toSorted()).toEqual(
      platforms
        .filter((platform) => !platform.startsWith("windows"))
        .map((platform) => [platform, downloads[platform]?.address, downloads[platform]?.sha256])
        .toSorted(),
    );
  });

  const ruby = spawnSync("ruby", ["--version"]).status === 0;
  test.skipIf(!ruby)(`is Ruby${ruby ? "" : " (skipped: ruby is not installed)"}`, () => {
    const { status, stderr } = spawnSync("ruby", ["-c", "-"], { input: formula, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  test("describes itself as Homebrew's audit asks: at most 80 characters, no full stop, no own name, no article", () => {
    const [, description = ""] = /desc "(.*)"/.exec(formula) ?? [];
    expect(description.length).toBeLessThanOrEqual(80);
    expect(description).not.toMatch(/\.$|^(an?|the) |^thv/i);
  });
});

test("the manifest of Scoop names the file of Windows, and what it puts on the PATH", () => {
  expect(JSON.parse(files["scoop/thv.json"] ?? "")).toMatchObject({
    version: "1.10.0",
    license: "Apache-2.0",
    homepage: expect.stringMatching(/^https?:\/\//),
    architecture: { "64bit": { url: downloads.windows_amd64?.address, hash: "4".repeat(64) } },
    bin: "thv.exe",
  });
});

describe("the manifests of WinGet", () => {
  const read = (suffix: string) => parse(files[`winget/${brand.packages.winget}${suffix}.yaml`] ?? "");

  test("agree about the package, and the version stays text", () => {
    for (const suffix of ["", ".locale.en-US", ".installer"]) {
      expect(read(suffix)).toMatchObject({
        // The pattern of the schema: two to eight parts of at most 32 characters.
        PackageIdentifier: expect.stringMatching(/^[^.\s\\/:*?"<>|]{1,32}(\.[^.\s\\/:*?"<>|]{1,32}){1,7}$/),
        PackageVersion: "1.10.0",
        ManifestVersion: "1.10.0",
      });
    }
    expect(["", ".locale.en-US", ".installer"].map((suffix) => read(suffix).ManifestType)).toEqual([
      "version",
      "defaultLocale",
      "installer",
    ]);
  });

  test("have the members that their schemas require", () => {
    expect(read("")).toMatchObject({ DefaultLocale: "en-US" });
    const { Publisher, PackageName, License, ShortDescription } = read(".locale.en-US");
    expect([Publisher, PackageName, License]).toEqual([brand.organization, brand.product, "Apache-2.0"]);
    expect(ShortDescription.length).toBeLessThanOrEqual(256);
  });

  test("install the program out of the archive under the command's name", () => {
    expect(read(".installer")).toMatchObject({
      InstallerType: "zip",
      NestedInstallerType: "portable",
      NestedInstallerFiles: [{ RelativeFilePath: "thv.exe", PortableCommandAlias: "thv" }],
      Installers: [
        { Architecture: "x64", InstallerUrl: downloads.windows_amd64?.address, InstallerSha256: "4".repeat(64) },
      ],
    });
  });
});
