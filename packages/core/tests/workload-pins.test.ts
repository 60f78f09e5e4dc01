/** Pinned tools of a workload: at its endpoint, over restarts and other settings, until it is removed. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CreateRequest } from "../src/index.ts";
import { answeringServer } from "../src/testing/fake-server.ts";
import { FakeTime, settle } from "../src/testing/fake-time.ts";
import { readStatus, World } from "../src/testing/world.ts";

const PORT = 12_345;
const SERVERS: readonly (readonly [string, Partial<CreateRequest>])[] = [
  ["in a container", { image: "mcp/echo:1" }],
  ["elsewhere", { image: "https://mcp.example.com/mcp" }],
];

let time: FakeTime;
beforeEach(() => {
  time = new FakeTime();
});
afterEach(() => time[Symbol.dispose]());

describe.each(SERVERS)("pinned tools of a server %s", (_where, request) => {
  async function runServer(world: World, more: Partial<CreateRequest>) {
    const { supervisor, life } = await world.boot();
    await supervisor.create({ name: "echo", proxy_port: PORT, image: "", ...request, ...more });
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the start");
    const edit = async (changed: Partial<CreateRequest>) => {
      await supervisor.edits.edit("echo", { image: "", proxy_port: PORT, ...request, ...changed });
    };
    return { supervisor, life, edit };
  }

  const findEndpoint = (world: World) => world.network.endpoints.get(PORT);

  function listTools(world: World, ...tools: { readonly name: string; readonly title?: string }[]) {
    const page = { tools: tools.map((definition) => ({ name: definition.name, definition })), next: undefined };
    return findEndpoint(world)?.pins?.review(page);
  }

  test("are those that were seen, unless somebody turns them off", async () => {
    const world = new World();
    const { supervisor, edit } = await runServer(world, {});
    listTools(world, { name: "add" });
    expect(listTools(world, { name: "add", title: "x" }, { name: "new" })).toEqual([
      { definition: '{"name":"add"}' },
      "unchanged",
    ]);
    expect(supervisor.describe("echo").toolDifferences).toBe(1);
    expect(findEndpoint(world)?.pins?.findRefusal("add")).toContain("thv tools accept echo");
    await edit({ changed_tools: "allow" });
    expect(findEndpoint(world)?.pins?.findRefusal("add")).toBeUndefined();
    expect(supervisor.describe("echo").toolDifferences).toBe(1);
    expect(world.config("echo")).not.toHaveProperty("pin_tools");
    await settle();

    await edit({ pin_tools: "off" });
    expect([supervisor.describe("echo").toolDifferences, world.toolPins.size]).toEqual([undefined, 0]);
    expect(world.bugs).toEqual([]);
  });

  test("are none where they are off", async () => {
    const world = new World();
    world.toolPins.set("echo", "{}");
    const { supervisor } = await runServer(world, { pin_tools: "off" });

    expect(findEndpoint(world)?.pins).toBeUndefined();
    expect(await supervisor.getUsable("echo").describePins()).toBeUndefined();
    await expect(supervisor.edits.acceptTools("echo")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      hint: "Pin them: thv tools pin echo",
    });
    expect([world.config("echo"), world.toolPins.size]).toEqual([expect.objectContaining({ pin_tools: "off" }), 0]);
  });

  test("are kept over a restart and by the next supervisor, until the workload is removed", async () => {
    const world = new World();
    const { supervisor, life } = await runServer(world, { pin_tools: "all" });
    expect(world.config("echo")).toMatchObject({ pin_tools: "all" });
    listTools(world, { name: "add" });
    const news = findEndpoint(world)?.pinNews ?? 0;
    await (await supervisor.restart("echo")).done;
    // Clients that stayed list the tools of the new process.
    expect(findEndpoint(world)?.pinNews).toBeGreaterThan(news);
    expect(listTools(world, { name: "add", title: "x" })).toEqual([{ definition: '{"name":"add"}' }]);
    await settle();
    life.kill();

    const next = (await world.boot()).supervisor;
    await time.advanceUntil(() => readStatus(next, "echo") === "running", "the next supervisor");

    expect(findEndpoint(world)?.pins?.findRefusal("add")).toContain("has changed");
    expect(await next.getUsable("echo").describePins()).toMatchObject({
      differences: [{ name: "add", kind: "changed" }],
    });
    expect((await next.edits.acceptTools("echo")).differences).toEqual([]);
    expect(findEndpoint(world)?.pins?.findRefusal("add")).toBeUndefined();
    await (await next.delete("echo")).done;
    expect([readStatus(next, "echo"), world.toolPins.size]).toEqual(["absent", 0]);
    expect(world.bugs).toEqual([]);
  });

  test("that a new start words in another order are a change where another image runs, and nowhere else", async () => {
    const world = new World();
    const { supervisor, edit } = await runServer(world, {});
    world.engine.images.set("mcp/echo:2", answeringServer);
    const isRemote = supervisor.describe("echo").isRemote === true;
    listTools(world, { name: "add", title: "one, two" });
    // In the process that has said the first one, it is a change.
    listTools(world, { name: "add", title: "two, one" });
    expect(findEndpoint(world)?.pins?.findRefusal("add")).toContain("has changed");

    await (await supervisor.restart("echo")).done;
    expect(listTools(world, { name: "add", title: "two, one" })).toEqual([
      { definition: '{"name":"add","title":"one, two"}' },
    ]);
    const [refusal, report] = [
      findEndpoint(world)?.pins?.findRefusal("add"),
      await supervisor.getUsable("echo").describePins(),
    ];
    if (isRemote) {
      expect([refusal, report?.reordered]).toEqual([expect.stringContaining("has changed"), []]);
      return;
    }
    expect([refusal, report?.reordered]).toEqual([undefined, ["add"]]);

    await edit({ image: "mcp/echo:2" });
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the start of the other image");
    listTools(world, { name: "add", title: "two, one" });
    expect(findEndpoint(world)?.pins?.findRefusal("add")).toContain("has changed");
  });

  test("are said not to be saved while they are not", async () => {
    const world = new World();
    const { supervisor } = await runServer(world, {});
    world.toolPinProblem = new Error("no space left on device");
    listTools(world, { name: "add" });
    await settle();
    const { toolWarnings, warnings } = supervisor.describe("echo");
    expect(toolWarnings).toEqual([expect.stringContaining("no space left on device")]);
    expect(warnings).toEqual(expect.arrayContaining([...(toolWarnings ?? [])]));

    world.toolPinProblem = undefined;
    await time.advance(1_100);

    expect([supervisor.describe("echo").toolWarnings, world.toolPins.size]).toEqual([undefined, 1]);
  });

  test("begin and end while it runs: its server and its endpoint stay", async () => {
    const world = new World();
    const { supervisor, edit } = await runServer(world, { pin_tools: "off" });
    const [endpoint, container] = [findEndpoint(world), world.engine.find("echo")];
    const history = [...(endpoint?.history ?? [])];

    await edit({ pin_tools: "all" });
    expect(listTools(world, { name: "add" })).toEqual(["unchanged"]);
    expect(await supervisor.getUsable("echo").describePins()).toMatchObject({ tools: [{ name: "add" }] });
    await settle();
    expect(world.toolPins.size).toBe(1);

    await edit({ pin_tools: "all", tools: ["add"] });
    expect(await supervisor.getUsable("echo").describePins()).toMatchObject({ tools: [{ name: "add" }] });

    await edit({ tools: ["add"] });
    expect(listTools(world, { name: "add" }, { name: "new" })).toEqual(["unchanged", "unchanged"]);
    expect(world.config("echo")).not.toHaveProperty("pin_tools");

    await edit({ tools: ["add"], pin_tools: "off" });
    expect([endpoint?.pins, world.toolPins.size]).toEqual([undefined, 0]);
    expect(findEndpoint(world)).toBe(endpoint);
    expect(world.engine.find("echo")).toBe(container);
    expect(endpoint?.history).toEqual(history);
  });

  test("that cannot be read keep its server from being offered, and end by being turned off", async () => {
    const world = new World();
    world.toolPins.set("echo", "{");
    const { supervisor } = await world.boot();
    await supervisor.create({ name: "echo", proxy_port: PORT, image: "", ...request, pin_tools: "all" });
    await time.advanceUntil(() => readStatus(supervisor, "echo") === "error", "the failure");
    expect(supervisor.describe("echo").error).toMatchObject({ code: "STATE_CORRUPT" });

    await supervisor.edits.edit("echo", { image: "", ...request, pin_tools: "off" });
    await (await supervisor.restart("echo")).done;

    await time.advanceUntil(() => readStatus(supervisor, "echo") === "running", "the start");
    expect(world.toolPins.size).toBe(0);
  });
});
