/** A server that runs elsewhere, reached through a proxy on a real cluster. */
import { describeCluster, type TestNamespace, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Condition, MCPServer } from "../src/contract/index.ts";
import { startElsewhere, TOKENS } from "../src/testing/elsewhere.ts";
import { callTool, McpCaller } from "../src/testing/mcp-caller.ts";
import { installCrd, TestOperator, untilCondition } from "../src/testing/test-operator.ts";

const NAME = "forecast";
const OBJECTS = "deployments,replicasets,pods,services,configmaps,serviceaccounts,secrets,poddisruptionbudgets";

describeCluster("an MCPRemoteProxy", (cluster) => {
  let space: TestNamespace;
  let elsewhere: TestNamespace;
  let operator: TestOperator;
  let remoteURL: URL;
  beforeAll(async () => {
    await installCrd(cluster);
    space = await cluster.createNamespace("near");
    elsewhere = await cluster.createNamespace("far");
    remoteURL = await startElsewhere(elsewhere);
    operator = await TestOperator.start(cluster, [space.name]);
    await storeToken(TOKENS[0]);
    await applyProxy();
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await space?.[Symbol.asyncDispose]();
    await elsewhere?.[Symbol.asyncDispose]();
  });

  const storeToken = async (token: string) =>
    await space.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "remote" },
      stringData: { token, key: "secret-key" },
    });
  const applyProxy = async (spec: object = {}) =>
    await space.apply({
      apiVersion: "toolhive.stacklok.dev/v1alpha1",
      kind: "MCPRemoteProxy",
      metadata: { name: NAME },
      spec: {
        remoteURL: remoteURL.href,
        allowInsecureHTTP: true,
        auth: { type: "bearer", bearerToken: { name: "remote", key: "token" } },
        headers: [
          { name: "X-Team", value: "weather" },
          { name: "X-Key", secretKeyRef: { name: "remote", key: "key" } },
        ],
        authzConfig: {
          type: "inline",
          inline: {
            policies: [
              'permit(principal, action == Action::"call_tool", resource == Tool::"echo");',
              'permit(principal, action == Action::"list_tools", resource);',
            ],
          },
        },
        audit: { enabled: true },
        ...spec,
      },
    });
  const until = async (type: Condition["type"], reason: string): Promise<MCPServer> =>
    await untilCondition(space, NAME, type, reason, {
      plural: "mcpremoteproxy",
      deployment: `${NAME}-remote-proxy`,
    });
  const findUrl = async (): Promise<URL> => {
    const { clusterIP, ports } = (await space.get(`service/mcp-${NAME}-remote-proxy`)).spec;
    return new URL(`http://${clusterIP}:${ports[0].port}/mcp`);
  };
  const readSeen = async (): Promise<Record<string, string>> => {
    const { clusterIP } = (await elsewhere.get("service/elsewhere")).spec;
    return (await (await fetch(`http://${clusterIP}/seen`)).json()) as Record<string, string>;
  };
  const readConditions = async () => {
    const { status }: MCPServer = await space.get(`mcpremoteproxy/${NAME}`);
    return Object.fromEntries((status?.conditions ?? []).map((each) => [each.type, `${each.status} ${each.reason}`]));
  };

  test("serves the remote server under an address of the cluster, and says so", async () => {
    const { status } = await until("Ready", "Running");

    expect(status).toMatchObject({
      phase: "Ready",
      url: `http://mcp-${NAME}-remote-proxy.${space.name}.svc.cluster.local:8080`,
    });
    expect(await readConditions()).toEqual({
      Ready: "True Running",
      ProxyReady: "True Running",
      RemoteReachable: "True ToolsListed",
      SignedIn: "True SignedIn",
      Authenticated: "False NoAuthentication",
    });
    expect(await callTool(await findUrl(), "echo", { text: "hello" })).toBe("hello");
    const [head = "", row = ""] = (await space.kubectl("get", "rp")).split("\n");
    expect(head.split(/\s+/).filter(Boolean)).toEqual(["NAME", "STATUS", "REMOTE", "URL", "AGE"]);
    expect(row).toContain(remoteURL.href);
  });

  test("signs in with the Secret's token and headers, and a caller's own token stays here", async () => {
    await callTool(await findUrl(), "echo", { text: "a" }, "token-of-a-caller");

    const seen = await readSeen();
    expect(seen).toMatchObject({ authorization: `Bearer ${TOKENS[0]}`, "x-team": "weather", "x-key": "secret-key" });
    expect(JSON.stringify(seen)).not.toContain("token-of-a-caller");
    const objects = await space.kubectl("get", "deployments,configmaps,pods,mcpremoteproxies", "--output=yaml");
    expect(objects).not.toContain(TOKENS[0]);
    expect(objects).not.toContain("secret-key");
  });

  test("applies policies, and writes calls down", async () => {
    await using caller = await McpCaller.open(await findUrl());

    await expect(caller.call("erase", { text: "all" })).rejects.toThrow(/not authorized|denied|Unauthorized/i);
    expect(await caller.call("echo", { text: "b" })).toBe("b");
    await waitFor(
      async () => (await space.kubectl("logs", `deployment/${NAME}-remote-proxy`)).includes('"mcp_tool_call"'),
      { what: "the audit log", deadlineMs: 20_000 },
    );
  });

  test("writes nothing while nothing changes", async () => {
    await operator.untilAtRest();
    const { writes } = operator.client.counts;
    const { reconciles } = operator.reconciler.counts;

    await space.kubectl("annotate", `mcpremoteproxy/${NAME}`, "test.example/looked-at=yes", "--overwrite");

    await waitFor(() => operator.reconciler.counts.reconciles > reconciles, { what: "another look" });
    await operator.untilAtRest();
    expect(operator.client.counts.writes).toBe(writes);
  });

  test("takes a new token from the Secret, and keeps serving while a wrong one is refused", async () => {
    await storeToken(TOKENS[1]);
    const url = await findUrl();
    await waitFor(
      async () => {
        await callTool(url, "echo", { text: "c" });
        return (await readSeen()).authorization === `Bearer ${TOKENS[1]}`;
      },
      { what: "the new token to be used", deadlineMs: 90_000, intervalMs: 500 },
    );
    await until("Ready", "Running");

    await storeToken("wrong");
    await until("SignedIn", "SignInRefused");

    expect(await readConditions()).toMatchObject({ Ready: "True Updating", SignedIn: "False SignInRefused" });
    expect(await callTool(url, "echo", { text: "d" })).toBe("d");
    await storeToken(TOKENS[0]);
    await until("Ready", "Running");
    await until("SignedIn", "SignedIn");
  });

  test("is not ready while the server is away, says why, and comes back by itself", async () => {
    await elsewhere.kubectl("scale", "deployment/elsewhere", "--replicas=0");
    // A call shows it sooner than the next check.
    const url = await findUrl();
    await waitFor(
      async () => {
        await callTool(url, "echo", { text: "e" }).catch(() => undefined);
        return (await readConditions()).Ready === "False RemoteUnreachable";
      },
      { what: "the remote server to be missed", deadlineMs: 90_000, intervalMs: 500 },
    );
    const { status } = await until("RemoteReachable", "RemoteUnreachable");
    expect(status?.phase).toBe("Failed");
    expect(status?.conditions?.find(({ type }) => type === "Ready")?.message).toContain(remoteURL.hostname);
    await waitFor(
      async () =>
        (await space.kubectl("get", "events.events.k8s.io", "--output=yaml")).includes("reason: RemoteUnreachable"),
      { what: "an event with the reason" },
    );

    await elsewhere.kubectl("scale", "deployment/elsewhere", "--replicas=1");
    await until("Ready", "Running");
    expect(await callTool(url, "echo", { text: "f" })).toBe("f");
  });

  test("says that a Secret is missing, and goes on with what it had", async () => {
    await applyProxy({ auth: { type: "bearer", bearerToken: { name: "nowhere", key: "token" } } });

    const { status } = await until("Ready", "SecretMissing");

    expect(status?.conditions?.find(({ type }) => type === "SignedIn")?.message).toContain('"nowhere"');
    expect(await callTool(await findUrl(), "echo", { text: "g" })).toBe("g");
    await applyProxy();
    await until("Ready", "Running");
  });

  test("stands beside an MCPServer of the same name", async () => {
    await space.apply({
      apiVersion: "toolhive.stacklok.dev/v1alpha1",
      kind: "MCPServer",
      metadata: { name: NAME },
      spec: { image: "docker.io/toolhive-test/echo:test" },
    });

    await untilCondition(space, NAME, "Ready", "Running");
    await until("Ready", "Running");
    await space.kubectl("delete", `mcpserver/${NAME}`);
    expect(await callTool(await findUrl(), "echo", { text: "h" })).toBe("h");
  });

  test("leaves nothing behind when it is deleted", async () => {
    await space.kubectl("delete", `mcpremoteproxy/${NAME}`);

    await waitFor(
      async () => {
        const names = (await space.kubectl("get", OBJECTS, "--output=name")).split("\n").filter(Boolean);
        const own = ["configmap/kube-root-ca.crt", "serviceaccount/default", "secret/remote"];
        return names.every((name) => own.includes(name));
      },
      { what: "its objects to be gone", deadlineMs: 90_000, intervalMs: 500 },
    );
  });

  test.each([
    ["plain http", { remoteURL: "http://far.test/mcp" }, "spec.allowInsecureHTTP must be true"],
    ["another scheme", { remoteURL: "ftp://far.test/mcp" }, "spec.remoteURL must begin with https://"],
    ["no token", { remoteURL: "https://far.test", auth: { type: "bearer" } }, "spec.auth.bearerToken is required"],
    [
      "no client",
      { remoteURL: "https://far.test", auth: { type: "clientCredentials" } },
      "clientCredentials is required",
    ],
    [
      "a header with no value",
      { remoteURL: "https://far.test", headers: [{ name: "A" }] },
      "spec.headers.value or secretKeyRef must be set",
    ],
    ["no address", {}, "spec.remoteURL: Required value"],
  ])("with %s is refused by the API server", async (_what, spec, message) => {
    const object = {
      apiVersion: "toolhive.stacklok.dev/v1alpha1",
      kind: "MCPRemoteProxy",
      metadata: { name: "it" },
      spec,
    };
    const create = ["create", "--dry-run=server", "--namespace", "default", "-f", "-"];
    const { code, stderr } = await cluster.kubectl(create, { input: JSON.stringify(object) });

    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
