/** Servers and proxies with several pods: sessions find their way, and an update loses no call. */
import { request } from "node:http";
import { describeCluster, type TestNamespace, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../src/contract/index.ts";
import { callTool, McpCaller } from "../src/testing/mcp-caller.ts";
import { createServerManifest, installCrd, TestOperator, untilCondition } from "../src/testing/test-operator.ts";

describeCluster("a server with replicas", (cluster) => {
  let space: TestNamespace;
  let operator: TestOperator;
  beforeAll(async () => {
    await installCrd(cluster);
    space = await cluster.createNamespace("replicas");
    operator = await TestOperator.start(cluster, [space.name]);
    const spec = { replicas: 2, proxyReplicas: 2, podTemplateSpec: { spec: { terminationGracePeriodSeconds: 2 } } };
    await space.apply(createServerManifest("web", { transport: "streamable-http", ...spec }));
    const everything = { image: "docker.io/mcp/everything:test", args: ["sse"], targetPort: 3001 };
    await space.apply(createServerManifest("events", { transport: "sse", ...everything, ...spec }));
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await space?.[Symbol.asyncDispose]();
  });

  const listPods = async (selector: string): Promise<JsonObject[]> => await space.list("pod", selector);
  const listProxies = (name: string) => listPods(`toolhive-name=${name}`);
  const listServers = (name: string) => listPods(`app=${name}`);
  const isReady = ({ status }: JsonObject): boolean =>
    (status.conditions ?? []).some(({ type, status }: JsonObject) => type === "Ready" && status === "True");
  const untilRunning = async (name: string) => await untilCondition(space, name, "Ready", "Running");
  const findAddress = async (name: string, path: string): Promise<URL> => {
    const { status } = await untilRunning(name);
    const url = new URL(path, status?.url);
    url.hostname = (await space.get(`service/mcp-${name}-proxy`)).spec.clusterIP;
    return url;
  };

  /** One message to one pod, under the Service's name. */
  const post = (pod: JsonObject, body: object, session?: string) =>
    new Promise<{ readonly status: number; readonly session: string; readonly text: string }>((resolve, reject) => {
      const headers = {
        host: `mcp-web-proxy.${space.name}.svc:8080`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session !== undefined && { "mcp-session-id": session }),
      };
      const sent = request({ host: pod.status.podIP, port: 8080, path: "/mcp", method: "POST", headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        answer.on("end", () =>
          resolve({ status: answer.statusCode ?? 0, session: String(answer.headers["mcp-session-id"] ?? ""), text }),
        );
      });
      sent.on("error", reject).end(JSON.stringify({ jsonrpc: "2.0", ...body }));
    });
  const initialize = (pod: JsonObject) => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0" } };
    return post(pod, { id: 1, method: "initialize", params });
  };
  const echo = (pod: JsonObject, text: string, session: string) =>
    post(pod, { id: 2, method: "tools/call", params: { name: "echo", arguments: { text } } }, session);

  test("has budgets and spread pods, and a key that nobody sees in a pod's specification", async () => {
    await untilRunning("web");
    for (const budget of ["web-server", "web-proxy"]) {
      const { spec, status } = await space.get(`poddisruptionbudget/${budget}`);
      expect([spec.maxUnavailable, status.expectedPods]).toEqual([1, 2]);
    }
    const deployment = await space.get("deployment/web");
    expect(deployment.spec.template.spec.topologySpreadConstraints).toHaveLength(1);
    const { data } = await space.get("secret/web-sessions");
    expect(Buffer.from(data.key, "base64")).toHaveLength(32);
    expect(JSON.stringify(deployment)).not.toContain(data.key);
    expect(await space.get("secret/nothing-sessions")).toBeUndefined();
  });

  test("answers in a session at every proxy, wherever it began", async () => {
    await untilRunning("web");
    const proxies = await listProxies("web");
    expect(proxies).toHaveLength(2);
    const sessions = await Promise.all(proxies.flatMap((pod) => [1, 2, 3].map(() => initialize(pod))));

    for (const { session } of sessions) {
      for (const pod of proxies) {
        const answer = await echo(pod, "across", session);
        expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("across")]);
      }
    }
  });

  test("loses the sessions of a pod that is gone, and no others", async () => {
    await untilRunning("web");
    await waitFor(async () => (await listServers("web")).filter(isReady).length === 2, {
      what: "both pods to be ready",
    });
    const [proxy] = await listProxies("web");
    if (proxy === undefined) throw new Error("there is no proxy");
    const sessions = await Promise.all(Array.from({ length: 8 }, () => initialize(proxy)));
    const [server] = await listServers("web");

    await space.kubectl("delete", "pod", server?.metadata.name, "--force", "--grace-period=0");

    const statuses = await waitFor(
      async () => {
        const answers = await Promise.all(sessions.map(({ session }) => echo(proxy, "still", session)));
        const found = answers.map(({ status }) => status);
        return found.every((status) => status === 200 || status === 404) && found;
      },
      { what: "each session to be served or unknown", deadlineMs: 60_000 },
    );
    // New sessions are shared among the pods in turn.
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    // Until the proxy has seen that the pod is gone, it answers 502 with Retry-After to some.
    await waitFor(async () => (await initialize(proxy)).status === 200, { what: "a new session" });
    await untilRunning("web");
  });

  test("on HTTP with SSE answers whichever proxies and pods a client meets", async () => {
    const url = await findAddress("events", "/sse");

    const answers = await Promise.all(["a", "b", "c", "d"].map((message) => callTool(url, "echo", { message })));

    expect(answers).toEqual(["Echo: a", "Echo: b", "Echo: c", "Echo: d"]);
  });

  test("loses no call while its proxies are replaced under load", async () => {
    const url = await findAddress("web", "/mcp");
    const replaced = (await listProxies("web")).map(({ metadata }) => metadata.uid);
    const over = new AbortController();
    const failures: string[] = [];
    let calls = 0;
    const work = async (client: number) => {
      await using caller = await McpCaller.open(url);
      while (!over.signal.aborted) {
        const text = `${client}-${calls}`;
        calls += 1;
        const answer = await caller.call("echo", { text }).catch(String);
        if (answer !== text) failures.push(answer);
      }
    };
    const clients = Array.from({ length: 4 }, (_none, client) => work(client));

    await space.kubectl("rollout", "restart", "deployment/web");
    await space.kubectl("rollout", "status", "deployment/web", "--timeout=120s");
    // Those that were replaced still answer what they were asked.
    await waitFor(async () => (await listProxies("web")).every(({ metadata }) => !replaced.includes(metadata.uid)), {
      what: "the proxies of before to be gone",
      deadlineMs: 90_000,
    });
    over.abort();
    await Promise.all(clients);

    expect(calls).toBeGreaterThan(50);
    expect(failures).toEqual([]);
  });

  test("keeps its key over a new operator, and gets it back when it is deleted", async () => {
    await untilRunning("web");
    const { data } = await space.get("secret/web-sessions");
    await operator[Symbol.asyncDispose]();
    operator = await TestOperator.start(cluster, [space.name]);
    expect((await space.get("secret/web-sessions")).data.key).toBe(data.key);

    await space.kubectl("delete", "secret", "web-sessions");
    const again = await waitFor(() => space.get("secret/web-sessions"), { what: "the key to come back" });
    expect(again.data.key).toBe(data.key);
  });
});
