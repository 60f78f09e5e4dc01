/** Manifests for the reference's operator 0.1.8, one for each kind that its users write: all are valid here. */
import { describeCluster } from "@toolhive/testing";
import { beforeAll, expect, test } from "vitest";
import { judgeManifest, MISSING_MEMBERS, ORIGINAL_MANIFESTS } from "../src/facts/index.ts";
import { installCrd } from "../src/testing/test-operator.ts";

const POLICIES = ['permit(principal, action == Action::"call_tool", resource == Tool::"forecast");'];
const TOKEN = { name: "github-token", key: "token", targetEnvName: "GITHUB_PERSONAL_ACCESS_TOKEN" };

const OLD_SPECS: Readonly<Record<string, object>> = {
  "the image alone": { image: "example.test/server:1" },
  "a server on streamable HTTP": {
    image: "example.test/fetch:1",
    transport: "streamable-http",
    port: 8080,
    targetPort: 8080,
    permissionProfile: { type: "builtin", name: "network" },
    resources: { limits: { cpu: "100m", memory: "128Mi" }, requests: { cpu: "50m", memory: "64Mi" } },
  },
  "a server on stdio with a Secret": {
    image: "example.test/github:1",
    transport: "stdio",
    permissionProfile: { type: "builtin", name: "network" },
    secrets: [TOKEN, { name: "github-token", key: "token" }],
    env: [{ name: "GITHUB_API_URL", value: "https://api.example.test" }],
  },
  "a server with an account of its own in its pod": {
    image: "example.test/mkp:1",
    transport: "sse",
    port: 8080,
    args: ["--read-write=false"],
    podTemplateSpec: { spec: { serviceAccountName: "mkp", tolerations: [{ key: "a", operator: "Exists" }] } },
  },
  "volumes of the node": {
    image: "example.test/files:1",
    volumes: [{ name: "data", hostPath: "/srv", mountPath: "/data", readOnly: true }],
  },
  "a pod's template": {
    image: "example.test/server:1",
    podTemplateSpec: {
      metadata: { labels: { team: "a" }, annotations: { note: "b" } },
      spec: {
        containers: [
          { name: "mcp", resources: { limits: { memory: "1Gi" } }, volumeMounts: [{ name: "w", mountPath: "/w" }] },
        ],
        volumes: [{ name: "w", emptyDir: {} }],
        nodeSelector: { "kubernetes.io/os": "linux" },
        securityContext: { fsGroup: 2000 },
      },
    },
  },
  overrides: {
    image: "example.test/server:1",
    resourceOverrides: {
      proxyDeployment: {
        annotations: { a: "b" },
        labels: { c: "d" },
        env: [{ name: "HTTP_PROXY", value: "http://proxy.test:3128" }],
      },
      proxyService: { annotations: { e: "f" }, labels: { g: "h" } },
    },
  },
  "a permission profile in a ConfigMap": {
    image: "example.test/server:1",
    permissionProfile: { type: "configmap", name: "profiles", key: "profile.json" },
  },
  "tokens of the cluster": {
    image: "example.test/server:1",
    oidcConfig: {
      type: "kubernetes",
      kubernetes: {
        serviceAccount: "client",
        namespace: "clients",
        audience: "toolhive",
        issuer: "https://kubernetes.default.svc",
        jwksUrl: "https://kubernetes.default.svc/openid/v1/jwks",
        useClusterAuth: true,
      },
    },
  },
  "tokens of an issuer in a ConfigMap": {
    image: "example.test/server:1",
    oidcConfig: { type: "configMap", configMap: { name: "oidc", key: "oidc.json" } },
  },
  "tokens of an issuer": {
    image: "example.test/server:1",
    oidcConfig: {
      type: "inline",
      inline: {
        issuer: "https://login.example.test",
        audience: "mcp",
        jwksUrl: "https://login.example.test/keys",
        clientId: "thv",
        thvCABundlePath: "/etc/ca.pem",
        jwksAuthTokenPath: "/var/run/token",
        jwksAllowPrivateIP: true,
      },
    },
  },
  "policies in a ConfigMap": {
    image: "example.test/server:1",
    authzConfig: { type: "configMap", configMap: { name: "policies", key: "authz.json" } },
  },
  policies: {
    image: "example.test/server:1",
    authzConfig: { type: "inline", inline: { policies: POLICIES, entitiesJson: "[]" } },
  },
};

const REFUSED: readonly (readonly [what: string, spec: object, message: string])[] = [
  ["an unknown member", { image: "a", proxyPorts: 1 }, 'unknown field "spec.proxyPorts"'],
  ["two ports of the proxy", { image: "a", port: 1, proxyPort: 2 }, "spec.port must not differ from spec.proxyPort"],
  ["two ports of the server", { image: "a", targetPort: 1, mcpPort: 2 }, "spec.targetPort must not differ"],
  ["a group without a name", { image: "a", groupRef: { other: "b" } }, "spec.groupRef.name: Required value"],
  ["no image", {}, "spec.image: Required value"],
  ["a port that is none", { image: "a", port: 0 }, "spec.port"],
  ["an unknown transport", { image: "a", transport: "http" }, "spec.transport: Unsupported value"],
  ["a type in other letters", { image: "a", oidcConfig: { type: "configmap" } }, "spec.oidcConfig.type: Unsupported"],
  ["two servers on stdio", { image: "a", replicas: 2 }, "spec.replicas must be 0 or 1 for transport stdio"],
  ["two proxies of one input", { image: "a", proxyReplicas: 2 }, "spec.proxyReplicas must be 0 or 1"],
  ["no issuer", { image: "a", oidcConfig: { type: "inline" } }, "spec.oidcConfig.inline is required"],
  ["no ConfigMap", { image: "a", authzConfig: { type: "configMap" } }, "spec.authzConfig.configMap is required"],
  [
    "no key",
    { image: "a", permissionProfile: { type: "configmap", name: "c" } },
    "spec.permissionProfile.key is required",
  ],
  ["an unknown profile", { image: "a", permissionProfile: { name: "all" } }, "must be none or network"],
];

describeCluster("the API server", (cluster) => {
  beforeAll(() => installCrd(cluster));
  const create = async (spec: object) => {
    const input = JSON.stringify({
      apiVersion: "toolhive.stacklok.dev/v1alpha1",
      kind: "MCPServer",
      metadata: { name: "it", namespace: "default" },
      spec,
    });
    return await cluster.kubectl(["create", "--dry-run=server", "-o", "json", "-f", "-"], { input });
  };

  test.each(Object.entries(OLD_SPECS))("takes an old manifest with %s, and keeps all of it", async (_what, spec) => {
    const { stdout, stderr } = await create(spec);

    expect(stderr).toBe("");
    expect(JSON.parse(stdout).spec).toMatchObject(spec);
  });

  test("fills in the old defaults", async () => {
    const { stdout } = await create({
      image: "a",
      oidcConfig: { kubernetes: {} },
      authzConfig: { configMap: { name: "c" } },
      permissionProfile: { name: "none" },
    });

    expect(JSON.parse(stdout).spec).toMatchObject({
      transport: "stdio",
      port: 8080,
      oidcConfig: {
        type: "kubernetes",
        kubernetes: { audience: "toolhive", issuer: "https://kubernetes.default.svc" },
      },
      authzConfig: { type: "configMap", configMap: { key: "authz.json" } },
      permissionProfile: { type: "builtin" },
    });
  });

  test.each(ORIGINAL_MANIFESTS.map((manifest) => [manifest.what, manifest] as const))(
    "judges a manifest of the original's operator with %s as the page says",
    async (_what, manifest) => {
      const { outcome, reasons } = judgeManifest(manifest);
      const items = manifest.objects.map((object) => ({ ...object, metadata: { name: "it", namespace: "default" } }));
      const input = items.map((item) => JSON.stringify(item)).join("\n---\n");
      const { code, stderr } = await cluster.kubectl(["create", "--dry-run=server", "-f", "-"], { input });

      expect(code === 0, stderr).toBe(outcome !== "refused");
      const kinds = reasons.flatMap((reason) => /^(\w+) is not a kind/.exec(reason)?.[1] ?? []);
      for (const kind of kinds) expect(stderr).toContain(`no matches for kind "${kind}"`);
      // A client that finds an unknown kind in a file does not send what stands beside it.
      const members = MISSING_MEMBERS.flatMap(({ member }) =>
        reasons.filter((reason) => reason.startsWith(`spec.${member} `)),
      );
      if (kinds.length === 0) for (const member of members) expect(stderr).toContain(member);
    },
  );

  test.each(REFUSED)("refuses %s and names it", async (_what, spec, message) => {
    const { code, stderr } = await create(spec);

    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });
});
