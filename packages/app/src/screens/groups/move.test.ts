import { expect, test } from "vitest";
import type { Group } from "../../store/group-places.ts";
import { canTake, listTargets } from "./move.ts";

const group = (name: string, servers: readonly string[]): Group => ({
  name,
  registered_clients: [],
  workloads: servers.map((each) => ({ name: each, state: "ready" })),
});

test("a server can be moved to every group that it is not in, and not to default", () => {
  const groups = [group("work", ["a"]), group("home", ["b"]), group("default", ["c"])];

  expect(listTargets(groups, "a")).toEqual(["home"]);
  expect(listTargets(groups, "c")).toEqual(["work", "home"]);
  expect(groups.map((each) => canTake(each, { server: "c", from: "default" }))).toEqual([true, true, false]);
  expect(canTake(group("work", []), undefined)).toBe(false);
});
