/** A package's life: installed on a system that has nothing but Debian, upgraded, removed; nothing of it stays behind. */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BareDebian, findBareDebianObstacle } from "@toolhive/testing";
import { expect, test } from "vitest";
import { PROCESSORS } from "../executables.mjs";
import { buildDeb } from "./deb.mjs";
import { buildRpm } from "./rpm.mjs";
import { openStandIn } from "./stand-in-release.ts";

const own = PROCESSORS[process.arch === "arm64" ? 1 : 0];
/** Everything but what apt, dpkg and rpm write down about their work. */
const LIST =
  "find / -xdev \\( -path /proc -o -path /tmp -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log \\) -prune -o -print | sort";

const debianObstacle = await findBareDebianObstacle();
test.skipIf(debianObstacle !== undefined)(
  `the deb is installed, upgraded, removed and purged${debianObstacle === undefined ? "" : ` (skipped: ${debianObstacle})`}`,
  async () => {
    await using debian = await BareDebian.open();
    const older = openStandIn({ version: "1.2.3-rc.1", pages: ["thv.1", "thv-gone.1"] });
    const newer = openStandIn({ version: "1.2.3" });
    for (const release of [older, newer]) {
      const file = await buildDeb(release, own);
      copyFileSync(join(release.out, file), join(debian.root, "root", file));
      release.close();
    }
    const install = (version: string) =>
      debian.mustRun(`apt-get install --yes --no-install-recommends /root/thv_${version}_${own}.deb`);
    const query = `dpkg-query --show --showformat '\${Version} \${Status}' thv`;
    await debian.mustRun("mkdir -p /root/.config/toolhive && echo '{}' >/root/.config/toolhive/config.json");
    const before = await debian.mustRun(LIST);

    await install("1.2.3-rc.1");
    expect(
      await debian.mustRun("thv installed && cat /usr/lib/thv/installation.json && readlink -f /usr/bin/thv"),
    ).toBe('installed\n{"channel":"deb"}\n/usr/lib/thv/thv\n');
    expect(await debian.mustRun("ls /usr/share/man/man1 | grep thv")).toBe("thv-gone.1.gz\nthv.1.gz\n");

    await install("1.2.3");
    expect(await debian.mustRun(query)).toBe("1.2.3 install ok installed");
    expect(await debian.mustRun("dpkg --verify thv && thv upgraded")).toBe("upgraded\n");
    expect(await debian.mustRun("ls /usr/share/man/man1 | grep thv")).toBe("thv.1.gz\n");

    await debian.mustRun("apt-get remove --yes thv");
    expect(await debian.mustRun(LIST)).toBe(before);
    // There was nothing to keep, so nothing is kept.
    expect((await debian.run(query)).code).toBe(1);

    await install("1.2.3");
    await debian.mustRun("apt-get purge --yes thv");
    expect(await debian.mustRun(LIST)).toBe(before);
    expect(await debian.mustRun("cat /root/.config/toolhive/config.json")).toBe("{}\n");
  },
);

const hasRpm =
  process.platform === "linux" && process.getuid?.() === 0 && spawnSync("rpmbuild", ["--version"]).status === 0;
test.skipIf(!hasRpm)(
  `the rpm is installed, upgraded and removed, in an empty folder${hasRpm ? "" : " (skipped: only root, with rpmbuild, can try it)"}`,
  async () => {
    const root = mkdtempSync(join(tmpdir(), "thv-rpm-"));
    // No library is there that it depends on, and none of the caller's processes.
    const rpm = (...args: string[]) =>
      execFileSync("rpm", ["--root", root, "--dbpath", "/var/lib/rpm", ...args], { encoding: "utf8" });
    const list = () =>
      execFileSync("find", [root, "-path", `${root}/var`, "-prune", "-o", "-not", "-type", "d", "-printf", "/%P\n"], {
        encoding: "utf8",
      })
        .split("\n")
        .filter(Boolean)
        .sort();
    const older = openStandIn({ version: "1.2.3-rc.1", pages: ["thv.1", "thv-gone.1"] });
    const newer = openStandIn({ version: "1.2.3" });
    const files = [join(older.out, await buildRpm(older, own)), join(newer.out, await buildRpm(newer, own))] as const;

    rpm("--install", "--nodeps", files[0]);
    expect(list()).toContain("/usr/share/man/man1/thv-gone.1.gz");
    rpm("--upgrade", "--nodeps", files[1]);
    expect(list()).not.toContain("/usr/share/man/man1/thv-gone.1.gz");
    expect(rpm("--query", "thv")).toMatch(/^thv-1\.2\.3-1\./);
    expect(rpm("--verify", "--nodeps", "thv")).toBe("");
    expect(execFileSync(join(root, "usr/bin/thv"), ["upgraded"], { encoding: "utf8" })).toBe("upgraded\n");
    expect(execFileSync("cat", [join(root, "usr/lib/thv/installation.json")], { encoding: "utf8" })).toBe(
      '{"channel":"rpm"}\n',
    );
    rpm("--erase", "thv");
    expect(list()).toEqual([]);

    for (const release of [older, newer]) release.close();
    rmSync(root, { recursive: true });
  },
);
