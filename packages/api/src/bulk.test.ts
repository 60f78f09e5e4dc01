import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServedWorld } from "./testing/served-world.ts";

const WAIT = { timeout: 20_000, interval: 5 };
const BASE = "/api/v1beta/workloads";

let served: ServedWorld;
beforeEach(async () => {
  served = await ServedWorld.start();
});
afterEach(async () => {
  expect(served.bugs).toEqual([]);
  await served[Symbol.asyncDispose]();
});

async function post(path: string, value: unknown): Promise<[status: number, body: string]> {
  const { status, body } = await served.send("POST", `${BASE}${path}`, { body: JSON.stringify(value) });
  return [status, body];
}

async function statuses(): Promise<Record<string, string>> {
  const { body } = await served.send("GET", `${BASE}?all=true`);
  const { workloads } = JSON.parse(body) as { workloads: { name: string; status: string }[] };
  return Object.fromEntries(workloads.map(({ name, status }) => [name, status]));
}

async function untilStatuses(expected: Record<string, string>): Promise<void> {
  await vi.waitFor(async () => expect(await statuses()).toEqual(expected), WAIT);
}

async function create(...names: string[]): Promise<void> {
  for (const name of names) expect((await post("", { name, image: "mcp/echo:1" }))[0]).toBe(201);
  await untilStatuses(Object.fromEntries(names.map((name) => [name, "running"])));
}

describe("several workloads", () => {
  test("are stopped, restarted and deleted by name; the others stay as they are", async () => {
    await create("one", "two", "three");

    expect(await post("/stop", { names: ["one", "two", "one"] })).toEqual([202, ""]);
    await untilStatuses({ one: "stopped", two: "stopped", three: "running" });

    expect(await post("/restart", { names: ["one"] })).toEqual([202, ""]);
    await untilStatuses({ one: "running", two: "stopped", three: "running" });

    expect(await post("/delete", { names: ["one", "two"] })).toEqual([202, ""]);
    await untilStatuses({ three: "running" });
  });

  test.each([
    { path: "/stop", after: { one: "stopped" } },
    { path: "/restart", after: { one: "running" } },
    { path: "/delete", after: {} },
  ])("$path leaves out what does not exist", async ({ path, after }) => {
    await create("one");

    expect(await post(path, { names: ["nope", "one"] })).toEqual([202, ""]);
    await untilStatuses(after);
  });

  test("of a group are stopped, restarted and deleted by its name", async () => {
    await create("one", "two", "three");
    const group = async (method: string, path: string, value?: unknown) =>
      (await served.send(method, `/api/v1beta/groups${path}`, value ? { body: JSON.stringify(value) } : {})).status;
    expect(await group("POST", "", { name: "work" })).toBe(201);
    for (const name of ["one", "two"]) expect(await group("PUT", `/work/workloads/${name}`)).toBeLessThan(300);

    expect(await post("/stop", { group: "work" })).toEqual([202, ""]);
    await untilStatuses({ one: "stopped", two: "stopped", three: "running" });
    expect(await post("/restart", { group: "work" })).toEqual([202, ""]);
    await untilStatuses({ one: "running", two: "running", three: "running" });
    expect(await post("/delete", { group: "work", names: null })).toEqual([202, ""]);
    await untilStatuses({ three: "running" });

    expect(await post("/stop", { group: "work" })).toEqual([202, ""]);
    expect(await post("/stop", { group: "nowhere" })).toEqual([404, "Group not found\n"]);
    expect(await post("/delete", { group: "default", names: ["three"] })).toEqual([
      400,
      "Invalid selection of workloads: names and group are both given, and only one can be\n",
    ]);
    expect(await statuses()).toEqual({ three: "running" });
  });

  test("list their groups, what clients speak, the tools that were chosen and since when they run", async () => {
    const of = async (name: string) =>
      JSON.parse((await served.send("GET", `${BASE}?all=true`)).body).workloads.find(
        (workload: { name: string }) => workload.name === name,
      );
    expect((await post("", { name: "one", image: "mcp/echo:1", proxy_mode: "sse", tools: ["echo"] }))[0]).toBe(201);
    await untilStatuses({ one: "running" });

    const one = await of("one");
    expect(one).toMatchObject({ group: "default", groups: ["default"], proxy_mode: "sse", tools: ["echo"] });
    expect(Date.parse(one.started_at)).toBeGreaterThanOrEqual(Date.parse(one.created_at));
    expect(JSON.parse((await served.send("GET", `${BASE}/one`)).body)).toEqual(one);
    expect(JSON.parse((await served.send("GET", `${BASE}/one/details`)).body).started_at).toBe(one.started_at);

    await post("/stop", { names: ["one"] });
    await untilStatuses({ one: "stopped" });
    expect(await of("one")).not.toHaveProperty("started_at");
  });

  test.each(["/stop", "/restart", "/delete"])("%s does nothing when one name is invalid", async (path) => {
    await create("one");

    const [status, body] = await post(path, { names: ["one", "a$b"] });

    expect(status).toBe(400);
    expect(body).toMatch(/^Invalid workload name: invalid workload name: .*dangerous characters/);
    expect(await statuses()).toEqual({ one: "running" });
  });

  test.each(["/stop", "/restart", "/delete"])("%s without names is refused", async (path) => {
    expect(await post(path, { names: [] })).toEqual([400, "No workload names provided\n"]);
    expect(await post(path, {})).toEqual([400, "No workload names provided\n"]);
    expect(await post(path, [])).toEqual([400, "Failed to decode request\n"]);
    expect(await post(path, { names: "one" })).toEqual([
      400,
      "Failed to decode request\nnames is a string but must be a list\n",
    ]);
  });
});
