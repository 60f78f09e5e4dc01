import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BRAND } from "@toolhive/core/brand";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CHANNELS } from "./channels.ts";
import { findInstallation, findProgram } from "./find-installation.ts";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "thv-installation-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Makes the program, and a marker beside it when there is one. */
async function install(path: string, marker?: string): Promise<string> {
  const program = join(folder, path);
  await mkdir(dirname(program), { recursive: true });
  await writeFile(program, "");
  if (marker !== undefined) await writeFile(join(dirname(program), "installation.json"), marker);
  return program;
}

const { npm } = BRAND.packages;

describe("the channel", () => {
  test.each([
    ["npm", `lib/node_modules/${npm}/dist/thv.mjs`],
    ["npm", `.local/share/pnpm/global/5/.pnpm/${npm}@0.2.0/node_modules/${npm}/dist/thv.mjs`],
    ["npx", `.npm/_npx/5f2a01c3/node_modules/${npm}/dist/thv.mjs`],
    ["homebrew", "opt/homebrew/Cellar/thv/0.2.0/bin/thv"],
    ["homebrew", `opt/homebrew/Cellar/thv/0.2.0/libexec/lib/node_modules/${npm}/dist/thv.mjs`],
    ["scoop", "scoop/apps/thv/current/thv.exe"],
    ["winget", "AppData/Local/Microsoft/WinGet/Packages/ToolHive.Thv_source/thv.exe"],
    ["source", "src/toolhive/packages/cli/dist/thv.mjs"],
  ])("is %s for a program at %s", async (channel, place) => {
    const path = await install(place);

    expect(await findInstallation({ path, isSingleFile: place.endsWith(".exe") })).toEqual({ channel, path });
  });

  test("is that of the place where the link in the PATH leads", async () => {
    const path = await install(`lib/node_modules/${npm}/dist/thv.mjs`);
    await symlink(path, join(folder, "thv"));

    expect(await findInstallation({ path: join(folder, "thv"), isSingleFile: false })).toEqual({
      channel: "npm",
      path,
    });
  });

  test.each(CHANNELS)("is %s where the package says so beside the program, whatever the path is", async (channel) => {
    const path = await install(`lib/node_modules/${npm}/dist/thv.mjs`, JSON.stringify({ channel, later: true }));

    expect(await findInstallation({ path, isSingleFile: false })).toMatchObject({ channel });
  });

  test.each([
    ["empty", ""],
    ["cut off", '{"channel":"de'],
    ["no object", "null"],
    ["without a channel", "{}"],
    ["of a channel that nobody knows", '{"channel":"carrier-pigeon"}'],
    ["of another type", '{"channel":["deb"]}'],
    ["too large", `{"channel":"deb","padding":"${"x".repeat(5000)}"}`],
  ])("is not taken from a marker that is %s", async (_what, marker) => {
    const path = await install("bin/thv", marker);

    expect(await findInstallation({ path, isSingleFile: true })).toEqual({ channel: "file", path });
  });

  test("is not taken from a marker that is a folder", async () => {
    const path = await install("bin/thv");
    await mkdir(join(folder, "bin/installation.json"));

    expect(await findInstallation({ path, isSingleFile: true })).toMatchObject({ channel: "file" });
  });

  test.skipIf(process.platform === "win32")(
    "does not wait for a marker that is a pipe (Windows has none)",
    async () => {
      const path = await install("bin/thv");
      execFileSync("mkfifo", [join(folder, "bin/installation.json")]);

      expect(await findInstallation({ path, isSingleFile: true })).toMatchObject({ channel: "file" });
    },
  );

  test("is source for a bundle that was copied elsewhere, and for a program that is gone", async () => {
    const path = await install("somewhere/thv.mjs");

    expect(await findInstallation({ path, isSingleFile: false })).toMatchObject({ channel: "source" });
    expect(await findInstallation({ path: join(folder, "gone"), isSingleFile: false })).toEqual({
      channel: "source",
      path: join(folder, "gone"),
    });
  });

  test("is not that of another package in the same place", async () => {
    const path = await install("lib/node_modules/vitest/thv.mjs");

    expect(await findInstallation({ path, isSingleFile: false })).toMatchObject({ channel: "source" });
  });
});

test("this process is no single file", () => {
  expect(findProgram()).toEqual({ path: process.argv[1], isSingleFile: false });
});
