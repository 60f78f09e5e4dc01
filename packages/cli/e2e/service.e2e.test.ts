/** `thv service` from the installation to the end, with a stand-in for systemd: none can be started where the tests run. */
import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runThv, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";

const UNIT = "config/systemd/user/toolhive.service";

async function prepare(home: ThrowawayHome, { fails }: { fails?: string } = {}) {
  const systemctl = join(home.path, "bin/systemctl");
  await copyFile(join(import.meta.dirname, "../src/testing/stand-in-systemctl.mjs"), systemctl);
  await chmod(systemctl, 0o755);
  const log = join(home.path, "systemctl.log");
  await writeFile(log, "");
  const env = {
    SYSTEMCTL_LOG: log,
    ...(fails && { SYSTEMCTL_FAILS: fails }),
    DOCKER_HOST: "unix:///nowhere/docker.sock",
  };
  const thv = (...args: string[]) => runThv(["service", ...args], { home, env });
  return { thv, calls: async () => (await readFile(log, "utf8")).trim().split("\n"), log };
}

const writeSocketFlag = (home: ThrowawayHome) => ["--", "--socket", join(home.path, "api.sock")];
const readUnit = async (home: ThrowawayHome) => await readFile(join(home.path, UNIT), "utf8").catch(() => undefined);

test("a service is installed, found running, and gone without a trace", async () => {
  await using home = await ThrowawayHome.create();
  const { thv, calls } = await prepare(home);

  const installed = await thv("install", ...writeSocketFlag(home));
  const supervisor = await home.findSupervisor();
  const unit = await readUnit(home);
  const status = await thv("status", "--format", "json");
  const removed = await thv("uninstall");

  expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining("installed and runs") });
  expect(supervisor).toBeDefined();
  expect(unit).toContain(`ExecStart="${process.execPath}"`);
  expect(unit).toContain('Environment="DOCKER_HOST=unix:///nowhere/docker.sock"');
  expect(JSON.parse(status.stdout)).toMatchObject({ installed: true, running: true, manager: "systemd" });
  expect(removed).toMatchObject({ code: 0 });
  expect(await readUnit(home)).toBeUndefined();
  expect(await home.findSupervisor()).toBeUndefined();
  expect(await calls()).toEqual([
    "--user daemon-reload",
    "--user enable toolhive.service",
    "--user restart toolhive.service",
    "--user is-active toolhive.service",
    "--user disable --now toolhive.service",
    "--user daemon-reload",
  ]);
  expect(JSON.parse((await thv("status", "--format", "json")).stdout)).toMatchObject({
    installed: false,
    running: false,
  });
});

test("what became of the service is JSON for programs, in the words of its status", async () => {
  await using home = await ThrowawayHome.create();
  const { thv } = await prepare(home);
  const json = async (...args: string[]) => JSON.parse((await thv(...args)).stdout);

  const installed = await json("install", "--format", "json", ...writeSocketFlag(home));
  const status = await json("status", "--format", "json");
  const removed = await json("uninstall", "--format", "json");

  expect(installed).toEqual({ installed: true, running: true, manager: "systemd", file: join(home.path, UNIT) });
  expect(installed).toEqual(status);
  expect(removed).toEqual({ ...installed, installed: false, running: false });
  expect(await json("uninstall", "--format", "json")).toEqual(removed);
});

test("a second installation replaces the first, and no password is written", async () => {
  await using home = await ThrowawayHome.create();
  const { thv } = await prepare(home);
  await thv("install", ...writeSocketFlag(home));
  const first = await home.findSupervisor();

  const again = await runThv(["service", "install", ...writeSocketFlag(home)], {
    home,
    env: {
      SYSTEMCTL_LOG: join(home.path, "systemctl.log"),
      TOOLHIVE_SECRETS_PASSWORD: "correct horse",
      DOCKER_HOST: "unix:///elsewhere/docker.sock",
    },
  });

  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("TOOLHIVE_SECRETS_PASSWORD is not written") });
  expect(await readUnit(home)).toContain("unix:///elsewhere/docker.sock");
  expect(await readUnit(home)).not.toContain("correct horse");
  const second = await waitFor(
    async () => {
      const found = await home.findSupervisor();
      return found && found.pid !== first?.pid ? found : undefined;
    },
    { what: "another supervisor" },
  );
  expect(second.pid).not.toBe(first?.pid);
  await thv("uninstall");
});

test.each(["enable", "restart"])(
  "when systemd refuses to %s, nothing is installed, and the message says why",
  async (verb) => {
    await using home = await ThrowawayHome.create();
    const { thv } = await prepare(home, { fails: verb });

    const { code, stderr } = await thv("install", ...writeSocketFlag(home));

    expect(code).toBe(20);
    expect(stderr).toContain(`systemctl --user ${verb} toolhive.service failed: Failed to connect to bus`);
    expect(stderr).toContain("Hint: Nothing was installed.");
    expect(await readUnit(home)).toBeUndefined();
    expect(await home.findSupervisor()).toBeUndefined();
  },
);

test("a unit that a person wrote is left as it is", async () => {
  await using home = await ThrowawayHome.create();
  const { thv, calls } = await prepare(home);
  await mkdir(dirname(join(home.path, UNIT)), { recursive: true });
  await writeFile(join(home.path, UNIT), "[Service]\nExecStart=/usr/bin/mine\n");

  for (const verb of ["install", "uninstall", "status"]) {
    expect(await thv(verb)).toMatchObject({
      code: 16,
      stderr: expect.stringContaining("was not written by thv service"),
    });
  }
  expect(await readUnit(home)).toContain("/usr/bin/mine");
  expect(await calls()).toEqual([""]);
});

test("a dry run shows the file and the commands, and does nothing", async () => {
  await using home = await ThrowawayHome.create();
  const { thv, calls } = await prepare(home);

  const { code, stdout } = await thv("install", "--dry-run");

  expect(code).toBe(0);
  expect(stdout).toContain(`# ${join(home.path, UNIT)}\n`);
  expect(stdout).toContain("# systemctl --user restart toolhive.service");
  expect(await readUnit(home)).toBeUndefined();
  expect(await calls()).toEqual([""]);
});
