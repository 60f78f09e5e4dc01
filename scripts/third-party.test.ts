/** What is shipped of other people's work: found, accepted by license, and without a program that runs at installation. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { assertLicenses, findClosure, findPackages, formatNotices, narrowBom } from "./lib/third-party.mjs";

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
}

const repository = path.join(import.meta.dirname, "..");

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "third-party-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function addPackage(folder: string, content: Record<string, unknown>, files: Record<string, string> = {}): string {
  const directory = path.join(root, folder);
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries({ "package.json": JSON.stringify(content), ...files })) {
    writeFileSync(path.join(directory, name), text);
  }
  return directory;
}

describe("packages of a bundle", () => {
  test("are those its files belong to, nested and scoped ones too, without the project's own", () => {
    addPackage("node_modules/one", { name: "one", version: "1.0.0", license: "MIT" });
    addPackage("node_modules/@scope/two", { name: "@scope/two", version: "2.0.0", license: "(MIT OR Apache-2.0)" });
    addPackage("node_modules/one/node_modules/three", { name: "three", version: "3.0.0", license: "ISC" });

    const found = findPackages(
      [
        "node_modules/one/a.js",
        "node_modules/one/lib/b.js",
        "node_modules/@scope/two/index.js",
        "node_modules/one/node_modules/three/index.js",
        "node_modules/@toolhive/core/src/index.ts",
        "packages/cli/src/thv.ts",
      ].map((file) => path.join(root, file)),
    );

    expect(found.map(({ name, license }) => [name, license])).toEqual([
      ["@scope/two", "MIT OR Apache-2.0"],
      ["one", "MIT"],
      ["three", "ISC"],
    ]);
  });

  test("that are loaded and not bundled bring what they need, and optional ones only where they are", () => {
    addPackage("node_modules/one", {
      name: "one",
      version: "1.0.0",
      license: "MIT",
      dependencies: { two: "*" },
      optionalDependencies: { "for-windows": "*" },
    });
    addPackage("node_modules/two", { name: "two", version: "2.0.0", license: "MIT", dependencies: { one: "*" } });

    expect(
      findClosure(root, ["one"])
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["one", "two"]);
  });

  test.each(["GPL-3.0-only", "", "SEE LICENSE IN FILE"])("under the license %j stop the build by name", (license) => {
    const item = { name: "copyleft", version: "1.0.0", license, directory: root };

    expect(() => assertLicenses([item])).toThrow("copyleft@1.0.0");
  });

  test("with a choice of licenses are accepted when one of them is", () => {
    expect(() =>
      assertLicenses([{ name: "a", version: "1", license: "GPL-3.0 OR MIT", directory: root }]),
    ).not.toThrow();
  });
});

test("the notices hold the text of every license file, and say when there is none", () => {
  addPackage("node_modules/one", { name: "one", version: "1.0.0", license: "MIT" }, { LICENSE: "Copyright A\r\n" });
  addPackage(
    "node_modules/two",
    { name: "two", version: "2.0.0", license: "Apache-2.0" },
    { "NOTICE.txt": "Made by B" },
  );
  addPackage("node_modules/three", { name: "three", version: "3.0.0", license: "ISC" });
  const packages = findPackages(["one", "two", "three"].map((name) => path.join(root, `node_modules/${name}/x.js`)));

  const notices = formatNotices("thv", packages);

  for (const part of ["one 1.0.0 (MIT)", "Copyright A\n", "Made by B", "names the license ISC and holds no text"]) {
    expect(notices).toContain(part);
  }
});

describe("the bill of materials", () => {
  const bom = {
    serialNumber: "urn:uuid:1",
    metadata: { timestamp: "now", component: { name: "folder", version: "0" } },
    components: [{ "bom-ref": "one@1.0.0" }, { "bom-ref": "builder@1.0.0" }],
    dependencies: [
      { ref: "one@1.0.0", dependsOn: ["builder@1.0.0"] },
      { ref: "builder@1.0.0", dependsOn: [] },
    ],
  };
  const one = { name: "one", version: "1.0.0", license: "MIT", directory: "" };

  test("holds what is shipped only, and nothing that differs between two builds", () => {
    const narrowed = narrowBom(bom, { name: "thv", version: "0.1.0", packages: [one] });

    expect(JSON.stringify(narrowed)).not.toMatch(/builder|uuid|now/);
    expect(narrowed.metadata.component).toMatchObject({ name: "thv", version: "0.1.0", purl: "pkg:npm/thv@0.1.0" });
  });

  test("without a package that is shipped is an error", () => {
    const other = { ...one, name: "other" };

    expect(() => narrowBom(bom, { name: "thv", version: "0.1.0", packages: [other] })).toThrow("other@1.0.0");
  });
});

describe("what thv needs at run time", () => {
  const { packages } = JSON.parse(readFileSync(path.join(repository, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  const needed = new Map<string, LockedPackage>();
  const queue = [{ name: "@toolhive/cli", from: "" }];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const at = locate(next.name, next.from);
    if (at === undefined || needed.has(at)) continue;
    const entry = packages[at] as LockedPackage;
    needed.set(at, entry);
    const { dependencies = {}, optionalDependencies = {} } = entry;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) queue.push({ name, from: at });
  }

  /** Where npm puts a package that another one asks for; workspaces are links to their folders. */
  function locate(name: string, from: string): string | undefined {
    for (
      let folder = from;
      ;
      folder = folder.includes("/node_modules/") ? folder.slice(0, folder.lastIndexOf("/node_modules/")) : ""
    ) {
      const candidate = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
      const entry = packages[candidate];
      if (entry) return entry.link ? `packages/${name.replace("@toolhive/", "")}` : candidate;
      if (folder === "") return undefined;
    }
  }

  test("runs no script when it is installed", () => {
    expect(needed.size).toBeGreaterThan(50);
    expect([...needed].filter(([, { hasInstallScript }]) => hasInstallScript).map(([at]) => at)).toEqual([]);
  });

  test("names its license", () => {
    expect([...needed].filter(([, { license }]) => !license).map(([at]) => at)).toEqual([]);
  });
});
