/** A disk that is full, and one that is read-only: mounted for the test, so that only root can run it. */
import { execFile } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describeEngines, dropProgress, type EngineChoice, runThv, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";

const run = promisify(execFile);
const IMAGE = "toolhive-test/echo:test";
const canMount = process.platform === "linux" && process.getuid?.() === 0;
const ONE: EngineChoice = {
  isOneEnough: true,
  findObstacle: () => (canMount ? undefined : "only root mounts file systems, on Linux"),
};

/** A file system of its own below a home, with all of what thv keeps on it. */
class SmallDisk implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async mount(home: ThrowawayHome, size: string): Promise<SmallDisk> {
    const path = join(home.path, "disk");
    await mkdir(path);
    await run("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]);
    return new SmallDisk(path);
  }

  get env() {
    const at = (name: string) => join(this.path, name);
    return { XDG_STATE_HOME: at("state"), XDG_DATA_HOME: at("data"), XDG_CONFIG_HOME: at("config") };
  }

  /** Until not a byte more fits. */
  async fill(): Promise<void> {
    const { stderr } = await run("sh", ["-c", `cat /dev/zero >>'${this.path}/filling' || true`]);
    expect(stderr).toContain("No space left");
  }

  async becomeReadOnly(): Promise<void> {
    await run("mount", ["-o", "remount,ro", this.path]);
  }

  /** Every file and folder below it. */
  async list(): Promise<string[]> {
    return (await readdir(this.path, { recursive: true })).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run("umount", ["--lazy", this.path]);
  }
}

describeEngines("on a full disk, with $kind", ONE, (engine) => {
  test("servers are listed, their output is shown, and they can be stopped, started and removed", async () => {
    await using home = await ThrowawayHome.create();
    await using disk = await SmallDisk.mount(home, "256k");
    const thv = async (...args: string[]) => {
      const { stderr, ...result } = await runThv(args, { home, engine, env: disk.env });
      return { ...result, stderr: dropProgress(stderr) };
    };
    for (const name of ["one", "two"]) {
      expect(await thv("run", "--name", name, IMAGE)).toMatchObject({ code: 0, stderr: "" });
    }
    await disk.fill();

    expect(await thv("list")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/one .*running[\s\S]*two .*running/),
    });
    expect(await thv("logs", "one")).toMatchObject({ code: 0, stdout: expect.stringContaining("echo: ready") });
    expect(await thv("stop", "one")).toEqual({ code: 0, stdout: "one is stopped.\n", stderr: "" });
    expect(await thv("restart", "one")).toMatchObject({ code: 0 });
    expect(await thv("stop", "one")).toEqual({ code: 0, stdout: "one is stopped.\n", stderr: "" });
    expect(await thv("rm", "two")).toEqual({ code: 0, stdout: "two is removed.\n", stderr: "" });
    await disk.fill();
    expect(await thv("run", "--name", "three", IMAGE)).toMatchObject({
      code: 16,
      stderr: expect.stringContaining("the disk is full"),
    });

    expect(await thv("list", "--all", "--format", "json").then(({ stdout }) => JSON.parse(stdout))).toMatchObject([
      { name: "one", status: "stopped" },
    ]);
    const containers = await engine.cli(["ps", "--format", "{{.Names}}"]);
    expect(containers.stdout.split("\n")).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:one|two|three)$/)]),
    );
    expect(await thv("rm", "one")).toMatchObject({ code: 0 });
    await home.stopSupervisor();
  });

  test("the first start says so, and leaves nothing", async () => {
    await using home = await ThrowawayHome.create();
    await using disk = await SmallDisk.mount(home, "16k");
    await disk.fill();

    const { code, stderr } = await runThv(["run", "--name", "one", IMAGE], { home, engine, env: disk.env });

    expect(stderr).toMatch(/^Error: \S+ cannot be written: the disk is full\.\nHint: /);
    expect(code).toBe(16);
    await waitFor(async () => (await home.listProcesses()).length === 0, { what: "the supervisor to be gone" });
    expect((await disk.list()).filter((path) => path.includes("lock"))).toEqual([]);
  });
});

describeEngines("on a read-only disk, with $kind", ONE, (engine) => {
  test.each([["run", "--name", "one", IMAGE], ["list"], ["config", "otel", "set-endpoint", "localhost:4318"]])(
    "thv %s says so, or has nothing to say",
    async (...args) => {
      await using home = await ThrowawayHome.create();
      await using disk = await SmallDisk.mount(home, "64k");
      await disk.becomeReadOnly();

      const { code, stderr } = await runThv(args, { home, engine, env: disk.env });

      if (args[0] === "list") expect([code, stderr]).toEqual([0, expect.stringContaining("Nothing is running")]);
      else {
        expect(stderr).toMatch(/^Error: \S+ cannot be written: the file system is read-only\.\nHint: /);
        expect(code).toBe(16);
      }
    },
  );

  test("servers are stopped and removed nevertheless, and what could not be saved is said", async () => {
    await using home = await ThrowawayHome.create();
    const thv = (...args: string[]) => runThv(args, { home, engine });
    for (const name of ["one", "two"]) expect(await thv("run", "--name", name, IMAGE)).toMatchObject({ code: 0 });
    await using _folder = await readOnlyFolder(join(home.stateDirectory, "runconfigs"));

    const stopped = await thv("stop", "one");
    const removed = await thv("rm", "two");

    expect(stopped).toMatchObject({ code: 0, stdout: "one is stopped.\n" });
    expect(stopped.stderr).toMatch(/could not be saved: .*the file system is read-only/);
    expect(removed.stderr).toMatch(/^Error: \S+two\.json cannot be removed: the file system is read-only\.\nHint: /);
    expect(removed.code).toBe(16);
    expect((await engine.cli(["ps", "--quiet", "--filter", "name=^(one|two)$"])).stdout).toBe("");
  });
});

/** Makes a folder read-only as long as the test needs it, also for root and for who has it open. */
async function readOnlyFolder(path: string): Promise<AsyncDisposable> {
  await run("mount", ["--bind", path, path]);
  await run("mount", ["-o", "remount,bind,ro", path]);
  return { [Symbol.asyncDispose]: async () => void (await run("umount", [path])) };
}
