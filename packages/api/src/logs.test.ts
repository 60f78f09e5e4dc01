/** The log of a server and of its proxy, as text and together. */

import { mergeLines } from "@toolhive/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiClient } from "./client.ts";
import { ServedWorld } from "./testing/served-world.ts";

const WAIT = { timeout: 10_000, interval: 5 };

describe("the logs of a workload", () => {
  let served: ServedWorld;
  let client: ApiClient;
  const params = { name: "talks" };
  const say = (text: string) => served.world.proxyLogs.wrap(QUIET, "talks").warn({}, text);
  beforeEach(async () => {
    served = await ServedWorld.start();
    client = new ApiClient({ host: "127.0.0.1", port: served.port });
    await client.call("createWorkload", { body: { image: "mcp/echo:1", name: "talks" } });
    await vi.waitFor(() => expect(served.supervisor.describe("talks").status).toBe("running"), WAIT);
    await vi.waitFor(async () => expect(await client.call("getWorkloadLogs", { params })).toBe("echo: ready\n"), WAIT);
  });
  afterEach(async () => {
    expect(served.bugs).toEqual([]);
    await served[Symbol.asyncDispose]();
  });

  test("of the proxy say what became of it, as text, with and without moments", async () => {
    say("slow reader dropped");

    const text = await client.call("getProxyLogs", { params });
    const newest = await client.call("getProxyLogs", { params, query: { tail: "1", timestamps: "true" } });

    expect(text).toMatch(/^status from=starting to=running\n(.*\n)*slow reader dropped\n$/);
    expect(newest).toMatch(/^\d{4}-\d\d-\d\dT\S+Z slow reader dropped\n$/);
  });

  test("together hold both, each line with its source, and are followed until the server stops", async () => {
    const whole: unknown[] = [];
    for await (const line of client.stream("watchWorkloadLogs", { params })) whole.push(line);
    const lines = client.stream("watchWorkloadLogs", { params, query: { follow: "true", tail: "0" } });
    const first = lines.next();
    await vi.waitFor(() => expect(served.server.openRequests).toBe(1), WAIT);
    say("of the proxy");
    const { value } = await first;
    await client.call("stopWorkload", { params });
    const rest: string[] = [];
    for await (const line of lines) rest.push(`${line.source} ${line.text}`);

    const at = expect.any(String);
    expect(whole).toContainEqual({ source: "server", text: "echo: ready", at });
    expect(whole).toContainEqual({ source: "proxy", level: "info", text: "status from=starting to=running", at });
    expect(value).toEqual({ source: "proxy", level: "warn", text: "of the proxy", at });
    expect(rest).toContain("proxy status from=running to=stopping");
    await vi.waitFor(() => expect(served.server.openRequests).toBe(0), WAIT);
  });

  test.each(["getProxyLogs", "watchWorkloadLogs"] as const)("%s knows only workloads that exist", async (id) => {
    await expect(client.call(id, { params: { name: "nothing" } })).rejects.toMatchObject({
      code: "WORKLOAD_NOT_FOUND",
    });
    await expect(client.call(id, { params, query: { tail: "x" } })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("have a bound on their readers", async () => {
    const follow = () => client.stream("watchWorkloadLogs", { params, query: { follow: "true" } });
    const readers = Array.from({ length: 64 }, follow);
    for (const reader of readers) await reader.next();

    await expect(follow().next()).rejects.toMatchObject({ code: "LIMIT_REACHED", message: /64 logs are followed/ });
    for (const reader of readers) await reader.return(undefined);
    await vi.waitFor(async () => expect((await follow().next()).done).toBe(false), WAIT);
  });
});

const ignore = () => undefined;
const QUIET = { error: ignore, warn: ignore, info: ignore, debug: ignore };

describe("two logs as one", () => {
  async function* lines(...ats: (number | undefined)[]) {
    for (const at of ats) yield at === undefined ? {} : { at };
  }
  const merge = async (left: (number | undefined)[], right: number[]) => {
    const merged: (number | undefined)[] = [];
    for await (const { at } of mergeLines(lines(...left), lines(...right))) merged.push(at);
    return merged;
  };

  test.each([
    [
      [1, 3, 5],
      [2, 4, 6],
      [1, 2, 3, 4, 5, 6],
    ],
    [[], [1, 2], [1, 2]],
    [[1, 2], [], [1, 2]],
    [[1, 1], [1], [1, 1, 1]],
    [[5, undefined, 9], [7], [5, undefined, 7, 9]],
  ])("%j and %j", async (left, right, expected) => {
    expect(await merge(left, right)).toEqual(expected);
  });

  test("fail as the one of them that fails", async () => {
    async function* failing(): AsyncGenerator<{ at: number }> {
      yield { at: 1 };
      throw new Error("the engine is away");
    }
    const merged = mergeLines(failing(), lines(2));

    await expect(
      (async () => {
        for await (const _line of merged);
      })(),
    ).rejects.toThrow("the engine is away");
  });
});
