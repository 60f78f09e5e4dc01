/** The runner beside a server's pod on a real cluster, made by hand as the operator makes them. */
import { describeCluster, type TestNamespace, THV_IMAGE, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";
import { callTool, McpCaller } from "../src/testing/mcp-caller.ts";

const ECHO = "docker.io/toolhive-test/echo:test";
const SETTINGS = {
  name: "echo",
  transport: "stdio",
  host: "0.0.0.0",
  port: 8080,
  allowed_hosts: [],
  attach: { pod: "echo-0", container: "mcp" },
  access: {},
  has_policies: false,
};

function serverPod(command?: string[]) {
  const container = { name: "mcp", image: ECHO, imagePullPolicy: "Never", stdin: true, ...(command && { command }) };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "echo-0" },
    spec: { terminationGracePeriodSeconds: 1, containers: [container] },
  };
}

async function applyRunner(space: TestNamespace, settings: object = {}): Promise<void> {
  const config = JSON.stringify({ ...SETTINGS, namespace: space.name, ...settings });
  await space.apply({
    apiVersion: "v1",
    kind: "List",
    items: [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "echo-runner" }, data: { "runner.json": config } },
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "runner" } },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: "runner" },
        rules: [
          { apiGroups: [""], resources: ["pods"], resourceNames: ["echo-0"], verbs: ["get", "list", "watch"] },
          { apiGroups: [""], resources: ["pods/attach"], resourceNames: ["echo-0"], verbs: ["create", "get"] },
        ],
      },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: "runner" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "runner" },
        subjects: [{ kind: "ServiceAccount", name: "runner", namespace: space.name }],
      },
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "runner" },
        spec: {
          serviceAccountName: "runner",
          containers: [
            {
              name: "toolhive",
              image: THV_IMAGE,
              imagePullPolicy: "Never",
              args: ["runner"],
              readinessProbe: { httpGet: { path: "/readyz", port: 8081 }, periodSeconds: 1 },
              securityContext: { readOnlyRootFilesystem: true },
              volumeMounts: [{ name: "settings", mountPath: "/etc/toolhive/runner" }],
            },
          ],
          volumes: [{ name: "settings", configMap: { name: "echo-runner" } }],
        },
      },
    ],
  });
}

/** @returns The address of the proxy, once it is ready. */
async function untilReady(space: TestNamespace): Promise<URL> {
  await space.kubectl("wait", "--for=condition=Ready", "pod/runner", "--timeout=60s").catch(async (error) => {
    throw new Error(`${error.message}\n${await space.kubectl("logs", "runner")}`);
  });
  return new URL(`http://${(await space.get("pod/runner")).status.podIP}:8080/mcp`);
}

describeCluster("the runner of a server on stdio", (cluster) => {
  test("is ready once a tool list was answered, and offers both transports; what the server says to people is in its log", async () => {
    await using space = await cluster.createNamespace();
    await applyRunner(space);
    const reason = () =>
      space.kubectl("get", "--raw", `/api/v1/namespaces/${space.name}/pods/runner:8081/proxy/readyz`);
    await waitFor(async () => await reason().catch((error) => String(error).includes("503") || "unavailable"), {
      what: "the runner to say that it is not ready",
    });

    await space.apply(serverPod());
    const url = await untilReady(space);

    expect(await callTool(url, "echo", { text: "over http" })).toBe("over http");
    expect(await callTool(new URL("/sse", url), "echo", { text: "over sse" })).toBe("over sse");
    await callTool(url, "say", { text: "for people" });
    await waitFor(async () => (await space.kubectl("logs", "runner")).includes("for people"), { what: "the line" });
  });

  test("answers what is in flight when the server dies, and goes on with its next process in the same session", async () => {
    await using space = await cluster.createNamespace();
    await applyRunner(space);
    await space.apply(serverPod());
    const url = await untilReady(space);
    await using caller = await McpCaller.open(url);

    const sleeping = caller.call("sleep", { ms: 60_000 }).catch((error: Error) => error.message);
    await caller.call("crash", {}).catch(() => undefined);

    expect(await sleeping).toMatch(/server|connection|closed/i);
    await waitFor(async () => (await caller.call("echo", { text: "again" }).catch(() => "")) === "again", {
      what: "the next process to answer",
    });
    await space.kubectl("delete", "pod", "echo-0", "--wait=true");
    await space.apply(serverPod());
    await waitFor(async () => (await caller.call("echo", { text: "new pod" }).catch(() => "")) === "new pod", {
      what: "the next pod to answer",
    });
  });

  test("carries a message of 4 MiB each way, and 800 calls of four sessions at once, each with its own answer", async () => {
    await using space = await cluster.createNamespace();
    await applyRunner(space);
    await space.apply(serverPod());
    const url = await untilReady(space);
    await using caller = await McpCaller.open(url);

    const text = "x".repeat(4 * 1024 * 1024);
    expect(await caller.call("echo", { text })).toBe(text);
    const callers = [caller, await McpCaller.open(url), await McpCaller.open(url), await McpCaller.open(url)];
    const texts = Array.from({ length: 800 }, (_, index) => `call ${index}`);
    const calls = texts.map((text, index) => callers[index % callers.length]?.call("echo", { text }));
    expect(await Promise.all(calls)).toEqual(texts);
    for (const each of callers.slice(1)) await each[Symbol.asyncDispose]();
  });

  test("offers the tools that were chosen, and no other", async () => {
    await using space = await cluster.createNamespace();
    await applyRunner(space, { tools: ["echo"] });
    await space.apply(serverPod());
    const url = await untilReady(space);

    expect(await callTool(url, "echo", { text: "chosen" })).toBe("chosen");
    await expect(callTool(url, "say", { text: "not chosen" })).rejects.toThrow("not offered here");
  });

  test("says what is wrong with its settings", async () => {
    await using space = await cluster.createNamespace();
    await applyRunner(space, { transport: "carrier pigeon" });

    await waitFor(async () => (await space.kubectl("logs", "runner").catch(() => "")).includes("transport"), {
      what: "the reason in the log",
    });
  });
});
