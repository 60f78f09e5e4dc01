/** Issuers and policies that are settings of an MCPServer: what works, what is wrong, and that what is wrong replaces nothing. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { AUDIENCE, TestIssuer } from "@toolhive/core/testing";
import { describeCluster, type TestNamespace, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ClusterClient } from "../src/cluster/index.ts";
import type { MCPServer } from "../src/contract/index.ts";
import { readClusterFacts } from "../src/program/cluster-facts.ts";
import { initialize } from "../src/testing/http-caller.ts";
import { McpCaller } from "../src/testing/mcp-caller.ts";
import { createServerManifest, installCrd, TestOperator, untilCondition } from "../src/testing/test-operator.ts";

const ECHO_ONLY = 'permit(principal, action == Action::"call_tool", resource == Tool::"echo");';
const SAY_ONLY = 'permit(principal, action == Action::"call_tool", resource == Tool::"say");';
const BROKEN = 'permit(principal, action, resource)\nwhen { principal.claim_sub = "ada" };';

const writePolicies = (...policies: string[]) =>
  JSON.stringify({ version: "1.0", type: "cedarv1", cedar: { policies, entities_json: "[]" } });

/** A certificate for the address, as PEM, which nobody trusts by itself. */
async function createCertificate(host: string): Promise<{ readonly key: string; readonly cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), "thv-certificate-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    await promisify(execFile)(
      "openssl",
      `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=issuer -addext subjectAltName=IP:${host} -keyout ${key} -out ${cert}`.split(
        " ",
      ),
    );
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  } finally {
    await rm(folder, { recursive: true });
  }
}

describeCluster("an issuer and policies of an MCPServer", (cluster) => {
  let space: TestNamespace;
  let operator: TestOperator;
  let issuer: TestIssuer;

  const findProxy = async (name: string) => {
    const { clusterIP } = (await space.get(`service/mcp-${name}-proxy`)).spec;
    return new URL(`http://${clusterIP}:8080/mcp`);
  };
  const patch = async (name: string, spec: object) =>
    await space.kubectl("patch", `mcpserver/${name}`, "--type=merge", "--patch", JSON.stringify({ spec }));
  const setConfigMap = async (name: string, data: Readonly<Record<string, string>>) =>
    await space.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
  const findCondition = (server: MCPServer, type: string) =>
    server.status?.conditions?.find((condition) => condition.type === type);
  const listTools = async (url: URL) => {
    await using caller = await McpCaller.open(url, await issuer.sign({ claims: { sub: "ada" } }));
    return await caller.listTools();
  };
  const untilTools = async (name: string, tools: readonly string[]) => {
    const url = await findProxy(name);
    const look = async () => (await listTools(url)).join() === tools.join();
    await waitFor(look, { what: `callers of ${name} to see ${tools}`, deadlineMs: 90_000, intervalMs: 500 });
  };

  beforeAll(async () => {
    await installCrd(cluster);
    space = await cluster.createNamespace("issuers");
    const { stdout } = await cluster.kubectl(["config", "view", "--output=jsonpath={.clusters[0].cluster.server}"]);
    const host = new URL(stdout).hostname;
    const certificate = await createCertificate(host);
    issuer = await TestIssuer.start("ES256", { host, ...certificate });
    const client = ClusterClient.load(cluster.kubeconfig);
    const log = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
    const facts = await readClusterFacts({ client, env: {}, log, signal: new AbortController().signal });
    client.close();
    operator = await TestOperator.start(cluster, [space.name], { clusterIssuer: facts.issuer });
    await setConfigMap("authorities", { "ca.crt": certificate.cert });
    await setConfigMap("policies", { "authz.json": writePolicies(ECHO_ONLY) });
    // It names a ConfigMap that is missing.
    await space.apply(
      createServerManifest("login", {
        transport: "streamable-http",
        oidcConfig: { type: "configMap", configMap: { name: "issuer" }, caBundle: { name: "authorities" } },
        authzConfig: { type: "configMap", configMap: { name: "policies" } },
      }),
    );
  });

  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await issuer?.[Symbol.asyncDispose]();
    await space?.[Symbol.asyncDispose]();
  });

  test("in a ConfigMap that is missing or lacks a key are named by conditions and Events, until it is there", async () => {
    const missing = await untilCondition(space, "login", "Authenticated", "ConfigMapMissing");
    expect(findCondition(missing, "Authenticated")?.message).toContain('The ConfigMap "issuer" does not exist');
    await setConfigMap("issuer", { audience: AUDIENCE });
    const invalid = await untilCondition(space, "login", "Authenticated", "ConfigMapInvalid");
    expect(findCondition(invalid, "Authenticated")?.message).toContain('neither the key "issuer" nor "jwksUrl"');
    const events = await space.kubectl("get", "events", "--field-selector=reason=ConfigMapMissing");
    expect(events).toContain('The ConfigMap "issuer" does not exist');

    await setConfigMap("issuer", { issuer: issuer.url, audience: AUDIENCE, jwksAllowPrivateIP: "true" });

    await untilCondition(space, "login", "Ready", "Running");
    const url = await findProxy("login");
    expect((await initialize(url)).challenge).toContain(`Bearer realm="${issuer.url}"`);
    expect(await listTools(url)).toEqual(["echo"]);
    const other = await initialize(url, await issuer.sign({ claims: { aud: "other" } }));
    expect(other).toMatchObject({ status: 401, challenge: expect.stringContaining("invalid audience") });
  });

  test("come from the ConfigMap as it is now, and policies that are wrong leave the proxy as it is", async () => {
    await setConfigMap("policies", { "authz.json": writePolicies(ECHO_ONLY, SAY_ONLY) });
    await untilTools("login", ["echo", "say"]);
    await untilCondition(space, "login", "Ready", "Running");

    await setConfigMap("policies", { "authz.json": writePolicies(ECHO_ONLY, BROKEN) });
    const { status } = await untilCondition(space, "login", "Ready", "ConfigMapInvalid");

    expect(status?.conditions?.[0]?.message).toMatch(
      /^The key "authz.json" of the ConfigMap "policies" cannot be used: cedar\.policies\[1\], line 2, column \d+: /,
    );
    expect(await space.kubectl("get", "events", "--field-selector=reason=ConfigMapInvalid")).toContain("line 2");
    expect(await listTools(await findProxy("login"))).toEqual(["echo", "say"]);
    expect((await space.get("deployment/login")).status).toMatchObject({ readyReplicas: 1, replicas: 1 });

    // Those that the MCPServer itself holds, too.
    await patch("login", { authzConfig: { type: "inline", configMap: null, inline: { policies: [BROKEN] } } });
    const inline = await untilCondition(space, "login", "Ready", "PoliciesInvalid");
    expect(inline.status?.conditions?.[0]?.message).toContain("spec.authzConfig.inline cannot be used");
    expect(await listTools(await findProxy("login"))).toEqual(["echo", "say"]);
    await patch("login", { authzConfig: { inline: { policies: [SAY_ONLY] } } });
    await untilTools("login", ["say"]);
  });

  test("inline that do not answer are a condition, while the proxy before it serves", async () => {
    const inline = { issuer: `${issuer.url}/nobody`, audience: AUDIENCE, jwksAllowPrivateIP: true };
    await patch("login", { oidcConfig: { type: "inline", configMap: null, inline } });

    const away = await untilCondition(space, "login", "Authenticated", "IssuerUnavailable");
    expect(findCondition(away, "Authenticated")?.message).toContain(
      `${issuer.url}/nobody/.well-known/openid-configuration cannot be used: the answer has status 404`,
    );
    expect(await space.kubectl("get", "events", "--field-selector=reason=IssuerUnavailable")).toContain("nobody");
    expect(await listTools(await findProxy("login"))).toEqual(["say"]);

    await patch("login", { oidcConfig: { inline: { issuer: "http://issuer.test" } } });
    const refused = await untilCondition(space, "login", "Authenticated", "IssuerRefused");
    expect(findCondition(refused, "Authenticated")?.message).toContain("must begin with https://");

    await patch("login", { oidcConfig: { inline: { issuer: issuer.url } } });
    await untilCondition(space, "login", "Ready", "Running");
    await untilCondition(space, "login", "Authenticated", "TokensRequired");
    expect(await listTools(await findProxy("login"))).toEqual(["say"]);
  });

  test("that has other keys now is asked for them, and its old ones end", async () => {
    const url = await findProxy("login");
    const before = await issuer.sign();
    expect((await initialize(url, before)).status).toBe(200);
    // Of another name in a repetition as well: only an unknown name makes a proxy ask for keys.
    issuer.keys = [await TestIssuer.createKey(randomUUID())];
    const after = await issuer.sign();

    // A pod of the last test that is ending may still answer one of both: each pod learns of the key from the token that names it.
    await waitFor(
      async () => (await initialize(url, after)).status === 200 && (await initialize(url, before)).status === 401,
      { what: "the new key to be known and the old one to be refused", deadlineMs: 90_000, intervalMs: 500 },
    );
    expect((await initialize(url, before)).challenge).toContain("no applicable key found");
  });

  test("of the cluster, asked about each token, refuses those of a deleted service account", async () => {
    // The test applies it itself, and a repetition does so again: the kubelet waits longer, up to minutes, before each start of a proxy that ends.
    await space.kubectl("delete", "serviceaccount", "client", "other", "--ignore-not-found");
    await space.kubectl("delete", "mcpserver", "reviewed", "--ignore-not-found");
    await space.apply(
      createServerManifest("reviewed", {
        transport: "streamable-http",
        oidcConfig: { type: "kubernetes", kubernetes: { serviceAccount: "client", tokenReview: true } },
      }),
    );
    const forbidden = await untilCondition(space, "reviewed", "Authenticated", "IssuerRefused");
    expect(findCondition(forbidden, "Authenticated")?.message).toContain("system:auth-delegator");
    const binding = `${space.name}-reviewed`;
    await space.kubectl(
      "create",
      "clusterrolebinding",
      binding,
      "--clusterrole=system:auth-delegator",
      `--serviceaccount=${space.name}:reviewed-proxy-runner`,
    );
    try {
      for (const account of ["client", "other"]) await space.kubectl("create", "serviceaccount", account);
      await untilCondition(space, "reviewed", "Ready", "Running");
      const url = await findProxy("reviewed");
      const createToken = async (account: string) =>
        (await space.kubectl("create", "token", account, "--audience=toolhive")).trim();
      const token = await createToken("client");

      expect((await initialize(url, token)).status).toBe(200);
      expect(await initialize(url, await createToken("other"))).toMatchObject({
        status: 401,
        challenge: expect.stringContaining("invalid subject"),
      });
      await space.kubectl("delete", "serviceaccount", "client");
      await waitFor(async () => (await initialize(url, token)).status === 401, {
        what: "the token of a deleted account to be refused",
        deadlineMs: 60_000,
        intervalMs: 500,
      });
      expect((await initialize(url, token)).challenge).toMatch(
        /error_description="the API server says that the token is not good: .*not found/,
      );
    } finally {
      await cluster.kubectl(["delete", "clusterrolebinding", binding]);
    }
  });
});
