/** Tokens of the cluster's service accounts in the life of a cluster: renewed, expired, changed, signed with a new key. */
import { createPrivateKey, sign } from "node:crypto";
import { describeCluster, type TestCluster, type TestNamespace, THV_IMAGE, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Collector, startCollector } from "../src/testing/collector.ts";
import { initialize } from "../src/testing/http-caller.ts";
import { callTool, McpCaller } from "../src/testing/mcp-caller.ts";
import { OperatorProcess } from "../src/testing/operator-process.ts";
import { createServerManifest, ECHO_IMAGE, installCrd, untilCondition } from "../src/testing/test-operator.ts";

/** How the cluster of the tests calls itself in tokens. */
const ISSUER = "https://kubernetes.default.svc.cluster.local";

function readPart(token: string, index: number) {
  return JSON.parse(Buffer.from(token.split(".")[index] ?? "", "base64url").toString("utf8"));
}

/** @returns The same token with other claims, signed by the cluster's own key. */
async function changeClaims(cluster: TestCluster, token: string, claims: object): Promise<string> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode(readPart(token, 0))}.${encode({ ...readPart(token, 1), ...claims })}`;
  const key = createPrivateKey(await cluster.readTokenKey());
  return `${signed}.${sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

/** @returns The address of a proxy at its Service. */
async function findProxy(space: TestNamespace, name: string): Promise<URL> {
  const { clusterIP, ports } = (await space.get(`service/mcp-${name}-proxy`)).spec;
  return new URL(`http://${clusterIP}:${ports[0].port}/mcp`);
}

describeCluster("callers with tokens of service accounts", (cluster) => {
  let space: TestNamespace;
  let operator: OperatorProcess;
  let collector: Collector;
  let url: URL;

  const createToken = async (account: string, ...flags: string[]) =>
    (await space.kubectl("create", "token", account, ...flags)).trim();
  const createAccountToken = (account: string) => createToken(account, "--audience=toolhive");

  beforeAll(async () => {
    await installCrd(cluster);
    space = await cluster.createNamespace("callers");
    for (const account of ["client", "reader", "other"]) await space.kubectl("create", "serviceaccount", account);
    const { stdout } = await cluster.kubectl(["config", "view", "--output=jsonpath={.clusters[0].cluster.server}"]);
    collector = await startCollector(new URL(stdout).hostname);
    operator = await OperatorProcess.start({
      kubeconfig: cluster.kubeconfig,
      namespace: space.name,
      watched: [space.name],
      // It says that the API server is away, which a test below sees to.
      env: { TOOLHIVE_RUNNER_IMAGE: THV_IMAGE, THV_LOG_LEVEL: "error" },
    });
    const account = (name: string) => `system:serviceaccount:${space.name}:${name}`;
    await space.apply(
      createServerManifest("tokens", {
        transport: "streamable-http",
        oidcConfig: { type: "kubernetes", kubernetes: { namespace: space.name } },
        authzConfig: {
          type: "inline",
          inline: {
            policies: [
              `permit(principal == Client::"${account("client")}", action == Action::"call_tool", resource == Tool::"echo");`,
              `permit(principal, action == Action::"call_tool", resource)\nwhen { principal.claim_sub like "${account("read")}*" };`,
              `forbid(principal, action, resource == Tool::"crash");`,
            ],
          },
        },
        telemetry: { endpoint: collector.endpoint },
      }),
    );
    await untilCondition(space, "tokens", "Ready", "Running");
    url = await findProxy(space, "tokens");
  });

  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await collector?.[Symbol.asyncDispose]();
    await space?.[Symbol.asyncDispose]();
  });

  test("in a pod are served with the token that the node renews", async () => {
    const script = `
      const token = require("node:fs").readFileSync("/var/run/tokens/toolhive", "utf8");
      fetch("http://mcp-tokens-proxy:8080/mcp", {
        method: "POST",
        headers: { accept: "application/json, text/event-stream", "content-type": "application/json", authorization: "Bearer " + token },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "pod", version: "0" } } }),
      }).then(async (response) => console.log(response.status, await response.text()));`;
    await space.apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "caller" },
      spec: {
        serviceAccountName: "client",
        restartPolicy: "Never",
        containers: [
          {
            name: "it",
            image: ECHO_IMAGE,
            imagePullPolicy: "Never",
            command: ["node", "-e", script],
            volumeMounts: [{ name: "tokens", mountPath: "/var/run/tokens" }],
          },
        ],
        volumes: [
          {
            name: "tokens",
            projected: { sources: [{ serviceAccountToken: { audience: "toolhive", path: "toolhive" } }] },
          },
        ],
      },
    });
    await waitFor(async () => /Succeeded|Failed/.test((await space.get("pod/caller")).status.phase), {
      what: "the pod to have called",
      deadlineMs: 60_000,
    });

    expect(await space.kubectl("logs", "caller")).toMatch(/^200 .*toolhive-test\/echo/s);
  });

  test.each<[what: string, token: () => Promise<string>, reason: string]>([
    [
      "that has expired",
      async () =>
        await changeClaims(cluster, await createAccountToken("client"), { exp: Math.floor(Date.now() / 1000) - 120 }),
      "token is expired",
    ],
    [
      "of another issuer",
      async () =>
        await changeClaims(cluster, await createAccountToken("client"), { iss: "https://kubernetes.default.svc" }),
      "invalid issuer",
    ],
    [
      "that was changed",
      async () => {
        const [head, body, signature] = (await createAccountToken("other")).split(".");
        const claims = { ...readPart(`.${body}`, 1), sub: `system:serviceaccount:${space.name}:client` };
        return [head, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
      },
      "signature verification failed",
    ],
    [
      "of a service account in another namespace",
      async () =>
        (
          await cluster.kubectl(["create", "token", "default", "--namespace=default", "--audience=toolhive"])
        ).stdout.trim(),
      "invalid subject",
    ],
  ])("are refused %s", async (_what, getToken, reason) => {
    const { status, challenge } = await initialize(url, await getToken());

    expect(status).toBe(401);
    expect(challenge).toContain(`Bearer realm="${ISSUER}"`);
    expect(challenge).toContain(`resource_metadata="http://${url.host}/.well-known/oauth-protected-resource/mcp"`);
    expect(challenge).toMatch(new RegExp(`error="invalid_token", error_description="[^"]*${reason}"`));
  });

  test("may do what the policies say of their service account", async () => {
    await using client = await McpCaller.open(url, await createAccountToken("client"));
    await using reader = await McpCaller.open(url, await createAccountToken("reader"));
    await using other = await McpCaller.open(url, await createAccountToken("other"));

    expect(await client.listTools()).toEqual(["echo"]);
    await expect(client.call("say", { text: "a" })).rejects.toThrow("not permitted");
    expect(await reader.listTools()).toEqual(["echo", "sleep", "say", "flood"]);
    expect(await reader.call("sleep", { ms: 1 })).toBeDefined();
    await expect(reader.call("crash", {})).rejects.toThrow("not permitted");
    expect(await other.listTools()).toEqual([]);
    await expect(other.call("echo", { text: "a" })).rejects.toThrow("not permitted");
  });

  test("go on while the API server is away, and with tokens of its next key", async () => {
    const before = await createAccountToken("client");
    await using caller = await McpCaller.open(url, before);
    const rotating = cluster.rotateTokenKey();
    let calls = 0;
    const isAway = async () => {
      expect(await caller.call("echo", { text: `call ${calls}` })).toBe(`call ${calls++}`);
      return (await cluster.kubectl(["get", "--raw", "/readyz", "--request-timeout=1s"])).code !== 0;
    };
    await waitFor(isAway, { what: "the API server to be away", intervalMs: 10 });
    expect(await caller.call("echo", { text: "without it" })).toBe("without it");
    await rotating;

    const after = await createAccountToken("client");
    expect(readPart(after, 0).kid).not.toBe(readPart(before, 0).kid);
    await waitFor(async () => (await initialize(url, after)).status === 200, {
      what: "a token of the next key to be accepted",
      deadlineMs: 60_000,
      intervalMs: 500,
    });
    expect((await initialize(url, before)).status).toBe(200);
  });

  test("are counted at the receiver, too, at the latest when their proxy ends", async () => {
    await callTool(url, "echo", { text: "counted" }, await createAccountToken("client"));

    await space.kubectl("delete", "pods", "-l", "toolhive-name=tokens", "--wait=false");

    await waitFor(() => collector.listMetrics().includes("toolhive_mcp_tool_calls_total"), {
      what: "the metrics at the receiver",
      deadlineMs: 90_000,
    });
  });
});
