import { describe, expect, test } from "vitest";
import type { Group } from "../../store/group-places.ts";
import {
  countReady,
  countTools,
  describeTools,
  listTroubles,
  nameEntry,
  toConnectCommand,
  toCreateCommand,
  toRemoveCommand,
} from "./group-words.ts";

const WORK: Group = {
  name: "work",
  registered_clients: [],
  url: "http://127.0.0.1:18437/mcp",
  port: 18437,
  naming: "auto",
  workloads: [
    { name: "fetch", state: "ready", tools: 2 },
    { name: "memory", state: "stopped", reason: "it is stopped", tools: 0 },
    { name: "notion", state: "starting", tools: 0 },
    { name: "time", state: "ready", tools: 3 },
  ],
};

describe("what is missing of a group", () => {
  test("is each server that is not ready, with its reason where there is one", () => {
    expect(listTroubles(WORK)).toEqual([
      { server: "memory", state: "stopped", reason: "" },
      { server: "notion", state: "starting", reason: "" },
    ]);
    expect([countReady(WORK), countTools(WORK)]).toEqual([2, 5]);
  });

  test("is first its own address, when that does not answer", () => {
    const group = { ...WORK, problem: "Port 18437 is in use.", workloads: [] };
    expect(listTroubles(group)).toEqual([{ state: "unavailable", reason: "Port 18437 is in use." }]);
  });

  test("is nothing where there is no address: servers of default are no more than themselves", () => {
    const { url: _url, port: _port, naming: _naming, ...rest } = WORK;
    expect(listTroubles({ ...rest, name: "default" })).toEqual([]);
  });
});

test("tools of a server are counted, those that are hidden besides", () => {
  expect(describeTools({ name: "fetch", state: "ready", tools: 2 })).toBe("2");
  expect(describeTools({ name: "fetch", state: "ready", tools: 0, hidden_tools: 15 })).toBe(
    "0 of 15; the others are hidden",
  );
});

test("the commands that do the same name what is chosen, quoted for a shell", () => {
  expect(toCreateCommand("", "auto")).toBe("thv group create NAME");
  expect(toCreateCommand("my group", "always")).toBe("thv group create 'my group' --naming always");
  expect(toRemoveCommand("work", false)).toBe("thv group rm work");
  expect(toRemoveCommand("work", true)).toBe("thv group rm work --with-workloads");
  expect(toConnectCommand("", "work")).toBe("thv client register NAME --group work");
  expect(toConnectCommand("cursor", "work")).toBe("thv client register cursor --group work");
  expect(nameEntry("work")).toBe("thv-work");
});
