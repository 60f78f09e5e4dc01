import { describe, expect, test } from "vitest";
import { matchesLockfile } from "./install.mjs";

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
