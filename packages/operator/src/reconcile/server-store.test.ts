import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject, ProxyKind } from "../contract/index.ts";
import { buildPart } from "../desired/index.ts";
import { createGroupContext, createServer, TEST_SETTINGS } from "../testing/servers.ts";
import { ServerStore } from "./server-store.ts";

const WORK = "tools/work/mcpgroups";
const { server: GROUP } = createGroupContext();
const MEMBER = createServer({ groupRef: { name: "work" } });

let changed: string[];
let store: ServerStore;
let version: number;
beforeEach(() => {
  changed = [];
  version = 0;
  store = new ServerStore({ settings: TEST_SETTINGS, changed: (key) => changed.push(key), forgotten: () => {} });
});

function set(object: JsonObject, generation = 1): void {
  version += 1;
  const metadata = { ...object.metadata, generation, resourceVersion: String(version) };
  store.followServers(object.kind as ProxyKind, undefined).set({ ...object, metadata });
}
const remove = (object: JsonObject) => store.followServers(object.kind as ProxyKind, undefined).remove(object);
const takeChanged = () => [...new Set(changed.splice(0))].sort();
const listMembers = () => {
  const record = store.records.get(WORK);
  return record && store.buildContext(record).members?.map(({ name }) => name);
};

describe("a group and a server that names it are compared again", () => {
  test("when the server joins, changes and leaves", () => {
    set(GROUP);
    takeChanged();

    set(MEMBER);
    expect(takeChanged()).toEqual(["tools/weather", WORK]);
    expect(listMembers()).toEqual(["weather"]);

    set(createServer({ groupRef: { name: "work" }, port: 9000 }), 2);
    expect(takeChanged()).toEqual(["tools/weather", WORK]);

    set(createServer({ groupRef: { name: "home" } }), 3);
    expect(takeChanged()).toEqual(["tools/weather", WORK]);
    expect(listMembers()).toEqual([]);
  });

  test("when the group comes and goes", () => {
    set(MEMBER);
    takeChanged();

    set(GROUP);
    expect(takeChanged()).toEqual(["tools/weather", WORK]);
    remove(GROUP);
    expect(takeChanged()).toEqual(["tools/weather"]);
  });

  test("and nothing else is, when a server without a group comes and goes", () => {
    set(GROUP);
    takeChanged();

    set(createServer());
    expect(takeChanged()).toEqual(["tools/weather"]);
    remove(createServer());
    expect(takeChanged()).toEqual([]);
  });
});

describe("what names a Secret is compared again", () => {
  const USER = createServer({ secrets: [{ name: "token", key: "key" }] });
  const secret = (resourceVersion: string, name = "token") => ({
    metadata: { name, namespace: "tools", resourceVersion },
  });

  test("when that changes or goes, once for each version", () => {
    const handlers = store.followReferenced("Secret", undefined);
    set(USER);
    takeChanged();

    handlers.set(secret("1"));
    handlers.set(secret("1", "other"));
    expect(changed.splice(0)).toEqual(["tools/weather"]);
    handlers.set(secret("1"));
    expect(changed.splice(0)).toEqual([]);
    handlers.set(secret("2"));
    expect(changed.splice(0)).toEqual(["tools/weather"]);
    handlers.begin();
    handlers.end();
    expect(changed.splice(0)).toEqual(["tools/weather"]);
  });

  test("and no longer, once it names another one", () => {
    const handlers = store.followReferenced("Secret", undefined);
    set(USER);
    handlers.set(secret("1"));
    set(createServer({ secrets: [{ name: "other", key: "key" }] }), 2);
    takeChanged();

    handlers.set(secret("2"));
    handlers.remove(secret("2"));
    expect(changed).toEqual([]);
    handlers.set(secret("1", "other"));
    expect(changed).toEqual(["tools/weather"]);
  });
});

describe("an object that belongs to a server is compared again", () => {
  /** The ConfigMap of its proxy as the API server has it, after each change of somebody. */
  function seeConfig(change: (object: JsonObject) => JsonObject): string[] {
    const record = store.records.get("tools/weather");
    if (record === undefined) throw new Error("The server is not known.");
    const desired = buildPart("runnerConfig", store.buildContext(record)) ?? {};
    version += 1;
    const metadata = { ...desired.metadata, uid: "uid-config", resourceVersion: String(version) };
    store.followOwned("ConfigMap", undefined).set(change({ ...desired, metadata }));
    return takeChanged();
  }

  test.each<[string, (object: JsonObject) => JsonObject]>([
    ["when somebody changes what is in it", (object) => ({ ...object, data: { ...object.data, "runner.json": "{}" } })],
    [
      "when somebody removes its digest, which the next comparison misses",
      ({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, annotations: {} } }),
    ],
  ])("%s", (_when, change) => {
    set(createServer());
    seeConfig((object) => object);
    expect(seeConfig((object) => object)).toEqual([]);

    expect(seeConfig(change)).toEqual(["tools/weather"]);
  });
});
