import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chooseRedirectPath } from "./redirect-path.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "redirect-path-"));
  await mkdir(join(home, "snap/firefox/common"), { recursive: true });
  await mkdir(join(home, "bin"));
});
afterEach(async () => await rm(home, { recursive: true }));

test.skipIf(process.platform !== "linux").each([
  ["firefox_firefox.desktop", "snap/firefox/common"],
  ["firefox.desktop", "state/toolhive"],
  ["absent_absent.desktop", "state/toolhive"],
  ["../x_y.desktop", "state/toolhive"],
  ["", "state/toolhive"],
])("with the browser %j, the page lies in %s (only Linux has snaps)", async (browser, folder) => {
  const program = join(home, "bin/xdg-settings");
  await writeFile(program, `#!/bin/sh\necho ${browser}\n`);
  await chmod(program, 0o755);

  const env = { HOME: home, XDG_STATE_HOME: join(home, "state"), PATH: `${join(home, "bin")}:/usr/bin:/bin` };
  const path = await chooseRedirectPath(env);

  expect(dirname(path ?? "")).toBe(join(home, folder));
});

test.skipIf(process.platform === "win32")("each page has a name of its own (Windows needs none)", async () => {
  const env = { HOME: home, PATH: "" };
  expect(await chooseRedirectPath(env)).not.toBe(await chooseRedirectPath(env));
});
