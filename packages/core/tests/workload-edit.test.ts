/** Other settings for a workload that exists: its address stays, and what ran before runs again when they do not work. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CreateRequest } from "../src/index.ts";
import { answeringServer, exitingServer, silentServer } from "../src/testing/fake-server.ts";
import { FakeTime } from "../src/testing/fake-time.ts";
import { readStatus, World } from "../src/testing/world.ts";

const HERE = "mcp/echo:1";
const PORT = 12_345;

let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => time[Symbol.dispose]());

async function worldWithWorkload(more: Partial<CreateRequest> = {}) {
  const world = new World();
  world.engine.images.set("mcp/new:1", answeringServer);
  world.engine.images.set("mcp/exits:1", exitingServer(3));
  world.engine.images.set("mcp/silent:1", silentServer);
  const { supervisor, store } = await world.boot();
  await supervisor.create({ name: "echo", image: HERE, proxy_port: PORT, env_vars: ["A=1"], ...more });
  await time.advanceUntil(() => readStatus(supervisor, "echo") !== "starting", "the start");
  /** The outcome of an edit, with time passing until there is one. */
  const edit = async (request: Partial<CreateRequest>) => {
    let isOver = false;
    const editing = supervisor.edits.edit("echo", { image: HERE, ...request }).finally(() => {
      isOver = true;
    });
    editing.catch(() => undefined);
    await time.advanceUntil(() => isOver, "the end of the edit");
    return await editing;
  };
  return { world, supervisor, store, edit };
}

const findEnv = (world: World) => world.engine.find("echo")?.spec.env;

describe("other settings of a workload that runs", () => {
  test("replace its container, and its endpoint stays open with its address, port, age and file", async () => {
    const { world, supervisor, edit } = await worldWithWorkload();
    const [endpoint, config] = [world.network.endpoints.get(PORT), world.config("echo")];
    const container = world.engine.find("echo");

    const workload = await edit({ name: "echo", image: "mcp/new:1", env_vars: ["A=2", "B=3"] });

    expect(workload).toMatchObject({ name: "echo", status: "running", port: PORT, package: "mcp/new:1" });
    expect(world.network.endpoints.get(PORT)).toBe(endpoint);
    expect(endpoint?.history).toEqual(["connect", "disconnect", "connect"]);
    expect(world.engine.find("echo")).not.toBe(container);
    expect([world.containers, world.running]).toEqual([["echo"], ["echo"]]);
    expect(findEnv(world)).toMatchObject({ A: "2", B: "3" });
    expect(world.config("echo")).toMatchObject({ env_vars: { A: "2", B: "3" }, created_at: config?.created_at });
    expect(supervisor.list()).toHaveLength(1);
    expect(world.bugs).toEqual([]);
  });

  test("can be on another port, and a port that is taken is refused before anything changes", async () => {
    const { world, edit } = await worldWithWorkload();
    const endpoint = world.network.endpoints.get(PORT);
    await world.network.open({ name: "x", host: "127.0.0.1", port: 12_400 });

    await expect(edit({ proxy_port: 12_400 })).rejects.toMatchObject({ code: "PORT_IN_USE" });
    expect([endpoint?.history, findEnv(world)]).toMatchObject([["connect"], { A: "1" }]);

    expect(await edit({ proxy_port: 12_401 })).toMatchObject({ status: "running", port: 12_401 });
    expect([...world.network.endpoints.keys()].sort()).toEqual([12_400, 12_401]);
  });

  test.each(["allowed_hosts", "labels"] as const)("that change %s are in use afterwards", async (member) => {
    const { world, edit } = await worldWithWorkload();
    const value = member === "labels" ? { team: "maps" } : ["box.test"];

    expect(await edit({ [member]: value })).toMatchObject({ status: "running", port: PORT });

    const kept = member === "labels" ? "container_labels" : member;
    expect(world.config("echo")).toMatchObject({ [kept]: value, env_vars: {} });
    expect([...world.network.endpoints.keys()]).toEqual([PORT]);
  });

  test("can isolate its network, and open it again, with no sidecar left", async () => {
    const { world, edit } = await worldWithWorkload();

    await edit({ network_isolation: true });
    expect(world.containers).toHaveLength(2);
    await edit({ network_isolation: false });

    expect(world.containers).toEqual(["echo"]);
    expect(world.bugs).toEqual([]);
  });

  test.each([
    ["ends at once", { image: "mcp/exits:1" }, "SERVER_EXITED"],
    ["does not answer", { image: "mcp/silent:1" }, "SERVER_NOT_READY"],
  ] as const)("whose server %s give way to those before", async (_what, request, code) => {
    const { world, supervisor, edit } = await worldWithWorkload();
    const before = world.config("echo");

    await expect(edit(request)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^The new settings of "echo" did not work: .* It runs as it did before\.$/),
    });

    expect(supervisor.describe("echo")).toMatchObject({
      status: "running",
      port: PORT,
      package: HERE,
      statusContext: expect.stringContaining("did not work"),
    });
    expect([world.config("echo"), world.running, [...world.network.endpoints.keys()]]).toEqual([
      before,
      ["echo"],
      [PORT],
    ]);
    expect(findEnv(world)).toMatchObject({ A: "1" });
    expect(world.bugs).toEqual([]);
  });

  test.each([
    ["an image that is nowhere", { image: "mcp/nowhere:1" }, "IMAGE_NOT_FOUND"],
    ["another name", { name: "other" }, "INVALID_ARGUMENT"],
    ["a secret that is not there", { secrets: [{ name: "none", target: "A" }] }, "SECRET_NOT_FOUND"],
    ["a folder that is not there", { volumes: ["/nowhere/at/all:/data"] }, "INVALID_ARGUMENT"],
  ] as const)("with %s change nothing", async (_what, request, code) => {
    const { world, supervisor, edit } = await worldWithWorkload();
    const [before, container] = [world.config("echo"), world.engine.find("echo")];

    await expect(edit(request as Partial<CreateRequest>)).rejects.toMatchObject({ code });

    expect(supervisor.describe("echo")).toMatchObject({ status: "running", statusContext: "" });
    expect([world.config("echo"), world.engine.find("echo"), container?.starts]).toEqual([before, container, 1]);
  });

  test("that cannot be saved change nothing", async () => {
    const { world, supervisor, store, edit } = await worldWithWorkload();
    const before = world.config("echo");
    store.failures.push(new Error("no space left"));

    await expect(edit({ env_vars: ["A=2"], proxy_port: 12_402 })).rejects.toThrow("no space left");

    expect([world.config("echo"), readStatus(supervisor, "echo")]).toEqual([before, "running"]);
    expect([...world.network.endpoints.keys()]).toEqual([PORT]);
    expect(await edit({ env_vars: ["A=3"] })).toMatchObject({ status: "running" });
  });

  test("keep headers of telemetry, which no answer contains", async () => {
    const telemetry = { endpoint: "https://collector.test:4318" };
    const { world, edit } = await worldWithWorkload({ telemetry: { ...telemetry, headers: ["key=secret"] } });

    await edit({ telemetry: { ...telemetry, sampling_rate: 0.5 } });
    expect(world.config("echo")?.telemetry_config).toMatchObject({ SamplingRate: 0.5, Headers: { key: "secret" } });
    await edit({ telemetry: { endpoint: "https://other.test:4318" } });
    expect(world.config("echo")?.telemetry_config?.Headers).toBeUndefined();
  });
});

describe("other settings", () => {
  test("of a stopped workload are saved, and it stays stopped", async () => {
    const { world, supervisor, edit } = await worldWithWorkload();
    await (await supervisor.stop("echo")).done;

    expect(await edit({ image: "mcp/new:1" })).toMatchObject({ status: "stopped", package: "mcp/new:1" });
    expect([world.running, world.network.endpoints.size]).toEqual([[], 0]);

    await (await supervisor.restart("echo")).done;
    expect(supervisor.describe("echo")).toMatchObject({ status: "running", port: PORT });
    expect(world.engine.find("echo")?.spec.image).toBe("mcp/new:1");
  });

  test("of one that had failed are kept, whatever becomes of it", async () => {
    const { supervisor, edit } = await worldWithWorkload({ cmd_arguments: ["crash"] });
    expect(readStatus(supervisor, "echo")).toBe("error");

    expect(await edit({ image: "mcp/exits:1" })).toMatchObject({ status: "error", package: "mcp/exits:1" });
    expect(await edit({ image: "mcp/new:1" })).toMatchObject({ status: "running", port: PORT });
  });

  test("of one that is being changed are refused, and a removal meanwhile wins", async () => {
    const { world, supervisor, edit } = await worldWithWorkload();
    const first = edit({ image: "mcp/silent:1" });
    first.catch(() => undefined);
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "starting", "the new start");

    await expect(supervisor.edits.edit("echo", { image: HERE })).rejects.toMatchObject({ code: "WORKLOAD_BUSY" });
    const { done } = await supervisor.delete("echo");
    await time.advanceUntil(() => supervisor.list().length === 0, "the removal");
    await done;

    await first.catch(() => undefined);
    expect([supervisor.list(), world.containers, world.disk.size, world.network.endpoints.size]).toEqual([
      [],
      [],
      0,
      0,
    ]);
  });

  test("survive the supervisor", async () => {
    const { world, supervisor, edit } = await worldWithWorkload();
    await edit({ image: "mcp/new:1", env_vars: ["A=2"] });
    await supervisor.close({ keepContainers: true });
    const container = world.engine.find("echo");

    const next = (await world.boot()).supervisor;
    await time.advanceUntil(() => readStatus(next, "echo") === "running", "the next supervisor");

    expect(next.describe("echo")).toMatchObject({ package: "mcp/new:1", port: PORT });
    expect(world.engine.find("echo")).toBe(container);
  });
});

describe("a choice of tools", () => {
  test("is saved and in force at once: the server, its container and its endpoint stay", async () => {
    const { world, edit } = await worldWithWorkload({ tools: ["a"] });
    const [endpoint, container] = [world.network.endpoints.get(PORT), world.engine.find("echo")];
    expect(endpoint?.selection).toEqual({ tools: ["a"], toolOverrides: undefined });

    await edit({ env_vars: ["A=1"], proxy_port: PORT, tools: ["b"], tools_override: { a: { name: "b" } } });

    expect(endpoint?.selection).toEqual({ tools: ["b"], toolOverrides: { a: { name: "b" } } });
    expect(endpoint?.history).toEqual(["connect"]);
    expect(world.engine.find("echo")).toBe(container);
    expect(world.config("echo")).toMatchObject({ tools: ["b"], tools_override: { a: { name: "b" } } });

    await edit({ env_vars: ["A=1"], tools: [] });
    expect(endpoint?.selection).toEqual({});
    expect(world.config("echo")).not.toHaveProperty("tools");
  });

  test.each([
    [{ tools_override: { a: {} } }, "neither another name nor a description"],
    [{ tools_override: { a: { name: "x" }, b: { name: "x" } } }, "would both be called"],
    [{ tools: ["a\n"] }, "is no name of a tool"],
  ])("%j is refused", async (members, message) => {
    const { edit } = await worldWithWorkload();
    await expect(edit(members)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message),
    });
  });
});
