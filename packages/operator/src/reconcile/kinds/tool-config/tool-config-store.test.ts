import { beforeEach, expect, test } from "vitest";
import { createServer } from "../../../testing/servers.ts";
import { ToolConfigStore } from "./tool-config-store.ts";
import { computeToolConfigStatus } from "./write-tool-config-status.ts";

const NOW = "2026-01-01T00:00:00Z";
const KEY = "tools/few/mcptoolconfigs";
const USER = createServer({ toolConfigRef: { name: "few" } });
const createObject = (generation = 1, name = "few") => ({
  metadata: { name, namespace: "tools", uid: "u", generation },
  spec: { toolsFilter: ["echo"] },
});

let changed: string[] = [];
let forgotten: string[] = [];
let store: ToolConfigStore;
beforeEach(() => {
  changed = [];
  forgotten = [];
  store = new ToolConfigStore({ changed: (key) => changed.push(key), forgotten: (key) => forgotten.push(key) });
});

test("a choice that is added, changed or deleted is reported to every object that names it", () => {
  const handlers = store.follow("tools");
  store.track("tools/weather", USER, undefined);
  expect(store.findFor(USER)).toBeUndefined();

  handlers.set(createObject());
  expect(store.findFor(USER)).toEqual({ toolsFilter: ["echo"] });
  expect(changed).toEqual([KEY, "tools/weather"]);

  handlers.set(createObject());
  expect(changed.slice(2), "only its status is another one").toEqual([KEY]);
  handlers.set(createObject(2));
  expect(changed.slice(3)).toEqual([KEY, "tools/weather"]);

  handlers.remove(createObject(2));
  expect(store.findFor(USER)).toBeUndefined();
  expect(forgotten).toEqual([KEY]);
  expect(changed.slice(5)).toEqual(["tools/weather"]);
});

test("a list without it is as good as its deletion, in its namespace", () => {
  const handlers = store.follow(undefined);
  handlers.set(createObject());
  const other = store.follow("other");

  other.begin();
  other.end();
  expect(store.configs.size).toBe(1);
  handlers.begin();
  handlers.end();
  expect(store.configs.size).toBe(0);
});

test("it says who names it, in alphabetical order, and no longer", () => {
  store.follow("tools").set(createObject());
  const other = createServer({ toolConfigRef: { name: "few" } }, { name: "echo" });
  store.track("tools/weather", USER, undefined);
  store.track("tools/echo", other, undefined);
  expect(store.listUsers(createObject())).toEqual(["MCPServer/echo", "MCPServer/weather"]);

  store.track("tools/echo", createServer({}, { name: "echo" }), other);
  store.track("tools/weather", undefined, USER);
  expect(store.listUsers(createObject())).toEqual([]);
});

test("its status says whether it can be used, and keeps the time of a condition", () => {
  const config = createObject(3);
  const status = computeToolConfigStatus(config, ["MCPServer/weather"], NOW);

  expect(status).toMatchObject({
    observedGeneration: 3,
    referencingServers: ["MCPServer/weather"],
    conditions: ["Valid", "Ready"].map((type) => ({ type, status: "True", reason: "Valid", lastTransitionTime: NOW })),
  });
  const later = computeToolConfigStatus({ ...config, status }, [], "2026-02-02T00:00:00Z");
  expect(later.conditions?.[0]?.lastTransitionTime).toBe(NOW);
  expect(computeToolConfigStatus({ ...config, spec: {} }, [], NOW).conditions).toMatchObject([
    { type: "Valid", status: "False", reason: "Invalid" },
    { type: "Ready", status: "False", reason: "Invalid" },
  ]);
});
