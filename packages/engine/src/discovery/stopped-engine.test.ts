import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeDaemon } from "../testing/fake-daemon.ts";
import { discoverEngine } from "./discover-engine.ts";
import { findPodman, findStoppedEngine } from "./stopped-engine.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "thv-programs-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function install(program: string, mode = 0o755): Promise<void> {
  await writeFile(join(folder, program), "#!/bin/sh\n");
  await chmod(join(folder, program), mode);
}

test.each([
  ["colima", "darwin", "colima start"],
  ["colima", "linux", "colima start"],
  ["rdctl", "linux", "rdctl start"],
  ["podman", "darwin", "podman machine start"],
  ["docker.exe", "win32", "docker desktop start"],
] as const)("%s on %s is started with: %s", async (program, platform, command) => {
  await install(program);

  expect(await findStoppedEngine({ env: { PATH: ["/nonexistent", folder].join(delimiter) }, platform })).toMatchObject({
    command,
  });
});

test("a program that cannot be executed is not installed, and an empty PATH has none", async () => {
  await install("colima", 0o644);
  await install("podman", 0o644);

  expect(await findStoppedEngine({ env: { PATH: folder }, platform: "freebsd" })).toBeUndefined();
  expect(await findStoppedEngine({ env: { PATH: folder }, platform: "darwin" })).toBeUndefined();
  expect(await findPodman({ PATH: folder }, "linux")).toBe(false);
  expect(await findPodman({}, "linux")).toBe(false);
});

test("Podman's service is for Linux, where Podman runs on the machine itself", async () => {
  await install("podman");

  expect(await findPodman({ PATH: folder }, "linux")).toBe(true);
  expect(await findPodman({ PATH: folder }, "darwin")).toBe(false);
});

// On Windows only named pipes are tried, so that an engine of the machine that runs the tests does not answer.
const NOWHERE = {
  env: {},
  home: "/nonexistent",
  platform: "win32" as const,
  deadlines: { firstMs: 5_000, patientMs: 5_000 },
};

test("an engine is started when none answers, and one that is named is not replaced", async () => {
  await using daemon = await FakeDaemon.start();
  let starts = 0;
  const startEngine = async () => {
    starts += 1;
    return { address: daemon.address, origin: "podman system service", explicit: false };
  };

  const engine = await discoverEngine({ ...NOWHERE, startEngine });

  expect([engine.info.address, engine.info.origin, starts]).toEqual([daemon.socketPath, "podman system service", 1]);
  const env = { DOCKER_HOST: "unix:///nonexistent/engine.sock" };
  await expect(discoverEngine({ ...NOWHERE, env, startEngine })).rejects.toMatchObject({ code: "ENGINE_UNREACHABLE" });
  expect(starts).toBe(1);
});

test("why an engine could not be started is among what was tried, and the hint names the command for one that is stopped", async () => {
  await install("rdctl.exe");
  const startEngine = async () => ({ origin: "podman system service", problem: "it ended with 125" });

  await expect(discoverEngine({ ...NOWHERE, env: { PATH: folder }, startEngine })).rejects.toMatchObject({
    message: expect.stringContaining("podman system service (it ended with 125)"),
    hint: "Rancher Desktop is installed and does not answer. Start it: rdctl start",
  });
});
