/** What the access log says of a request, and what it leaves out; and which workloads a list with labels shows. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServedWorld } from "./testing/served-world.ts";

const WAIT = { timeout: 20_000, interval: 10 };

let served: ServedWorld;
beforeEach(async () => {
  served = await ServedWorld.start();
});
afterEach(() => served[Symbol.asyncDispose]());

const lastEntry = async () => {
  await vi.waitFor(() => expect(served.requests.length).toBeGreaterThan(0), WAIT);
  return served.requests.at(-1);
};

describe("the access log", () => {
  test("names method, path, status, time and caller, under the id that the answer carries", async () => {
    const { headers } = await served.send("GET", "/api/v1beta/workloads/nope");

    expect(await lastEntry()).toEqual({
      id: headers["x-request-id"],
      method: "GET",
      path: "/api/v1beta/workloads/nope",
      from: "127.0.0.1",
      status: 404,
      ms: expect.any(Number),
    });
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("gives each request an id of its own, also those that fail before their operation", async () => {
    const ids = new Set<unknown>();
    for (const path of ["/health", "/nope", "/api/v1beta/workloads"]) {
      ids.add((await served.send("GET", path)).headers["x-request-id"]);
    }

    expect(ids.size).toBe(3);
  });

  test("holds no query, no body and no header", async () => {
    const body = JSON.stringify({ key: "k", value: "s3cret" });
    const headers = { Authorization: "Bearer s3cret" };

    await served.send("POST", "/api/v1beta/secrets/default/keys?token=s3cret", { body, headers });

    expect(JSON.stringify(await lastEntry())).not.toContain("s3cret");
  });

  test("cuts a path that is long", async () => {
    await served.send("GET", `/api/v1beta/workloads/${"x".repeat(2_000)}`);

    expect((await lastEntry())?.path.length).toBe(300);
  });
});

describe("a list with labels", () => {
  const namesFor = async (query: string) => {
    const { status, body } = await served.send("GET", `/api/v1beta/workloads?all=true${query}`);
    return status === 200 ? (JSON.parse(body).workloads as { name: string }[]).map(({ name }) => name) : status;
  };

  test.each([
    ["", ["one", "three", "two"]],
    ["&label=team%3Dmaps", ["one", "two"]],
    ["&label=team=maps,tier=gold", ["one"]],
    ["&label=team=maps&label=tier=gold", ["one"]],
    ["&label=team=other", []],
    ["&label=", ["one", "three", "two"]],
    ["&label=team", 400],
    ["&label==maps", 400],
  ])("%j shows %j", async (query, expected) => {
    await served.supervisor.create({ image: "mcp/echo:1", name: "one", labels: { team: "maps", tier: "gold" } });
    await served.supervisor.create({ image: "mcp/echo:1", name: "two", labels: { team: "maps" } });
    await served.supervisor.create({ image: "mcp/echo:1", name: "three" });

    expect(await namesFor(query)).toEqual(expected);
  });
});
