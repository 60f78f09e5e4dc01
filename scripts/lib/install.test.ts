import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addAddresses, ensureInstalled, isForBuildsOnly, matchesLockfile } from "./install.mjs";

describe("matchesLockfile", () => {
  const wanted = {
    packages: {
      "": { version: "0.1.0" },
      "packages/core": { version: "0.1.0" },
      "node_modules/@toolhive/core": { link: true },
      "node_modules/pino": { version: "10.4.0" },
      "node_modules/@esbuild/aix-ppc64": { version: "0.28.2", optional: true },
    },
  };
  const installed = (pino: { version: string } | undefined) => ({
    packages: { "node_modules/@toolhive/core": { link: true }, ...(pino && { "node_modules/pino": pino }) },
  });

  test("the same versions match, without other systems' binaries", () => {
    expect(matchesLockfile(wanted, installed({ version: "10.4.0" }))).toBe(true);
  });

  test("another version does not match", () => {
    expect(matchesLockfile(wanted, installed({ version: "10.3.0" }))).toBe(false);
  });

  test("a package that is missing does not match", () => {
    expect(matchesLockfile(wanted, installed(undefined))).toBe(false);
  });

  test("what only tests use may be missing for builds, and for nobody else", () => {
    const withTests = { packages: { ...wanted.packages, "node_modules/vitest": { version: "4.1.12", dev: true } } };

    expect(matchesLockfile(withTests, installed({ version: "10.4.0" }), { isForBuilds: true })).toBe(true);
    expect(matchesLockfile(withTests, installed({ version: "10.4.0" }))).toBe(false);
  });
});

describe("addAddresses", () => {
  const packages = {
    "": { version: "0.1.0" },
    "packages/core": { version: "0.1.0" },
    "node_modules/@toolhive/core": { link: true },
    "node_modules/pino": { version: "10.4.0" },
    "node_modules/vite/node_modules/@scope/part": { version: "1.2.3" },
    "node_modules/sdk-1": { name: "@scope/sdk", version: "1.0.0" },
    "node_modules/mine": { version: "1.0.0", resolved: "file:../mine.tgz" },
  };
  const addressed = addAddresses({ packages }, "https://registry.example/npm/").packages;

  test.each([
    ["node_modules/pino", "https://registry.example/npm/pino/-/pino-10.4.0.tgz"],
    ["node_modules/vite/node_modules/@scope/part", "https://registry.example/npm/@scope/part/-/part-1.2.3.tgz"],
    ["node_modules/sdk-1", "https://registry.example/npm/@scope/sdk/-/sdk-1.0.0.tgz"],
    ["node_modules/mine", "file:../mine.tgz"],
  ])("%s is at %s", (path, address) => {
    expect(addressed[path]?.resolved).toBe(address);
  });

  test("workspaces have none", () => {
    const without = Object.entries(addressed).filter(([, { resolved }]) => resolved === undefined);

    expect(without.map(([path]) => path)).toEqual(["", "packages/core", "node_modules/@toolhive/core"]);
  });
});

describe("ensureInstalled", () => {
  const LOCKED = {
    "node_modules/pino": { version: "10.4.0" },
    "node_modules/vitest": { version: "4.1.12", dev: true },
  };
  let root = "";
  let calls: string[][] = [];

  const write = (path: string, content: unknown) => writeFileSync(join(root, path), JSON.stringify(content));

  /** Stands in for npm. */
  function run(_name: string, _command: string, args: readonly string[], { cwd }: { cwd: string }) {
    if (args[0] === "config") return { code: 0, excerpt: "https://registry.example/" };
    calls.push([...args]);
    const left = Object.entries(LOCKED).filter(([, entry]) => !args.includes("--omit=dev") || !("dev" in entry));
    for (const [path] of left) mkdirSync(join(cwd, path), { recursive: true });
    writeFileSync(join(cwd, "node_modules/.package-lock.json"), JSON.stringify({ packages: Object.fromEntries(left) }));
    return { code: 0, excerpt: "" };
  }

  async function install(options?: { isForBuilds: boolean }) {
    calls = [];
    const context = {
      children: { run },
      terminal: { step: (_title: string, work: () => unknown) => work() },
      interrupted: new AbortController().signal,
    };
    await ensureInstalled(root, context as unknown as Parameters<typeof ensureInstalled>[1], options);
    return calls.map((args) => (args.includes("--omit=dev") ? "for builds" : "all"));
  }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "toolhive-install-"));
    write("package.json", { workspaces: [] });
    write("package-lock.json", { packages: LOCKED });
  });

  afterEach(() => rmSync(root, { recursive: true }));

  test("a start installs what builds need, once, and tests add the rest", async () => {
    expect(await install({ isForBuilds: true })).toEqual(["for builds"]);
    expect(isForBuildsOnly(root)).toBe(true);
    expect(await install({ isForBuilds: true })).toEqual([]);

    expect(await install()).toEqual(["all"]);
    expect(isForBuildsOnly(root)).toBe(false);
    expect(existsSync(join(root, "node_modules/vitest"))).toBe(true);
    expect(existsSync(join(root, ".cache/install"))).toBe(false);
  });

  test("a start takes away nothing that tests have installed, after the lockfile has changed neither", async () => {
    expect(await install()).toEqual(["all"]);
    expect(await install({ isForBuilds: true })).toEqual([]);

    write("package-lock.json", { packages: { ...LOCKED, "node_modules/new": { version: "1.0.0" } } });

    expect(await install({ isForBuilds: true })).toEqual(["all"]);
  });

  test("`npx thv` finds the program that was built before the packages were installed anew", async () => {
    mkdirSync(join(root, "packages/cli/dist"), { recursive: true });
    write("packages/cli/dist/thv.mjs", "");

    await install();

    expect(existsSync(join(root, "node_modules/.bin/thv"))).toBe(true);
  });

  test("packages that npm has installed by hand are all there for tests", async () => {
    run("npm", "npm", ["ci"], { cwd: root });

    expect(await install({ isForBuilds: true })).toEqual([]);
    expect(await install()).toEqual([]);
    expect(isForBuildsOnly(root)).toBe(false);
  });
});
