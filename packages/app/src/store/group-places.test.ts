import { expect, test } from "vitest";
import { type Group, indexByServer, listGroupServers } from "./group-places.ts";

const group = (name: string, ...servers: string[]): Group => ({
  name,
  registered_clients: [],
  workloads: servers.map((server) => ({ name: server, state: "ready", tools: 1 })),
});
const GROUPS = [group("default", "alone", "fetch"), group("home", "fetch"), group("work", "fetch", "memory")];

test("a server knows its groups in their order, and default is none of them", () => {
  expect(Object.fromEntries(indexByServer(GROUPS))).toEqual({ fetch: ["home", "work"], memory: ["work"] });
});

test("a group knows its servers, and one that does not exist has none to know", () => {
  expect([...(listGroupServers(GROUPS, "default") ?? [])]).toEqual(["alone", "fetch"]);
  expect(listGroupServers(GROUPS, "nowhere")).toBeUndefined();
});
