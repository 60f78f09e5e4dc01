import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BRAND } from "@toolhive/core/brand";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findInPath } from "./find-in-path.ts";

const { npm } = BRAND.packages;

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "thv-path-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function install(path: string, mode = 0o755): Promise<string> {
  const program = join(folder, path);
  await mkdir(dirname(program), { recursive: true });
  await writeFile(program, "");
  await chmod(program, mode);
  return program;
}

/** Where each program is found, with the channel that it came by. */
async function search(entries: readonly string[], platform: NodeJS.Platform = "linux"): Promise<string[]> {
  const PATH = entries.join(platform === "win32" ? ";" : ":");
  const programs = await findInPath({ env: { PATH }, platform, workDirectory: folder });
  return programs.map(({ found, installation }) => `${installation.channel} ${found}`);
}

describe("programs in the PATH", () => {
  test("are found in its order, with how each was installed", async () => {
    const file = await install("a/thv");
    const bundle = await install(`lib/node_modules/${npm}/dist/thv.mjs`);
    await mkdir(join(folder, "bin"));
    await symlink(bundle, join(folder, "bin/thv"));
    const deb = await install("usr/lib/thv/thv");
    await writeFile(join(dirname(deb), "installation.json"), '{"channel":"deb"}');

    const found = await search([dirname(deb), join(folder, "bin"), join(folder, "a")]);

    expect(found).toEqual([`deb ${deb}`, `npm ${join(folder, "bin/thv")}`, `file ${file}`]);
  });

  test("are one where two folders lead to the same file, as /bin and /usr/bin do", async () => {
    const program = await install("usr/bin/thv");
    await symlink(join(folder, "usr/bin"), join(folder, "bin"));
    await mkdir(join(folder, "local"));
    await symlink(program, join(folder, "local/thv"));

    const found = await search([join(folder, "bin"), join(folder, "usr/bin"), join(folder, "local")]);

    expect(found).toEqual([`file ${join(folder, "bin/thv")}`]);
  });

  test("are found by relative folders and by an empty one, which is the present folder", async () => {
    const here = await install("thv");
    const near = await install("near/thv");

    expect(await search(["near", ""])).toEqual([`file ${near}`, `file ${here}`]);
  });

  test("are found behind folders that are missing, files, circles of links or too long", async () => {
    const program = await install("last/thv");
    await install("a-file");
    await symlink("circle", join(folder, "circle"));
    await mkdir(join(folder, "dangling"));
    await symlink(join(folder, "gone"), join(folder, "dangling/thv"));

    const found = await search([
      ...["missing", "a-file", "circle", "dangling"].map((each) => join(folder, each)),
      join(folder, "x".repeat(5000)),
      dirname(program),
    ]);

    expect(found).toEqual([`file ${program}`]);
  });

  test.skipIf(process.getuid?.() === 0)(
    "are found behind folders that the user may not read (root may read all)",
    async () => {
      const program = await install("last/thv");
      await install("closed/thv");
      await chmod(join(folder, "closed"), 0);

      expect(await search([join(folder, "closed"), dirname(program)])).toEqual([`file ${program}`]);
      await chmod(join(folder, "closed"), 0o700);
    },
  );

  test("are no folders of that name, and no files that nobody may start", async () => {
    await mkdir(join(folder, "a/thv"), { recursive: true });
    await install("b/thv", 0o644);

    expect(await search(["a", "b"])).toEqual([]);
  });

  test("are eight at most, of five hundred folders", async () => {
    const many = Array.from({ length: 12 }, (_, at) => `many-${at}`);
    for (const each of many) await install(`${each}/thv`);

    expect(await search(many)).toHaveLength(8);
    expect(await search([...Array.from({ length: 499 }, () => "missing"), ...many])).toHaveLength(1);
  });

  test("are not what npx put there for itself", async () => {
    await install(`.npm/_npx/5f2a01c3/node_modules/${npm}/dist/thv`);

    expect(await search([join(folder, `.npm/_npx/5f2a01c3/node_modules/${npm}/dist`)])).toEqual([]);
  });

  test.each([[undefined], [""]])("are none without a PATH (%j)", async (PATH) => {
    await install("thv");

    expect(await findInPath({ env: { PATH }, platform: "linux", workDirectory: folder })).toEqual([]);
  });

  test("are one on Windows for the three files of npm, and by Scoop's own file", async () => {
    for (const each of ["npm/thv", "npm/thv.cmd", "npm/thv.ps1", `npm/node_modules/${npm}/package.json`]) {
      await install(each);
    }
    const scoop = await install("scoop/shims/thv.exe");

    const found = await search(["", "npm", "scoop/shims"], "win32");

    expect(found).toEqual([`npm ${join(folder, "npm/thv.cmd")}`, `scoop ${scoop}`]);
  });
});
