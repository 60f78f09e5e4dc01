/** Other settings, and another image, for a server that runs: what its clients keep, and what comes back when it fails. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiClient } from "@toolhive/api/client";
import { countLeftovers, describeEngines, runThv, type TestEngine, ThrowawayHome } from "@toolhive/testing";
import { expect, test } from "vitest";
import { followSocket, supervisorFiles } from "../src/supervisor/supervisor-files.ts";
import { SessionClient } from "../src/testing/session-client.ts";

const ECHO = "toolhive-test/echo:test";
const EXITS = "toolhive-test/exits:test";
const SIDECAR_BASE = { TOOLHIVE_SIDECAR_BASE_IMAGE: "docker.io/toolhive-test/sidecar-base:test" };
const name = "edited";
const params = { name };

async function runServer(home: ThrowawayHome, engine: TestEngine, image = ECHO) {
  const run = await runThv(["run", "--name", name, "--env", "UNITS=metric", image], {
    home,
    engine,
    env: SIDECAR_BASE,
  });
  expect(run.code, run.stderr).toBe(0);
  const url = run.stdout.trim().split(" ").at(-1) ?? "";
  return { url, client: new ApiClient(followSocket(supervisorFiles(home.env(engine)))) };
}

const readEnv = async (engine: TestEngine) =>
  (await engine.cli(["inspect", "--format", "{{json .Config.Env}}", name])).stdout;

describeEngines("a server that runs on $kind", (engine) => {
  test("gets other settings in place: its clients keep their sessions and its address", async () => {
    await using home = await ThrowawayHome.create();
    const { url, client } = await runServer(home, engine);
    const session = await SessionClient.open(url);
    const { request } = await client.call("getWorkloadDetails", { params });
    if (!request) throw new Error("There is no request.");

    const body = { ...request, env_vars: ["UNITS=imperial"], limits: { memory_bytes: 256 * 1024 * 1024 } };
    expect(await client.call("editWorkload", { params, body })).toMatchObject({
      name,
      port: Number(new URL(url).port),
    });

    expect(await session.call("echo", { message: "still here" })).toMatchObject({ kind: "answered" });
    expect(session.sessionsOpened).toBe(1);
    expect(await readEnv(engine)).toContain("UNITS=imperial");
    expect(await client.call("exportWorkload", { params })).toMatchObject(body);

    await client.call("editWorkload", { params, body: { ...body, network_isolation: true } });
    expect(await session.call("echo", { message: "isolated" })).toMatchObject({ kind: "answered" });
    await client.call("editWorkload", { params, body });
    expect(await session.call("echo", { message: "open again" })).toMatchObject({ kind: "answered" });

    const { findings } = await client.call("runDoctor");
    expect(findings).toContainEqual(expect.objectContaining({ check: "engine", status: "ok" }));
    expect(await runThv(["rm", name], { home, engine })).toMatchObject({ code: 0 });
    await home.stopSupervisor();
    expect(await countLeftovers(engine, home)).toMatchObject({ containers: [] });
  });

  test("runs as before when it cannot be started with the new ones", async () => {
    await using home = await ThrowawayHome.create();
    const { url, client } = await runServer(home, engine);
    const session = await SessionClient.open(url);
    const before = await client.call("exportWorkload", { params });

    const edit = client.call("editWorkload", { params, body: { ...before, image: EXITS } });
    await expect(edit).rejects.toMatchObject({
      code: "SERVER_EXITED",
      message: expect.stringContaining("It runs as it did before."),
    });

    expect(await client.call("exportWorkload", { params })).toEqual(before);
    expect(await client.call("getWorkloadStatus", { params })).toMatchObject({ status: "running" });
    await session.reopen(session.sessionId);
    expect(await session.call("echo", { message: "back" })).toMatchObject({ kind: "answered" });
    expect(await readEnv(engine)).toContain("UNITS=metric");
    expect(await runThv(["rm", name], { home, engine })).toMatchObject({ code: 0 });
  });

  test("is upgraded to the registry's image, and goes back when that one ends", async () => {
    await using home = await ThrowawayHome.create();
    const [old, good, bad] = ["1.0.0", "1.1.0", "1.2.0"].map((tag) => `toolhive-test/upgraded:${tag}`);
    if (!old || !good || !bad) throw new Error("There are three images.");
    for (const tag of [old, good]) await engine.cli(["tag", ECHO, tag]);
    await engine.cli(["tag", EXITS, bad]);
    try {
      const list = async (image: string) => await writeRegistry(home, image);
      await list(good);
      const { client } = await runServer(home, engine, old);

      expect(await client.call("checkUpgrade", { params })).toMatchObject({ available: true, new_image: good });
      expect(await client.call("upgradeWorkload", { params, body: {} })).toMatchObject({ name, image: good });
      expect(await client.call("checkUpgrade", { params })).toMatchObject({ available: false });

      await list(bad);
      const upgrade = client.call("upgradeWorkload", { params, body: {} });
      await expect(upgrade).rejects.toMatchObject({ code: "SERVER_EXITED" });
      expect(await client.call("checkUpgrade", { params })).toMatchObject({ available: true, image: good });
      expect(await client.call("getWorkloadStatus", { params })).toMatchObject({ status: "running" });
      expect(await runThv(["rm", name], { home, engine })).toMatchObject({ code: 0 });
    } finally {
      await engine.cli(["rmi", old, good, bad]);
    }
  });
});

/** Puts a registry in place that has one server, with this image. */
async function writeRegistry(home: ThrowawayHome, image: string): Promise<void> {
  const entry = {
    image,
    description: "Says what it hears.",
    tier: "Community",
    status: "Active",
    transport: "stdio",
    tools: ["echo"],
  };
  const registry = { version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: { "my-echo": entry } };
  const path = join(home.workDirectory, "registry.json");
  await writeFile(path, JSON.stringify(registry));
  const folder = join(home.env().XDG_CONFIG_HOME ?? "", "toolhive");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.yaml"), `registry_url: ${path}\n`);
}
