/** An engine whose disk fills while it pulls an image, and the same engine once there is space. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TestImageRegistry } from "@toolhive/core/testing";
import {
  describeEngines,
  OWN_ENGINES,
  readStoredImage,
  runCommand,
  runThv,
  ThrowawayHome,
  waitFor,
} from "@toolhive/testing";
import { expect, test } from "vitest";

const SERVER = "server";

/** A Podman of its own, whose images have no more room than a small file system in memory. */
class CrampedPodman implements AsyncDisposable {
  readonly host: string;
  readonly #store: string;
  readonly #service: ChildProcess;

  private constructor(folder: string, service: ChildProcess) {
    this.host = `unix://${folder}/podman.sock`;
    this.#store = join(folder, "store");
    this.#service = service;
  }

  static async start(mebibytes: number): Promise<CrampedPodman> {
    const folder = await mkdtemp(join(process.env.TOOLHIVE_TEST_HOMES ?? "/tmp", "cramped-"));
    const store = join(folder, "store");
    for (const name of ["store", "run", "tmp", "networks"]) await mkdir(join(folder, name), { recursive: true });
    await mount("-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", store);
    const settings = [
      "[containers]",
      'log_driver = "k8s-file"',
      // Podman would raise them past hard limits that it may not change here.
      'default_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]',
      "[engine]",
      'runtime = "runc"',
      'cgroup_manager = "cgroupfs"',
      'events_logger = "file"',
      'lock_type = "file"',
      'helper_binaries_dir = ["/usr/lib/podman", "/usr/libexec/podman"]',
      `tmp_dir = "${folder}/tmp"`,
      `static_dir = "${store}/libpod"`,
      "[network]",
      'network_backend = "netavark"',
      `network_config_dir = "${folder}/networks"`,
    ];
    await writeFile(join(folder, "containers.conf"), `${settings.join("\n")}\n`);
    await writeFile(
      join(folder, "storage.conf"),
      `[storage]\ndriver = "overlay"\ngraphroot = "${store}"\nrunroot = "${folder}/run"\n`,
    );
    await writeFile(join(folder, "registries.conf"), '[[registry]]\nlocation = "127.0.0.1"\ninsecure = true\n');
    const env = {
      ...process.env,
      CONTAINERS_CONF: join(folder, "containers.conf"),
      CONTAINERS_STORAGE_CONF: join(folder, "storage.conf"),
      CONTAINERS_REGISTRIES_CONF: join(folder, "registries.conf"),
    };
    // What it creates in containers is for their users, too.
    const script = `umask 022 && exec podman system service --time=0 "unix://$1"`;
    const service = spawn("sh", ["-c", script, "sh", `${folder}/podman.sock`], { env, stdio: "ignore" });
    const podman = new CrampedPodman(folder, service);
    await waitFor(
      async () =>
        (await runCommand("curl", ["-sf", "--unix-socket", `${folder}/podman.sock`, "http://d/_ping"])).code === 0,
      { what: "Podman's answer" },
    );
    return podman;
  }

  async grow(mebibytes: number): Promise<void> {
    await mount("-o", `remount,size=${mebibytes}m`, this.#store);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#service.once("exit", resolve));
    this.#service.kill();
    await ended;
    await runCommand("umount", ["--lazy", this.#store]);
    await rm(join(this.#store, ".."), { recursive: true, force: true });
  }
}

async function mount(...args: string[]): Promise<void> {
  const { code, stderr } = await runCommand("mount", args);
  if (code !== 0) throw new Error(stderr);
}

// It needs what the tests' own Podman needs.
describeEngines("an engine like the tests' $kind", { ...OWN_ENGINES, kinds: ["podman"] }, () => {
  test("whose disk fills while it pulls says so, leaves nothing, and goes on once it has space", async () => {
    await using images = await TestImageRegistry.start();
    await images.addImage("large", await readStoredImage("toolhive-test/echo:test"));
    await using podman = await CrampedPodman.start(24);
    // Whose containers are removed while their engine is there.
    await using home = await ThrowawayHome.create();
    const thv = async (...args: string[]) => await runThv(args, { home, engine: podman });
    const reference = `${images.host}/acme/weather:large`;

    const full = await thv("run", "--name", SERVER, reference);
    expect(full).toMatchObject({ code: 6, stdout: "" });
    expect(full.stderr).toContain("no space left on device");
    expect(full.stderr).toContain(`has no space for the image "${reference}"`);
    expect(full.stderr).toContain("podman system prune");
    expect((await thv("list", "--all", "--format", "json")).stdout.trim()).toBe("[]");

    await podman.grow(2048);
    const run = await thv("run", "--name", SERVER, reference);
    expect([run.code, run.stderr]).toEqual([0, expect.any(String)]);
    expect(await thv("rm", SERVER)).toMatchObject({ code: 0 });
  });
});
