import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSourceFolder } from "./source-folder.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "source-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("on Windows, which knows no mode, every file can be executed, and links have slashes", async () => {
  await writeFile(join(folder, "build.sh"), "true");
  await chmod(join(folder, "build.sh"), 0o644);
  await symlink("tools\\build.sh", join(folder, "link"));

  const [onWindows, onLinux] = await Promise.all(
    (["win32", "linux"] as const).map((platform) => readSourceFolder(folder, () => "", platform)),
  );

  expect(onWindows?.entries).toMatchObject([{ isExecutable: true }, { target: "tools/build.sh" }]);
  expect(onLinux?.entries).toMatchObject([{ isExecutable: false }, { target: "tools\\build.sh" }]);
});
