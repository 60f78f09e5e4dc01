/** A disk that is full, and one that is read-only: mounted for the test, so that only root can run it. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { TestPushRegistry } from "@toolhive/core/testing";
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

  /** There is room again. */
  async clear(): Promise<void> {
    await rm(join(this.path, "filling"));
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

    expect(dropProgress(stderr)).toMatch(/^Error: \S+ cannot be written: the disk is full\.\nHint: /);
    expect(code).toBe(16);
    await waitFor(async () => (await home.listProcesses()).length === 0, { what: "the supervisor to be gone" });
    expect((await disk.list()).filter((path) => path.includes("lock"))).toEqual([]);
  });
});

describeEngines("files of a set on a full disk, with $kind", ONE, (engine) => {
  const FULL = expect.stringMatching(/cannot be written: the disk is full\.\nHint: .*[Ff]ree some space/);

  test("are those of before when an export, an import or a pull does not fit, and no other file appears beside them", async () => {
    await using home = await ThrowawayHome.create();
    await using disk = await SmallDisk.mount(home, "256k");
    await using registry = await TestPushRegistry.start();
    const thv = async (...args: string[]) => await runThv(args, { home, engine });
    const at = (name: string) => join(disk.path, name);
    const inHome = (name: string) => join(home.workDirectory, name);
    expect(await thv("run", "--name", "one", IMAGE)).toMatchObject({ code: 0 });
    expect(await thv("export", "--all", at("set.yaml"))).toMatchObject({ code: 0 });
    expect(await thv("export", "one", at("one.json"))).toMatchObject({ code: 0 });
    const manifest = { apiVersion: "toolhive.stacklok.dev/v1alpha1", kind: "MCPServer", metadata: { name: "cluster" } };
    await writeFile(inHome("server.json"), JSON.stringify({ ...manifest, spec: { image: IMAGE } }));
    await writeFile(inHome("mcp.json"), JSON.stringify({ mcpServers: { two: { command: "npx", args: ["two"] } } }));
    const push = async (tag: string, size: number) => {
      await writeFile(inHome("policies.json"), JSON.stringify({ of: tag }));
      const text = `# ${tag.repeat(size)}\nservers:\n  two: { run: ${IMAGE}, access: { authz_config: policies.json } }\n`;
      await writeFile(inHome("thv.yaml"), text);
      const pushed = await thv("push", `oci://${registry.host}/acme/tools:${tag}`);
      expect(pushed.code, pushed.stderr).toBe(0);
    };
    await push("old", 1);
    await push("large", 60_000);
    const name = (tag: string) => `oci://${registry.host}/acme/tools:${tag}`;
    expect(await thv("pull", name("old"), at("pulled"))).toMatchObject({ code: 0 });
    const texts = async () =>
      await Promise.all(
        ["set.yaml", "one.json", "pulled/thv.yaml", "pulled/policies.json"].map((each) => readFile(at(each), "utf8")),
      );
    const before = await texts();
    await disk.fill();
    const listed = await disk.list();

    expect(await thv("export", "--all", at("new.yaml"))).toMatchObject({ code: 16, stderr: FULL });
    expect(await thv("export", "--all", at("set.yaml"), "--force")).toMatchObject({ code: 16, stderr: FULL });
    expect(await thv("export", "one", at("one.json"), "--force")).toMatchObject({ code: 16, stderr: FULL });
    expect(await thv("import", "mcp.json", "--file", at("imported.yaml"))).toMatchObject({ code: 16, stderr: FULL });
    expect(await thv("k8s", "import", inHome("server.json"), "--file", at("cluster.yaml"))).toMatchObject({
      code: 16,
      stderr: FULL,
    });
    expect(await thv("pull", name("large"), at("elsewhere"))).toMatchObject({ code: 16, stderr: FULL });
    await disk.clear();
    // What the project file names fits, and the file itself does not.
    expect(await thv("pull", name("large"), at("pulled"), "--force")).toMatchObject({ code: 16, stderr: FULL });
    expect(await thv("pull", name("large"), at("elsewhere"))).toMatchObject({ code: 16, stderr: FULL });

    expect(await texts()).toEqual(before);
    expect(await disk.list()).toEqual(listed.filter((path) => path !== "filling"));
  });

  test("lack the lock alone: the servers run, the message says so, and the next thv up writes it", async () => {
    await using home = await ThrowawayHome.create();
    await using disk = await SmallDisk.mount(home, "64k");
    const file = join(disk.path, "thv.yaml");
    const thv = async (...args: string[]) => await runThv([...args, "--file", file], { home, engine });
    await writeFile(file, `servers:\n  one: { run: ${IMAGE} }\n`);
    await disk.fill();

    const full = await thv("up", "--yes");

    expect(full).toMatchObject({ code: 16, stdout: expect.stringContaining("one is created: http://"), stderr: FULL });
    expect(full.stderr).toContain("The servers run, but what they run from is not locked.");
    expect(await disk.list()).toEqual(["filling", "thv.yaml"]);
    await disk.clear();
    expect(await thv("up")).toMatchObject({ code: 0, stdout: expect.stringContaining("one matches the file") });
    expect(JSON.parse(await readFile(join(disk.path, "thv.lock"), "utf8"))).toMatchObject({
      servers: { one: { run: IMAGE } },
    });
    expect(await thv("up", "--check")).toMatchObject({ code: 0 });
  });
});

describeEngines("settings on a full disk, with $kind", ONE, (engine) => {
  test("stay those of before when an edit or thv config does not fit, and the server goes on with them", async () => {
    await using home = await ThrowawayHome.create();
    await using disk = await SmallDisk.mount(home, "256k");
    const thv = async (...args: string[]) => await runThv(args, { home, engine, env: disk.env });
    expect(await thv("run", "--name", "one", "--env", "UNITS=metric", IMAGE)).toMatchObject({ code: 0 });
    expect(await thv("config", "set", "sleep-after", "10m")).toMatchObject({ code: 0 });
    const exported = (await thv("export", "one")).stdout;
    const config = join(disk.path, "config/toolhive/config.yaml");
    const settings = await readFile(config, "utf8");
    await disk.fill();

    const edited = await thv("edit", "one", "--env", `UNITS=${"imperial".repeat(1_000)}`, "--yes");
    const configured = await thv("config", "set", "sleep-after", "20m");

    expect(edited).toMatchObject({ code: 16, stderr: expect.stringContaining("the disk is full") });
    expect(configured).toMatchObject({ code: 16, stderr: expect.stringContaining("the disk is full") });
    expect((await thv("export", "one")).stdout).toBe(exported);
    expect(await readFile(config, "utf8")).toBe(settings);
    expect((await disk.list()).filter((path) => path.endsWith(".tmp"))).toEqual([]);
    const { stdout } = await thv("list", "--format", "json");
    expect(JSON.parse(stdout)).toMatchObject([{ name: "one", status: "running" }]);
    await disk.clear();
    expect(await thv("edit", "one", "--env", "UNITS=imperial", "--yes")).toMatchObject({ code: 0 });
    expect((await thv("export", "one")).stdout).toContain("UNITS=imperial");
    expect(await thv("rm", "one")).toMatchObject({ code: 0 });
    await home.stopSupervisor();
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
