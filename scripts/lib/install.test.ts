import { describe, expect, test } from "vitest";
import { addAddresses, matchesLockfile } from "./install.mjs";

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
