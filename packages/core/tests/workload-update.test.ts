/** The image and the port of a workload: when the image is pulled, and what a restart can change of both. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FakeServer } from "../src/testing/fake-server.ts";
import { answeringServer } from "../src/testing/fake-server.ts";
import { FakeTime } from "../src/testing/fake-time.ts";
import { catchErrorCode, readStatus, World } from "../src/testing/world.ts";

let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => time[Symbol.dispose]());

const HERE = "mcp/echo:latest";

/** A machine that has an image which an image registry has, too. */
async function worldWithImage() {
  const world = new World();
  world.engine.images.set(HERE, answeringServer);
  world.engine.registry.set(HERE, answeringServer);
  const { supervisor } = await world.boot();
  const create = async (more: object) => {
    await supervisor.create({ name: "echo", image: HERE, ...more });
    await time.advanceUntil(() => !["starting"].includes(readStatus(supervisor, "echo")), "the end of the start");
  };
  const pulls = () => world.engine.calls.filter((call) => call === "pullImage").length;
  return { world, supervisor, create, pulls };
}

describe("the image", () => {
  test.each([
    [{}, 0],
    [{ pull_policy: "missing" }, 0],
    [{ pull_policy: "never" }, 0],
    [{ pull_policy: "always" }, 1],
  ] as const)("that is here, with %j, is pulled %i times, whatever its tag", async (policy, times) => {
    const { supervisor, create, pulls } = await worldWithImage();

    await create(policy);

    expect([readStatus(supervisor, "echo"), pulls()]).toEqual(["running", times]);
    expect(await supervisor.plans.plan({ name: "other", image: HERE, ...policy })).toMatchObject({
      image_from: times === 1 ? "refresh" : "engine",
    });
  });

  test("that is missing is not pulled with never, and no workload remains", async () => {
    const { world, supervisor, pulls } = await worldWithImage();
    world.engine.images.delete(HERE);
    const asked = { name: "echo", image: HERE, pull_policy: "never" } as const;

    await expect(supervisor.create(asked)).rejects.toMatchObject({
      code: "IMAGE_NOT_FOUND",
      message: expect.stringContaining("--pull never"),
    });
    await expect(supervisor.plans.plan(asked)).rejects.toMatchObject({ code: "IMAGE_NOT_FOUND" });
    expect([supervisor.list(), pulls()]).toEqual([[], 0]);
  });

  test("that cannot be pulled with always is not replaced by the one that is here", async () => {
    const { world, supervisor, create } = await worldWithImage();
    world.engine.registry.delete(HERE);

    await expect(create({ pull_policy: "always" })).rejects.toMatchObject({ code: "IMAGE_NOT_FOUND" });
    expect(supervisor.list()).toEqual([]);
  });

  test("of a package is built again by a restart with a pull, and its server runs from the new one", async () => {
    const { world, supervisor } = await worldWithImage();
    await supervisor.create({ name: "packed", image: "npx://server" });
    await time.advanceUntil(() => readStatus(supervisor, "packed") === "running", "the end of the start");
    const before = world.config("packed")?.image;

    await (await supervisor.restart("packed")).done;
    await (await supervisor.restart("packed", { pull: true })).done;

    const count = (name: string) => world.engine.calls.filter((call) => call === name).length;
    // Each build is followed by one that keeps the layers that packages share.
    expect([count("buildImage"), count("pullImage"), count("createContainer")]).toEqual([4, 0, 2]);
    expect([readStatus(supervisor, "packed"), world.config("packed")?.image]).toEqual(["running", before]);
  });

  test("of a package has no pull policy", async () => {
    const { supervisor } = await worldWithImage();

    await expect(supervisor.create({ image: "npx://server", pull_policy: "always" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });
});

describe("a restart", () => {
  test("with pull makes the container anew from the newest image", async () => {
    const { world, supervisor, create, pulls } = await worldWithImage();
    await create({});
    const before = world.engine.find("echo");
    let startedNew = false;
    const newer: FakeServer = (process) => {
      startedNew = true;
      answeringServer(process);
    };
    world.engine.registry.set(HERE, newer);

    await (await supervisor.restart("echo", { pull: true })).done;

    expect([readStatus(supervisor, "echo"), pulls(), startedNew]).toEqual(["running", 1, true]);
    expect(world.engine.find("echo")).not.toBe(before);
  });

  test("with pull of what cannot be pulled changes nothing", async () => {
    const { world, supervisor, create } = await worldWithImage();
    await create({});
    const before = world.engine.find("echo");
    world.engine.registry.delete(HERE);

    await expect(supervisor.restart("echo", { pull: true })).rejects.toMatchObject({ code: "IMAGE_NOT_FOUND" });

    expect([readStatus(supervisor, "echo"), before?.isRunning, before?.starts]).toEqual(["running", true, 1]);
  });

  test.each(["running", "stopped"] as const)("of one that is %s moves it to another port for good", async (status) => {
    const { world, supervisor, create } = await worldWithImage();
    await create({ proxy_port: 12_345 });
    if (status === "stopped") await (await supervisor.stop("echo")).done;

    await (await supervisor.restart("echo", { proxyPort: 12_346 })).done;

    expect([...world.network.endpoints.keys()]).toEqual([12_346]);
    expect(supervisor.describe("echo")).toMatchObject({ status: "running", port: 12_346 });
    expect(world.config("echo")?.port).toBe(12_346);
    expect(world.bugs).toEqual([]);
  });

  test("to a port that is taken names who has it, and changes nothing", async () => {
    const { world, supervisor, create } = await worldWithImage();
    await create({ proxy_port: 12_345 });
    await supervisor.create({ name: "other", image: HERE, proxy_port: 12_346 });
    world.portOwners.set(12_347, "nginx (pid 4711)");
    const taken = { name: "x", host: "127.0.0.1", port: 12_347 };
    await world.network.open(taken);

    await expect(supervisor.restart("echo", { proxyPort: 12_346 })).rejects.toMatchObject({
      code: "PORT_IN_USE",
      message: 'Port 12346 on 127.0.0.1 is in use by the server "other".',
      hint: "Choose another one: thv restart echo --proxy-port 12347",
    });
    await expect(supervisor.restart("echo", { proxyPort: 12_347 })).rejects.toThrow("by nginx (pid 4711).");
    await expect(supervisor.create({ name: "third", image: HERE, proxy_port: 12_346 })).rejects.toMatchObject({
      message: 'Port 12346 on 127.0.0.1 is in use by the server "other".',
      hint: "Choose another one with --proxy-port, or leave it out.",
    });
    expect(supervisor.describe("echo")).toMatchObject({ status: "running", port: 12_345 });
  });

  test("of one whose port another has got meanwhile says so, and how to move it", async () => {
    const { supervisor, create } = await worldWithImage();
    await create({ proxy_port: 12_345 });
    await (await supervisor.stop("echo")).done;
    await supervisor.create({ name: "other", image: HERE, proxy_port: 12_345 });

    await (await supervisor.restart("echo")).done;

    expect(catchErrorCode(supervisor, "echo")).toBe("PORT_IN_USE");
    expect(supervisor.describe("echo").error).toMatchObject({
      message: 'Port 12345 on 127.0.0.1 is in use by the server "other".',
      hint: "Choose another one: thv restart echo --proxy-port 12346",
    });
    await (await supervisor.restart("echo", { proxyPort: 12_346 })).done;
    expect(readStatus(supervisor, "echo")).toBe("running");
  });
});
