/** Servers that are stopped while nobody calls, on a real cluster. Their minute is two seconds here. */
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { describeCluster, type TestNamespace, waitFor } from "@toolhive/testing";
import { beforeAll, expect, test } from "vitest";
import type { MCPServer } from "../src/contract/index.ts";
import { callTool } from "../src/testing/mcp-caller.ts";
import { createServerManifest, installCrd, TestOperator, untilCondition } from "../src/testing/test-operator.ts";

const IDLE_MS = 2_000;
/** The test server does not end by itself when it speaks HTTP. */
const IDLE: Partial<MCPServer["spec"]> = {
  idle: { after: "1m" },
  podTemplateSpec: { spec: { terminationGracePeriodSeconds: 1 } },
};

async function findUrl(space: TestNamespace, name: string): Promise<URL> {
  const { clusterIP, ports } = (await space.get(`service/mcp-${name}-proxy`)).spec;
  return new URL(`http://${clusterIP}:${ports[0].port}/mcp`);
}

async function countServerPods(space: TestNamespace, name: string): Promise<number> {
  const pods = await space.list("pod", `app=${name}`);
  return pods.filter(({ metadata }: { metadata: { name: string } }) => /-\d+$/.test(metadata.name)).length;
}

async function untilAsleep(space: TestNamespace, name: string): Promise<void> {
  await untilCondition(space, name, "Ready", "Asleep");
  await waitFor(async () => (await countServerPods(space, name)) === 0, {
    what: `${name} to have no pods`,
    deadlineMs: 60_000,
    intervalMs: 200,
  });
}

describeCluster("an MCPServer that is stopped when idle", (cluster) => {
  beforeAll(() => installCrd(cluster));

  test.each(["stdio", "streamable-http"] as const)(
    "on %s has no pods while nobody calls, and the next call is answered",
    async (transport) => {
      await using space = await cluster.createNamespace();
      await using operator = await TestOperator.start(cluster, [space.name], {}, { idleAfterMs: IDLE_MS });
      await space.apply(createServerManifest("echo", { ...IDLE, transport }));
      await untilAsleep(space, "echo");

      const { status }: MCPServer = await space.get("mcpserver/echo");
      expect(status).toMatchObject({ phase: "Running" });
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "ServerReady", reason: "Asleep" }));
      const url = await findUrl(space, "echo");
      const before = operator.client.counts.writes;
      await waitFor(async () => (await fetch(new URL("/health", url))).status > 0, { what: "the proxy to answer" });
      expect(await callTool(url, "echo", { text: "good morning" })).toBe("good morning");
      expect(operator.client.counts.writes).toBeGreaterThan(before);

      // Again, with many callers at once: all wait for the same pod.
      await untilAsleep(space, "echo");
      const texts = Array.from({ length: 5 }, (_, index) => `caller ${index}`);
      expect(await Promise.all(texts.map(async (text) => await callTool(url, "echo", { text })))).toEqual(texts);
    },
  );

  test("stays awake while a client listens, and sleeps when it has gone", async () => {
    await using space = await cluster.createNamespace();
    await using operator = await TestOperator.start(cluster, [space.name], {}, { idleAfterMs: IDLE_MS });
    await space.apply(createServerManifest("echo", { ...IDLE, transport: "stdio" }));
    // On a busy machine it may be asleep again before the test reads its state; the first request wakes it.
    await waitFor(async () => ((await space.get("mcpserver/echo")) as MCPServer).status?.url, {
      what: "the address",
      deadlineMs: 60_000,
    });
    const url = await findUrl(space, "echo");
    await waitFor(async () => (await fetch(new URL("/health", url))).status > 0, { what: "the proxy to answer" });
    const open = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "listener", version: "1" } },
      }),
    });
    const session = open.headers.get("mcp-session-id") ?? "";
    await open.text();
    const listening = request(url, {
      headers: { accept: "text/event-stream", ...(session && { "mcp-session-id": session }) },
    }).end();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      listening.once("response", (response) => resolve(response.statusCode));
      listening.once("error", reject);
    });
    expect(status).toBe(200);
    // On a slow machine, the operator still compares what its own start has changed.
    const looks = await waitFor(
      async () => {
        const before = operator.reconciler.counts.reconciles;
        await delay(IDLE_MS / 2);
        return operator.reconciler.counts.reconciles === before && before;
      },
      { what: "the operator to be at rest" },
    );
    await new Promise((resolve) => setTimeout(resolve, 3 * IDLE_MS));
    expect(await countServerPods(space, "echo")).toBe(1);
    expect((await space.get("mcpserver/echo")).status.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", reason: "Running" }),
    );
    expect(operator.reconciler.counts.reconciles).toBe(looks);

    listening.destroy();

    await untilAsleep(space, "echo");
  });

  test("stays awake while one of its proxies is called", async () => {
    await using space = await cluster.createNamespace();
    await using _operator = await TestOperator.start(cluster, [space.name], {}, { idleAfterMs: IDLE_MS });
    await space.apply(createServerManifest("echo", { ...IDLE, transport: "streamable-http", proxyReplicas: 2 }));
    await untilCondition(space, "echo", "Ready", "Running");
    const url = await findUrl(space, "echo");
    // On a busy machine it may be asleep again already; the first call wakes it. From then on two callers take turns, so that one
    // of them waits for its answer at any time, however slow the machine is.
    const call = async (text: string) => expect(await callTool(url, "echo", { text })).toBe(text);
    await call("good morning");
    const stop = new AbortController();
    const callers = [1, 2].map(async (caller) => {
      while (!stop.signal.aborted) await call(`caller ${caller}`);
    });
    const read = async () => await space.list("pod", "app=echo");
    const [{ metadata }] = await read();

    await Promise.race([delay(3 * IDLE_MS), ...callers]);
    stop.abort();
    await Promise.all(callers);

    expect((await space.get(`pod/${metadata.name}`)).metadata.uid).toBe(metadata.uid);
    await untilAsleep(space, "echo");
    expect(await callTool(url, "echo", { text: "back again" })).toBe("back again");
  });

  test("sleeps on while its operator or its proxy starts again, writes nothing meanwhile, and wakes after that", async () => {
    await using space = await cluster.createNamespace();
    {
      await using _operator = await TestOperator.start(cluster, [space.name], {}, { idleAfterMs: IDLE_MS });
      await space.apply(createServerManifest("echo", IDLE));
      await untilAsleep(space, "echo");
    }
    await using operator = await TestOperator.start(cluster, [space.name], {}, { idleAfterMs: IDLE_MS });
    await delay(IDLE_MS);
    expect(operator.client.counts.writes).toBe(0);
    expect(await countServerPods(space, "echo")).toBe(0);

    const [proxy] = await space.list("pod");
    await space.kubectl("delete", "pod", proxy.metadata.name, "--wait=true");
    await space.kubectl("rollout", "status", "deployment/echo", "--timeout=60s");
    await untilAsleep(space, "echo");

    expect(await callTool(await findUrl(space, "echo"), "echo", { text: "after that" })).toBe("after that");
  });

  test("is refused without replicas, and with a time that is too short or too long", async () => {
    await using space = await cluster.createNamespace();
    const apply = async (spec: Partial<MCPServer["spec"]>) => await space.apply(createServerManifest("echo", spec));

    await expect(apply({ ...IDLE, replicas: 0 })).rejects.toThrow("spec.idle requires spec.replicas of 1 or more");
    await expect(apply({ idle: { after: "25h" } })).rejects.toThrow("spec.idle.after must be from 1m to 24h");
    await expect(apply({ idle: { after: "30s" } })).rejects.toThrow("spec.idle.after");
  });
});
