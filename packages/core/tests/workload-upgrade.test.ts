/** A workload that gets the image that the registry lists now, and goes back when that does not answer. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RegistryServer } from "../src/registry/registry-schema.ts";
import { answeringServer, exitingServer, silentServer } from "../src/testing/fake-server.ts";
import { FakeTime } from "../src/testing/fake-time.ts";
import { readStatus, World } from "../src/testing/world.ts";

const [OLD, NEW] = ["ghcr.io/acme/weather:1.4.0", "ghcr.io/acme/weather:1.5.0"];

let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => time[Symbol.dispose]());

async function worldWithWeather(newServer = answeringServer) {
  const world = new World();
  world.engine.images.set(OLD, answeringServer);
  world.engine.registry.set(NEW, newServer);
  const entry: RegistryServer = {
    name: "weather",
    image: OLD,
    description: "Tells the weather of any place.",
    tier: "Community",
    status: "Active",
    transport: "stdio",
    tools: ["get_weather"],
  };
  world.registry.set("weather", entry);
  const { supervisor } = await world.boot();
  await supervisor.create({ image: "weather", env_vars: ["UNITS=metric"] });
  await time.advanceUntil(() => readStatus(supervisor, "weather") === "running", "the start");
  /** What the registry has from now on. */
  const list = (changes: Partial<RegistryServer>) => world.registry.set("weather", { ...entry, ...changes });
  const upgrade = async (request: Partial<Parameters<typeof supervisor.edits.upgrade>[1]> = {}) => {
    let isOver = false;
    const upgrading = supervisor.edits.upgrade("weather", { env: [], secrets: [], ...request }).finally(() => {
      isOver = true;
    });
    upgrading.catch(() => undefined);
    await time.advanceUntil(() => isOver, "the end of the upgrade");
    return await upgrading;
  };
  return { world, supervisor, list, upgrade };
}

const KEY = { name: "API_KEY", description: "Key of the weather service.", required: true, secret: true };

describe("an upgrade", () => {
  test("is found by the image, with the variables that are new", async () => {
    const { supervisor, list } = await worldWithWeather();
    const none = { name: "weather", image: OLD, isAvailable: false, server: "weather", newVariables: [] };
    expect(await supervisor.edits.checkUpgrade("weather")).toEqual({
      ...none,
      reason: "it runs from the image that the registry lists",
    });

    list({ image: NEW, env_vars: [KEY, { ...KEY, name: "UNITS" }] });
    const found = { ...none, isAvailable: true, newImage: NEW, newVariables: [KEY] };
    expect(await supervisor.edits.checkUpgrade("weather")).toEqual(found);
    expect(await supervisor.edits.checkUpgrades()).toEqual([found]);

    list({ image: "ghcr.io/acme/weather:1.3.9" });
    expect(await supervisor.edits.checkUpgrade("weather")).toMatchObject({
      isAvailable: false,
      reason: expect.stringContaining("newer"),
    });
  });

  test("runs the new image with the settings of before, and those that are added", async () => {
    const { world, supervisor, list, upgrade } = await worldWithWeather();
    const port = supervisor.describe("weather").port;
    world.secrets.set("key", "value");
    list({ image: NEW, env_vars: [KEY, { ...KEY, name: "LANG", required: false, default: "en" }] });

    await expect(upgrade()).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("API_KEY"),
    });
    expect(await upgrade({ secrets: [{ name: "key", target: "API_KEY" }] })).toMatchObject({
      status: "running",
      port,
      package: NEW,
    });

    expect(world.engine.find("weather")?.spec.env).toMatchObject({ UNITS: "metric", LANG: "en", API_KEY: "value" });
    expect(await supervisor.edits.checkUpgrade("weather")).toMatchObject({ isAvailable: false });
    expect(world.bugs).toEqual([]);
  });

  test.each([
    ["ends at once", exitingServer(1), "SERVER_EXITED"],
    ["does not answer", silentServer, "SERVER_NOT_READY"],
  ] as const)("whose server %s goes back to the image of before", async (_what, newServer, code) => {
    const { world, supervisor, list, upgrade } = await worldWithWeather(newServer);
    list({ image: NEW });

    await expect(upgrade()).rejects.toMatchObject({ code, message: expect.stringContaining("The upgrade of") });

    expect(supervisor.describe("weather")).toMatchObject({ status: "running", package: OLD });
    expect(world.containers).toEqual(["weather"]);
    expect(await supervisor.edits.checkUpgrade("weather")).toMatchObject({ isAvailable: true });
  });

  test("to an image that is nowhere, or to none, changes nothing", async () => {
    const { world, supervisor, list, upgrade } = await worldWithWeather();
    const container = world.engine.find("weather");
    expect(await upgrade()).toMatchObject({ status: "running", package: OLD });

    list({ image: "ghcr.io/acme/weather:9.9.9" });
    await expect(upgrade()).rejects.toMatchObject({ code: "IMAGE_NOT_FOUND" });

    expect([world.engine.find("weather"), container?.starts, readStatus(supervisor, "weather")]).toEqual([
      container,
      1,
      "running",
    ]);
  });
});
