/** Who may call a server of the cluster: tokens of its own service accounts, policies, and what is written down about calls. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describeCluster, type TestNamespace, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readClusterFacts } from "../src/program/cluster-facts.ts";
import { callTool, McpCaller } from "../src/testing/mcp-caller.ts";
import { createServerManifest, installCrd, TestOperator, untilCondition } from "../src/testing/test-operator.ts";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

describeCluster("callers of a server on the cluster", (cluster) => {
  let space: TestNamespace;
  let operator: TestOperator;
  /** Of the cluster's tokens. */
  let issuer = "";
  const collected: { readonly path: string; readonly bytes: number }[] = [];
  const collector = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on("end", () => {
      collected.push({ path: request.url ?? "", bytes });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });

  beforeAll(async () => {
    await installCrd(cluster);
    space = await cluster.createNamespace("callers");
    const probe = await TestOperator.start(cluster, [space.name]);
    const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
    const { client } = probe;
    const facts = await readClusterFacts({ client, env: {}, log, signal: AbortSignal.timeout(60_000) });
    await probe[Symbol.asyncDispose]();
    issuer = facts.issuer ?? "";
    operator = await TestOperator.start(cluster, [space.name], { clusterIssuer: issuer });
    await once(collector.listen(0), "listening");
    const machine = new URL(client.config.getCurrentCluster()?.server ?? "").hostname;
    const { port } = collector.address() as AddressInfo;
    for (const name of ["caller", "stranger"]) await space.kubectl("create", "serviceaccount", name);
    const only = `permit(principal == Client::"system:serviceaccount:${space.name}:caller", action, resource == Tool::"echo");`;
    await space.apply(
      createServerManifest("accounts", {
        oidcConfig: { type: "kubernetes" },
        authzConfig: {
          type: "inline",
          inline: { policies: [only, 'permit(principal, action == Action::"list_tools", resource);'] },
        },
        audit: { enabled: true },
        telemetry: { endpoint: `http://${machine}:${port}`, samplingRate: "1", prometheus: true },
      }),
    );
    await space.apply(
      createServerManifest("web", {
        transport: "streamable-http",
        oidcConfig: { type: "kubernetes", kubernetes: { audience: "web" } },
      }),
    );
    const members = {
      issuer,
      audience: "members",
      jwksUrl: "https://kubernetes.default.svc/openid/v1/jwks",
      thvCABundlePath: `${ACCOUNT}/ca.crt`,
      jwksAuthTokenPath: `${ACCOUNT}/token`,
    };
    await space.apply(
      createServerManifest("inline", {
        oidcConfig: { type: "inline", inline: { ...members, jwksAllowPrivateIP: true } },
      }),
    );
  });
  afterAll(async () => {
    collector.close();
    collector.closeAllConnections();
    await operator?.[Symbol.asyncDispose]();
    await space?.[Symbol.asyncDispose]();
  });

  const createAccountToken = async (account: string, audience: string) =>
    (await space.kubectl("create", "token", account, `--audience=${audience}`)).trim();
  /** Address of the proxy, which is ready. */
  const findUrl = async (name: string, path = "/mcp"): Promise<URL> => {
    const { status } = await untilCondition(space, name, "Ready", "Running");
    const url = new URL(path, status?.url);
    url.hostname = (await space.get(`service/mcp-${name}-proxy`)).spec.clusterIP;
    return url;
  };
  const ask = async (url: URL, token?: string) =>
    await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });

  describe("with tokens of its service accounts", () => {
    test("are answered, on both transports of a server on stdio, and the condition says that tokens are needed", async () => {
      const token = await createAccountToken("caller", "toolhive");

      for (const path of ["/mcp", "/sse"]) {
        const url = await findUrl("accounts", path);
        expect(await callTool(url, "echo", { text: path }, token)).toBe(path);
      }
      await untilCondition(space, "accounts", "Authenticated", "TokensRequired");
    });

    test.each([
      ["none", async () => undefined, "Authorization header required"],
      ["a token for another audience", () => createAccountToken("caller", "other"), "invalid audience"],
      [
        "a token that somebody changed",
        async () => (await createAccountToken("caller", "toolhive")).replace(/\.[^.]+$/, ".AAAA"),
        "Invalid token",
      ],
    ])("are refused with %s, and learn where to get one", async (_what, create, words) => {
      const refused = await ask(await findUrl("accounts"), await create());

      expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining(words)]);
      const challenge = refused.headers.get("www-authenticate") ?? "";
      expect(challenge).toContain(`realm="${issuer}"`);
      const metadata = new URL(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "");
      expect(await (await fetch(metadata)).json()).toMatchObject({ authorization_servers: [issuer] });
    });

    test("may do what the policies say about their account", async () => {
      const url = await findUrl("accounts");
      await using stranger = await McpCaller.open(url, await createAccountToken("stranger", "toolhive"));
      await using caller = await McpCaller.open(url, await createAccountToken("caller", "toolhive"));

      await expect(stranger.call("echo", { text: "a" })).rejects.toThrow(/not authorized|denied|Unauthorized/i);
      await expect(caller.call("sleep", { milliseconds: 1 })).rejects.toThrow(/not authorized|denied|Unauthorized/i);
      expect(await caller.call("echo", { text: "b" })).toBe("b");
      expect(await caller.listTools()).toEqual(["echo"]);
    });

    test("are answered by a server that speaks HTTP, whose proxy has a token for the cluster's keys only", async () => {
      const url = await findUrl("web");

      expect(await callTool(url, "echo", { text: "c" }, await createAccountToken("stranger", "web"))).toBe("c");
      expect((await ask(url, await createAccountToken("stranger", "toolhive"))).status).toBe(401);
      const account = `system:serviceaccount:${space.name}:web-proxy-runner`;
      const rights = await space.kubectl("auth", "can-i", "--list", `--as=${account}`);
      expect(rights).not.toMatch(/pods|secrets|configmaps/);
    });

    test("are in the audit log, which has no token", async () => {
      const url = await findUrl("accounts");
      const token = await createAccountToken("caller", "toolhive");
      await callTool(url, "echo", { text: "marker-of-a-call" }, token);

      const line = await waitFor(
        async () => {
          const log = await space.kubectl("logs", "deployment/accounts");
          expect(log).not.toContain(token.slice(-40));
          const lines = log
            .split("\n")
            .filter(
              (each) => (each.startsWith("{") && each.includes('"tools/call"')) || each.includes("mcp_tool_call"),
            );
          return lines.at(-1);
        },
        { what: "the call in the audit log" },
      );

      const entry = JSON.parse(line);
      expect(entry).toMatchObject({
        outcome: "success",
        subjects: { user_id: `system:serviceaccount:${space.name}:caller` },
        component: "accounts",
      });
    });

    test("are counted where Prometheus asks, which needs no token, and traced to the collector", async () => {
      const url = await findUrl("accounts", "/metrics");

      expect((await space.get("service/mcp-accounts-proxy")).metadata.labels).toMatchObject({
        "toolhive.stacklok.dev/metrics": "true",
      });
      const metrics = await (await fetch(url)).text();
      expect(metrics).toMatch(/^toolhive_mcp_requests_total\{.*\} \d+/m);
      await waitFor(() => collected.some(({ path, bytes }) => path === "/v1/traces" && bytes > 0), {
        what: "traces at the collector",
        deadlineMs: 60_000,
      });
    });
  });

  test("with the issuer's settings in the resource are answered", async () => {
    const url = await findUrl("inline");

    expect(await callTool(url, "echo", { text: "d" }, await createAccountToken("caller", "members"))).toBe("d");
    expect((await ask(url)).status).toBe(401);
  });
});
