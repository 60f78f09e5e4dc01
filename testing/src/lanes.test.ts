import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FILES_OF_DOCKER, FILES_OF_PODMAN, FILES_PER_ENGINE, findLane, LANES, LONG_FILES } from "./lanes.ts";
import { findNeeds } from "./needs.ts";
import { findRepositoryRoot } from "./repository.ts";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", "*.e2e.test.ts"], {
  cwd: findRepositoryRoot(),
  encoding: "utf8",
})
  .trim()
  .split("\n");
const read = (file: string) => readFileSync(join(findRepositoryRoot(), file), "utf8");

describe("lanes", () => {
  test.each([...FILES_PER_ENGINE, ...FILES_OF_DOCKER, ...FILES_OF_PODMAN])("name %s, which exists", (file) => {
    expect(existsSync(join(findRepositoryRoot(), file))).toBe(true);
  });

  // In both lanes, what is not of one engine would run twice.
  test.each(FILES_PER_ENGINE)("find in %s only suites for each engine by itself", (file) => {
    const source = read(file);
    const suites = [...source.matchAll(/^(?:test|describe)\S*\(.*/gm)].map(([line]) => line);
    const others = suites.filter((line) => !/^(describeEngines\(|describe\.each\(pairs\)\()/.test(line));

    expect(suites.length).toBeGreaterThan(0);
    expect(others).toEqual([]);
    expect(source).not.toMatch(/isOneEnough|getTestEngines|kinds:/);
  });

  test.each(files)("run %s, which changes nothing in their process for the files after it", (file) => {
    expect(read(file)).not.toMatch(/\bvi\.|\bprocess\.(?:chdir|umask)\(|\bprocess\.env(?:\.\w+|\[[^\]]*\]) = /);
  });

  test.each([
    ["docker", "docker-long", FILES_OF_DOCKER],
    ["podman", "podman-long", FILES_OF_PODMAN],
  ] as const)("run each file of %s once, in it or in %s", (name, long, ownFiles) => {
    const { include, engines } = findLane(name);

    expect([...include, ...LONG_FILES].sort()).toEqual([...FILES_PER_ENGINE, ...ownFiles].sort());
    expect(findLane(long)).toEqual({ ...findLane(long), include: LONG_FILES, engines });
  });

  test("leave to the mixed one each file that another one has not", () => {
    const others = LANES.filter(({ name }) => name !== "mixed").flatMap(({ include }) => include);

    expect(findLane("mixed").exclude).toEqual(expect.arrayContaining([...new Set(others)]));
  });

  test("are those that npm test runs", () => {
    const [, listed = ""] = /ENGINE_LANES = [^[]*\[([^\]]*)\]/.exec(read("scripts/lib/lanes.mjs")) ?? [];
    const names = [...listed.matchAll(/"([^"]+)"/g)].map(([, name]) => name);

    expect(names).toEqual(LANES.map(({ name }) => name));
  });

  test("are found by the name of their project", () => {
    expect(findLane("podman").engines).toEqual(["podman"]);
    expect(() => findLane("unit")).toThrow(
      '"unit" is none of the lanes docker, docker-long, podman, podman-long, mixed, cluster, peers, published.',
    );
  });
});

describe("the needs of files", () => {
  const NOTHING = {
    engines: false,
    windows: false,
    bareDebian: false,
    openSearch: false,
    peers: false,
    packages: false,
    cluster: false,
  };

  test.each([
    ["packages/cli/e2e/service.e2e.test.ts", {}],
    ["packages/cli/e2e/workloads.e2e.test.ts", { engines: true }],
    ["packages/cli/e2e/file-owners.e2e.test.ts", { engines: true }],
    ["packages/cli/e2e/network-loss.e2e.test.ts", { engines: true }],
    ["packages/cli/e2e/windows.e2e.test.ts", { engines: true, windows: true }],
    ["packages/search/e2e/opensearch.e2e.test.ts", { openSearch: true }],
    ["packages/cli/e2e/peers/peers.e2e.test.ts", { peers: true }],
    ["packages/cli/e2e/peers/packages.e2e.test.ts", { engines: true, packages: true }],
    ["scripts/release/install-scripts/bare-debian.e2e.test.ts", { bareDebian: true }],
    ["scripts/release/install-page.e2e.test.ts", { engines: true, bareDebian: true }],
    ["packages/cli/e2e/kubernetes.e2e.test.ts", { cluster: true }],
  ])("of %s are %j", (file, needs) => {
    expect(findNeeds([read(file)])).toEqual({ ...NOTHING, ...needs });
  });

  test("of several are those of each", () => {
    const sources = ["describeEngines(", "findWindowsObstacle()", "describeEnginesNot("];

    expect(findNeeds(sources)).toEqual({ ...NOTHING, engines: true, windows: true });
    expect(findNeeds([])).toEqual(NOTHING);
  });
});
