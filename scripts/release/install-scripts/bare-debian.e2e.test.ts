/** `install.sh` needs no program that is not on a system with nothing but Debian: not even one that downloads. */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BareDebian, findBareDebianObstacle } from "@toolhive/testing";
import { expect, test } from "vitest";
import { makeDownloads, makeFolder, VERSION } from "./trial.ts";

const obstacle = await findBareDebianObstacle();

test.skipIf(obstacle !== undefined)(
  `install.sh installs from a folder and removes again, for root and for a user${obstacle === undefined ? "" : ` (skipped: ${obstacle})`}`,
  async () => {
    await using debian = await BareDebian.open();
    const folder = makeFolder();
    cpSync(makeDownloads(folder), join(debian.root, "downloads"), { recursive: true });
    rmSync(folder, { recursive: true });
    const list = "find /root /home /usr/local -type f -o -type l | sort";
    await debian.mustRun("useradd --create-home ada");
    const before = await debian.mustRun(list);
    const install = "sh /downloads/install.sh --from /downloads";

    expect(await debian.mustRun(`${install} && thv works`)).toContain(`thv v${VERSION} works\n`);
    expect(await debian.mustRun(`su - ada -c '${install} && .local/bin/thv works'`)).toContain(
      "Another thv is installed: /usr/local/bin/thv.",
    );
    expect((await debian.mustRun(list)).split("\n").filter((path) => path.endsWith("/thv"))).toEqual([
      "/home/ada/.local/bin/thv",
      "/home/ada/.local/lib/thv/thv",
      "/usr/local/bin/thv",
      "/usr/local/lib/thv/thv",
    ]);
    await debian.mustRun("su - ada -c 'sh /downloads/install.sh --uninstall' && sh /downloads/install.sh --uninstall");
    expect(await debian.mustRun(list)).toBe(before);
  },
);
