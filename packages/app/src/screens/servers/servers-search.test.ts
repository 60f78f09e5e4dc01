import { describe, expect, test } from "vitest";
import type { Workload } from "../../store/live-store.ts";
import { readServersSearch, selectServers } from "./servers-search.ts";

const server = (name: string, more: Partial<Workload> = {}) =>
  ({ name, status: "running", package: "mcp/echo", transport_type: "stdio", ...more }) as Workload;
const ALL = [server("fetch"), server("memory", { asleep: true }), server("time", { status: "stopped" })];
const names = (...given: Parameters<typeof selectServers>) => selectServers(...given).map(({ name }) => name);

describe("the servers that are shown", () => {
  test("are those of the group, and of these the ones that the rest of the address asks for", () => {
    const members = new Set(["memory", "time"]);
    expect(names(ALL, {}, members)).toEqual(["memory", "time"]);
    expect(names(ALL, { show: "running" }, members)).toEqual(["memory"]);
    expect(names(ALL, {}, new Set())).toEqual([]);
    expect(names(ALL, {})).toEqual(["fetch", "memory", "time"]);
  });

  test("are found by the word that their row has: one that sleeps is asleep, and runs all the same", () => {
    expect(names(ALL, { q: "asleep" })).toEqual(["memory"]);
    expect(names(ALL, { show: "running" })).toEqual(["fetch", "memory"]);
  });
});

test("the servers are sorted by their calls and by their last use, the most used first", () => {
  const usage = new Map([
    ["memory", { calls: 7, last_used_at: "2026-11-01T00:00:00Z" }],
    ["time", { calls: 2, last_used_at: "2026-11-26T00:00:00Z" }],
  ]);
  expect(names(ALL, { sort: "calls" }, undefined, usage)).toEqual(["memory", "time", "fetch"]);
  expect(names(ALL, { sort: "used" }, undefined, usage)).toEqual(["time", "memory", "fetch"]);
  expect(names(ALL, { sort: "calls", down: true }, undefined, usage)).toEqual(["fetch", "time", "memory"]);
});

test("the group stands in the address, of which nonsense is left out", () => {
  expect(readServersSearch({ group: "work" })).toEqual({ group: "work" });
  expect(readServersSearch({ group: 7 })).toEqual({ group: "7" });
  expect(readServersSearch({ group: "" })).toEqual({});
  expect(readServersSearch({ group: ["work"] })).toEqual({});
  expect(readServersSearch({ group: "x".repeat(200) }).group).toHaveLength(100);
});
