import { describe, expect, test } from "vitest";
import type { JsonObject } from "../contract/index.ts";
import { createContext, createRemoteContext } from "../testing/servers.ts";
import { buildPart, checkName, type DesiredContext, PARTS, type Part, readSpec } from "./index.ts";

const build = (part: Part, context: DesiredContext): JsonObject => {
  const object = buildPart(part, context);
  if (object === undefined) throw new Error(`there is no ${part}`);
  return object;
};
const listParts = (context: DesiredContext) => PARTS.filter((part) => buildPart(part, context) !== undefined);
const buildPod = (context: DesiredContext) => build("deployment", context).spec.template;
const BEARER = { type: "bearer", bearerToken: { name: "remote", key: "token" } } as const;

describe("an MCPRemoteProxy", () => {
  test("has a proxy and no server, and the proxy no rights", () => {
    const context = createRemoteContext();

    expect(listParts(context)).toEqual(["account", "runnerConfig", "deployment", "proxyService"]);
    expect(buildPod(context).spec.automountServiceAccountToken).toBe(false);
    expect(listParts(createRemoteContext({ replicas: 2, serviceAccount: "own" }))).toEqual([
      ...["runnerConfig", "deployment", "proxyBudget", "proxyService"],
    ]);
  });

  test("has policies, replicas and resources as an MCPServer has them", () => {
    const authzConfig = { type: "inline" as const, inline: { policies: ["permit(principal, action, resource);"] } };
    const resources = { limits: { memory: "128Mi" } };
    const context = createRemoteContext({
      authzConfig,
      replicas: 3,
      resources,
      proxyPort: 9090,
      serviceAccount: "own",
    });
    const { spec } = build("deployment", context);

    expect(build("inlinePolicies", context).data["authz.json"]).toContain("permit(");
    expect(spec).toMatchObject({ replicas: 3, template: { spec: { serviceAccountName: "own" } } });
    expect(spec.template.spec.containers[0]).toMatchObject({ resources, ports: [{ containerPort: 9090 }, {}] });
    expect(build("proxyService", context).spec).toMatchObject({ sessionAffinity: "ClientIP", ports: [{ port: 9090 }] });
  });

  test("belongs to its object, and shares no name and no selector with an MCPServer of the same name", () => {
    const remote = createRemoteContext({ replicas: 2 }, {}, "weather");
    const server = createContext({ transport: "sse", proxyReplicas: 2 });
    const buildSelector = (context: DesiredContext) => build("deployment", context).spec.selector.matchLabels;

    for (const part of listParts(remote)) {
      expect(build(part, remote).metadata.name, part).not.toBe(build(part, server).metadata.name);
      expect(build(part, remote).metadata.ownerReferences).toMatchObject([{ kind: "MCPRemoteProxy", name: "weather" }]);
    }
    expect(buildSelector(remote).app).not.toBe(buildSelector(server).app);
  });

  test("has its secrets as files, and their values nowhere", () => {
    const context = createRemoteContext({
      auth: BEARER,
      headers: [
        { name: "X-Team", value: "weather" },
        { name: "X-Key", secretKeyRef: { name: "keys", key: "main" } },
      ],
      caBundle: { name: "company" },
    });
    const { spec } = buildPod(context);
    const [container] = spec.containers;

    expect(spec.volumes).toContainEqual({
      name: "remote",
      projected: {
        sources: [
          { secret: { name: "remote", items: [{ key: "token", path: "bearer-token" }] } },
          { secret: { name: "keys", items: [{ key: "main", path: "header-1" }] } },
          { configMap: { name: "company", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        ],
      },
    });
    expect(container.volumeMounts).toContainEqual({
      name: "remote",
      mountPath: "/etc/toolhive/remote",
      readOnly: true,
    });
    expect(container.args).toEqual(["runner"]);
    expect(container.env).toBeUndefined();
    expect(JSON.parse(build("runnerConfig", context).data["runner.json"])).toMatchObject({
      transport: "streamable-http",
      remote: {
        url: "https://mcp.example.test/mcp",
        headers: { "X-Team": "weather" },
        secret_headers: { "X-Key": "header-1" },
        has_bearer_token: true,
        has_ca: true,
      },
    });
  });

  test("gives the runner the id of a client, and not its secret", () => {
    const clientCredentials = {
      issuer: "https://login.example.test",
      clientID: "cluster",
      clientSecret: { name: "remote", key: "secret" },
      scopes: ["tools.read"],
    };
    const context = createRemoteContext({ auth: { type: "clientCredentials", clientCredentials } });

    expect(JSON.parse(build("runnerConfig", context).data["runner.json"]).remote.client_credentials).toEqual({
      client_id: "cluster",
      issuer: "https://login.example.test",
      scopes: ["tools.read"],
    });
    expect(JSON.stringify(buildPod(context).spec.volumes)).toContain('"path":"client-secret"');
  });

  test("has new pods when what a Secret holds has changed", () => {
    const buildAnnotations = (proxyDigest: string) =>
      buildPod(createRemoteContext({ auth: BEARER }, { proxyDigest })).metadata;

    expect(buildAnnotations("a").annotations).toEqual(buildAnnotations("a").annotations);
    expect(buildAnnotations("a").annotations).not.toEqual(buildAnnotations("b").annotations);
  });

  test.each([
    [{ remoteURL: "http://mcp.example.test/mcp" }, "allowInsecureHTTP"],
    [{ remoteURL: "https://user:password@mcp.example.test/" }, "holds a password"],
    [{ headers: [{ name: "Host", value: "a" }] }, "the proxy sets itself"],
    [{ headers: [{ name: "Authorization", value: "Bearer a" }] }, "take it from a secret"],
    [{ headers: [{ name: "A b", value: "a" }] }, "no header can have"],
    [
      {
        headers: [
          { name: "X-A", value: "a" },
          { name: "x-a", secretKeyRef: { name: "s", key: "k" } },
        ],
      },
      "twice",
    ],
    [{ auth: { type: "bearer" } }, "auth.bearerToken is missing"],
  ] as const)("with %j has a problem that names it", (spec, words) => {
    const problems = readSpec(createRemoteContext(spec as never).server).listProblems();

    expect(problems).toEqual([expect.stringContaining(words)]);
    expect(problems.join()).not.toMatch(/header_forward|Bearer a|user:/);
  });

  test("may send secrets over http within a cluster when it says so", () => {
    const spec = { remoteURL: "http://mcp.far.svc/mcp", allowInsecureHTTP: true, auth: BEARER };

    expect(readSpec(createRemoteContext(spec).server).listProblems()).toEqual([]);
  });

  test("has a name that fits its Service", () => {
    expect(checkName(createRemoteContext({}, {}, "a".repeat(46)).server)).toBeUndefined();
    expect(checkName(createRemoteContext({}, {}, "a".repeat(47)).server)).toContain("MCPRemoteProxy");
  });
});
