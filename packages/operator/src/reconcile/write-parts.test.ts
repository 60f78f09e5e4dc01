import { describe, expect, test } from "vitest";
import { ClusterError } from "../cluster/index.ts";
import { formatObjectKey, type JsonObject, nameObjects, type Proxied } from "../contract/index.ts";
import { namePart, OWNED_KINDS, PART_DEFINITIONS, type Part } from "../desired/index.ts";
import { MemoryApi } from "../testing/memory-api.ts";
import { createContext, createGroupContext, createRemoteContext, TEST_SETTINGS } from "../testing/servers.ts";
import type { ServerRecord } from "./server-record.ts";
import { ServerStore } from "./server-store.ts";
import { PartRefused, writeParts } from "./write-parts.ts";

const signal = new AbortController().signal;

function openStore(...servers: readonly Proxied[]): { store: ServerStore; records: ServerRecord[] } {
  const store = new ServerStore({ settings: TEST_SETTINGS, changed: () => {}, forgotten: () => {} });
  const follow = new Map(servers.map(({ kind }) => [kind, store.followServers(kind, undefined)]));
  const records = servers.map((server) => {
    follow.get(server.kind)?.set(server);
    const record = store.records.get(formatObjectKey(server.kind, server.metadata));
    if (record === undefined) throw new Error(`${server.metadata.name} is not followed`);
    return record;
  });
  return { store, records };
}

function formatPath(part: Part, server: Proxied): string {
  const { api, plural } = OWNED_KINDS[PART_DEFINITIONS[part].kind];
  return `${api}/namespaces/${server.metadata.namespace}/${plural}/${namePart(part, server)}`;
}

const podPath = (server: Proxied) =>
  `/api/v1/namespaces/${server.metadata.namespace}/pods/${nameObjects(server).serverPod}`;

const others = (more: JsonObject = {}): JsonObject => ({ metadata: { labels: { of: "others" } }, ...more });

test.each([
  ["an MCPServer on stdio", createContext({ permissionProfile: { type: "builtin", name: "network" } })],
  ["an MCPServer on HTTP", createContext({ transport: "sse", replicas: 2, proxyReplicas: 2 })],
  ["an MCPRemoteProxy", createRemoteContext({ replicas: 2 })],
  ["an MCPGroup", createGroupContext()],
] as const)("%s whose objects are as desired is not written again", async (_what, { server }) => {
  const { store, records } = openStore(server);
  const api = new MemoryApi();
  const [record] = records as [ServerRecord];
  await writeParts(record, { client: api.client, store, signal });
  expect(api.written).toContain(formatPath("deployment", server));
  const count = api.written.length;

  // The Deployment has the id of the account, which is known once that is written.
  await writeParts(record, { client: api.client, store, signal });

  expect(api.written.slice(count)).toEqual([]);
});

test.each([
  ["an MCPServer on stdio", createContext({ permissionProfile: { type: "builtin", name: "network" } }), 1],
  ["an MCPServer on HTTP", createContext({ transport: "sse", replicas: 2, proxyReplicas: 2 }), 0],
  ["an MCPRemoteProxy", createRemoteContext({ replicas: 2 }), 0],
  ["an MCPGroup", createGroupContext(), 0],
] as const)(
  "%s is written without reading what it is made of, except a pod that would be attached to",
  async (_what, { server }, reads) => {
    const { store, records } = openStore(server);
    const api = new MemoryApi();

    await writeParts(records[0] as ServerRecord, { client: api.client, store, signal });

    expect(api.read).toEqual(Array.from({ length: reads }, () => podPath(server)));
  },
);

test("what was written before a new leader has seen it is taken over", async () => {
  const { server } = createContext();
  const { store, records } = openStore(server);
  const api = new MemoryApi();
  const [record] = records as [ServerRecord];
  await writeParts(record, { client: api.client, store, signal });
  const paths = [...api.objects.keys()];
  record.owned.clear();

  await writeParts(record, { client: api.client, store, signal });

  expect([...api.objects.keys()]).toEqual(paths);
  expect(record.owned.size).toBe(paths.length);
});

test("an API server that asks for the version of what is not there gets the object without one", async () => {
  const { server } = createContext();
  const { store, records } = openStore(server);
  const api = new MemoryApi();
  const { client } = api;
  const apply: typeof client.apply = async (path, object, options) => {
    if (object.metadata.resourceVersion !== undefined && !api.objects.has(path))
      throw new ClusterError("no such version", 409);
    return await client.apply(path, object, options);
  };

  await writeParts(records[0] as ServerRecord, { client: { ...client, apply } as typeof client, store, signal });

  expect(api.written).toContain(formatPath("deployment", server));
});

describe("an MCPServer", () => {
  test("gets the right to attach after the StatefulSet, and before its proxy", async () => {
    const { server } = createContext();
    const { store, records } = openStore(server);
    const api = new MemoryApi();
    const [record] = records as [ServerRecord];

    await writeParts(record, { client: api.client, store, signal });

    const order = ["statefulSet", "role", "roleBinding", "deployment"].map((part) =>
      api.written.indexOf(formatPath(part as Part, server)),
    );
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(order).not.toContain(-1);
  });

  test("gets no right to attach to a pod of another StatefulSet of its name", async () => {
    const { server } = createContext();
    const { store, records } = openStore(server);
    const api = new MemoryApi();
    api.add(formatPath("statefulSet", server), others({ spec: {} }));

    await expect(writeParts(records[0] as ServerRecord, { client: api.client, store, signal })).rejects.toThrow(
      'The StatefulSet "weather" is there already',
    );

    expect(api.objects.has(formatPath("role", server))).toBe(false);
    expect(api.objects.has(formatPath("roleBinding", server))).toBe(false);
  });

  test("loses that right when its StatefulSet is refused", async () => {
    const { server } = createContext();
    const { store, records } = openStore(server);
    const api = new MemoryApi();
    const [record] = records as [ServerRecord];
    await writeParts(record, { client: api.client, store, signal });
    expect(api.objects.has(formatPath("role", server))).toBe(true);
    api.objects.delete(formatPath("statefulSet", server));
    record.owned.delete("statefulSet");
    api.add(formatPath("statefulSet", server), others({ spec: {} }));

    await expect(writeParts(record, { client: api.client, store, signal })).rejects.toThrow(PartRefused);

    expect(api.objects.has(formatPath("role", server))).toBe(false);
    expect(api.objects.has(formatPath("roleBinding", server))).toBe(false);
  });

  test.each<[what: string, ownerReferences: JsonObject[] | undefined, isRefused: boolean]>([
    ["of nobody", undefined, true],
    ["of another StatefulSet", [{ controller: true, kind: "StatefulSet", name: "other" }], true],
    ["of a ReplicaSet", [{ controller: true, kind: "ReplicaSet", name: "weather" }], true],
    ["that its StatefulSet does not control", [{ kind: "StatefulSet", name: "weather" }], true],
    ["of its StatefulSet", [{ controller: true, kind: "StatefulSet", name: "weather" }], false],
  ])("with a pod of its pod's name %s: refused is %#", async (_what, ownerReferences, isRefused) => {
    const { server } = createContext();
    const { store, records } = openStore(server);
    const api = new MemoryApi();
    api.add(podPath(server), { metadata: { ownerReferences } });

    const outcome = await writeParts(records[0] as ServerRecord, { client: api.client, store, signal }).catch(String);

    expect(api.objects.has(formatPath("role", server))).toBe(!isRefused);
    if (isRefused) expect(outcome).toContain('The Pod "weather-0" is there already');
  });

  test.each<Part>(["account", "runnerConfig", "inlinePolicies", "closedNetworks", "sessionKey"])(
    "does not take somebody else's object for its %s, though their fields have no conflict",
    async (part) => {
      const { server } = createContext({
        transport: "sse",
        replicas: 2,
        authzConfig: { type: "inline", inline: { policies: ["permit(principal, action, resource);"] } },
        permissionProfile: { type: "builtin", name: "none" },
      });
      const { store, records } = openStore(server);
      const api = new MemoryApi();
      api.add(formatPath(part, server), others());

      await expect(writeParts(records[0] as ServerRecord, { client: api.client, store, signal })).rejects.toMatchObject(
        {
          reason: "NameTaken",
          message: expect.stringContaining(PART_DEFINITIONS[part].kind),
        },
      );

      expect(api.written).not.toContain(formatPath(part, server));
      expect(api.objects.get(formatPath(part, server))?.metadata.ownerReferences).toBeUndefined();
    },
  );

  test.each(["bank-remote", "bank-remote-proxy"])(
    "called %s does not take what the MCPRemoteProxy bank has, nor the other way round",
    async (name) => {
      const { server } = createContext({}, { metadata: { name, uid: "uid-of-the-server" } });
      const remote = createRemoteContext().server;
      const bank: Proxied = { ...remote, metadata: { ...remote.metadata, name: "bank", uid: "uid-of-the-remote" } };
      for (const [first, second] of [
        [server, bank],
        [bank, server],
      ] as const) {
        const { store, records } = openStore(first, second);
        const api = new MemoryApi();
        const [early, late] = records as [ServerRecord, ServerRecord];
        await writeParts(early, { client: api.client, store, signal });
        const before = new Map(api.objects);

        await expect(writeParts(late, { client: api.client, store, signal })).rejects.toMatchObject({
          reason: "NameTaken",
        });

        for (const [path, object] of before) expect(api.objects.get(path), path).toBe(object);
      }
    },
  );
});
