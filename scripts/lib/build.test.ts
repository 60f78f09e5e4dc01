import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { digestInputs, ensureBuilt, findBuild, LIGHT } from "./build.mjs";

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

  test("a build for this machine is current, except for who weighs what it has compressed", () => {
    write({ "out/index.html": "built", "out/.inputs": digestInputs(root, SITE) + LIGHT });

    expect(findBuild(root, SITE)).toBe("current");
    expect(findBuild(root, SITE, { mayBeLight: false })).toBe("outdated");
  });

  test("a build by hand is whole, and nobody knows from which sources", () => {
    write({ "out/index.html": "built" });
    expect(findBuild(root, SITE)).toBe("outdated");
  });
});

describe("ensureBuilt", () => {
  const build = async (options?: { isLight?: boolean; mayBeLight?: boolean }) => {
    const asked: (string | undefined)[] = [];
    const context = {
      terminal: { step: (_title: string, run: (progress: () => void) => unknown) => run(() => {}) },
      children: {
        run: (_name: string, _command: string, _args: unknown, { env }: { env: NodeJS.ProcessEnv }) => {
          asked.push(env.TOOLHIVE_SITE_COMPRESSION);
          write({ "out/index.html": "built" });
          return { code: 0, excerpt: "" };
        },
      },
    };
    await ensureBuilt(root, SITE, context as unknown as Parameters<typeof ensureBuilt>[2], options);
    return asked;
  };

  test("a light build is made once, stays for tests, and is made anew with full strength where that is asked for", async () => {
    expect(await build({ isLight: true })).toEqual(["light"]);
    expect(await build({ isLight: true })).toEqual([]);
    expect(await build()).toEqual([]);
    expect(await build({ mayBeLight: false })).toEqual([undefined]);
    expect(await build({ isLight: true })).toEqual([]);
  });
});
