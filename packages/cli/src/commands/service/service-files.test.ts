/** What the files of a service hold on each system, and that systemd itself finds nothing to object to. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launchd } from "./launchd.ts";
import { describeUnit, systemd } from "./systemd.ts";
import { taskScheduler } from "./task-scheduler.ts";

const ODD = { command: ["/opt/no de/bin/node", '/home/me/50%/$HOME/"thv".mjs', "serve"], env: { A: 'x "y" 5% \\ $Z' } };
const PLACES = { home: "/home/me", env: {}, uid: 1000 };
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test("a unit of systemd quotes what its syntax would read otherwise", () => {
  const unit = systemd(PLACES).describe(ODD);

  expect(unit).toContain('ExecStart="/opt/no de/bin/node" "/home/me/50%%/$$HOME/\\"thv\\".mjs" "serve"\n');
  expect(unit).toContain('Environment="A=x \\"y\\" 5%% \\\\ $Z"\n');
});

test.skipIf(!hasSystemd)(
  `systemd finds nothing wrong with the unit${hasSystemd ? "" : " (skipped: this machine has no systemd-analyze)"}`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "thv-unit-"));
    const file = join(folder, "toolhive.service");
    const program = { command: [process.execPath, "/tmp/thv.mjs", "serve"], env: { PATH: "/usr/bin:/odd %path" } };
    const packaged = describeUnit({ command: [process.execPath, "serve"], env: {} }, "Part of a package");

    const verify = (path: string) => {
      const { status, stderr } = spawnSync("systemd-analyze", ["--user", "verify", path], {
        env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder },
        encoding: "utf8",
      });
      return { status, complaints: stderr.split("\n").filter((line) => line.includes("toolhive.service")) };
    };
    await writeFile(file, systemd({ ...PLACES, home: folder }).describe(program));
    const good = verify(file);
    await writeFile(file, packaged);
    const alsoGood = verify(file);
    await writeFile(file, "[Service]\nExecStart=relative\nRestrat=always\n");
    const bad = verify(file);
    await rm(folder, { recursive: true });

    expect(packaged).toMatch(/^# Part of a package\n\[Unit\]\n/);
    expect([...good.complaints, ...alsoGood.complaints]).toEqual([]);
    expect(bad.complaints.length).toBeGreaterThan(0);
  },
);

test.each([
  ["launchd", launchd(PLACES)],
  ["the Task Scheduler", taskScheduler({ ...PLACES, env: { LOCALAPPDATA: "C:\\Users\\me\\AppData\\Local" } })],
])("the file for %s is XML in which the program's words stay words", (_title, manager) => {
  const file = manager.describe({ command: ["/usr/bin/node", "/a<b>&c.mjs", "serve"], env: { A: "<&>" } });

  expect(file).toContain("/a&lt;b&gt;&amp;c.mjs");
  expect(file).not.toMatch(/<b>|&c/);
  expect(file.startsWith('<?xml version="1.0"')).toBe(true);
});

test.each([
  [systemd({ ...PLACES, env: { XDG_CONFIG_HOME: "/etc/me" } }).isRunning("active\n"), true],
  [systemd(PLACES).isRunning("inactive\n"), false],
  [systemd(PLACES).isRunning("activating\n"), false],
  [launchd(PLACES).isRunning("gui/1/x = {\n\tstate = running\n}"), true],
  [launchd(PLACES).isRunning("gui/1/x = {\n\tstate = not running\n}"), false],
  [taskScheduler(PLACES).isRunning('"ToolHive","N/A","Running"'), true],
  [taskScheduler(PLACES).isRunning('"ToolHive","N/A","Ready"'), false],
])("what each system says about a service is understood (%#)", (said, expected) => {
  expect(said).toBe(expected);
});
