import { describe, expect, test } from "vitest";
import type { JsonObject } from "../contract/index.ts";
import { build, buildRunner } from "../testing/built-parts.ts";
import { createContext, createServer } from "../testing/servers.ts";
import { buildPart, type DesiredContext, findSidecarObstacle, findWeakness, PARTS } from "./index.ts";

const listParts = (context: DesiredContext) => PARTS.filter((part) => buildPart(part, context) !== undefined);

const buildPod = (context: DesiredContext) => build("statefulSet", context).spec.template;

const buildContainer = (context: DesiredContext) => buildPod(context).spec.containers[0];

describe("what there is", () => {
  test("a server on stdio has these objects, in the order in which they are written", () => {
    expect(listParts(createContext())).toEqual([
      "account",
      "runnerConfig",
      "statefulSet",
      "role",
      "roleBinding",
      "deployment",
      "proxyService",
    ]);
  });

  test.each(["sse", "streamable-http"] as const)(
    "a server on %s has a Service, and its proxy no rights",
    (transport) => {
      const context = createContext({ transport });

      expect(listParts(context)).toEqual([
        "account",
        "runnerConfig",
        "headlessService",
        "statefulSet",
        "deployment",
        "proxyService",
      ]);
      expect(build("deployment", context).spec.template.spec.automountServiceAccountToken).toBe(false);
    },
  );

  test("a second pod of a kind has a disruption budget", () => {
    const context = createContext({ transport: "sse", replicas: 2, proxyReplicas: 3 });

    expect(listParts(context)).toEqual(expect.arrayContaining(["serverBudget", "proxyBudget"]));
    expect(build("proxyBudget", context).spec.selector.matchLabels).toEqual(
      build("deployment", context).spec.selector.matchLabels,
    );
  });

  test.each([
    { permissionProfile: { type: "builtin", name: "none" } },
    { oidcConfig: { type: "inline", inline: { issuer: "https://issuer.test" } } },
    { authzConfig: { type: "inline", inline: { policies: ["permit(principal, action, resource);"] } } },
    { tools: ["forecast"] },
  ] as const)("rules %j close the way past the proxy", (rules) => {
    const policy = build("networkPolicy", createContext({ ...rules, transport: "sse", targetPort: 9000 } as never));

    expect(policy.spec.ingress).toEqual([
      {
        from: [{ podSelector: { matchLabels: expect.objectContaining({ "toolhive-name": "weather" }) } }],
        ports: [{ protocol: "TCP", port: 9000 }],
      },
    ]);
  });

  test.each(PARTS)("%s belongs to its MCPServer and has its labels", (part) => {
    const context = createContext({
      ...(["role", "roleBinding"].includes(part) ? {} : { transport: "sse", replicas: 2, proxyReplicas: 2 }),
      authzConfig: { type: "inline", inline: { policies: ["permit(principal, action, resource);"] } },
      permissionProfile: { type: "builtin", name: "none" },
    });
    const { metadata } = build(part, context);

    expect(metadata.namespace).toBe("tools");
    expect(metadata.ownerReferences).toEqual([
      {
        apiVersion: "toolhive.stacklok.dev/v1alpha1",
        kind: "MCPServer",
        name: "weather",
        uid: context.server.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(metadata.labels["app.kubernetes.io/managed-by"]).toBe("toolhive-operator");
    expect(metadata.annotations["toolhive.stacklok.dev/applied"]).toMatch(/^[0-9a-f]{16}$/);
    expect(build(part, context)).toEqual(build(part, context));
  });
});

describe("the proxy's rights", () => {
  test("are those of one pod", () => {
    expect(build("role", createContext()).rules).toEqual([
      { apiGroups: [""], resources: ["pods"], resourceNames: ["weather-0"], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["pods/attach"], resourceNames: ["weather-0"], verbs: ["create", "get"] },
    ]);
  });
});

describe("the proxy", () => {
  test("asks the cluster's issuer with its own token, and none other", () => {
    const context = createContext({ transport: "sse", oidcConfig: { type: "kubernetes" } });

    expect(buildRunner(context).access.oidc_config).toEqual({
      Issuer: "https://issuer.test",
      Audience: "toolhive",
      JWKSURL: "https://kubernetes.default.svc/openid/v1/jwks",
      CACertPath: "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt",
      AuthTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
      AllowPrivateIP: true,
    });
    expect(build("deployment", context).spec.template.spec.automountServiceAccountToken).toBe(true);
    const without = createContext({
      transport: "sse",
      oidcConfig: { type: "kubernetes", kubernetes: { useClusterAuth: false, issuer: "https://mine.test" } },
    });
    expect(buildRunner(without).access.oidc_config).toEqual({ Issuer: "https://mine.test", Audience: "toolhive" });
    expect(build("deployment", without).spec.template.spec.automountServiceAccountToken).toBe(false);
  });

  test.each([
    [{ serviceAccount: "client" }, "system:serviceaccount:tools:client"],
    [{ namespace: "clients" }, "system:serviceaccount:clients:*"],
    [{ serviceAccount: "client", namespace: "clients" }, "system:serviceaccount:clients:client"],
    [{}, undefined],
  ])("accepts the service accounts of %o", (kubernetes, expected) => {
    const context = createContext({ oidcConfig: { type: "kubernetes", kubernetes } });

    expect(buildRunner(context).access.oidc_config?.Subject).toBe(expected);
  });

  test.each([
    ["arguments of the proxy", { audit: { enabled: true } }],
    ["the issuer", { oidcConfig: { type: "inline", inline: { issuer: "https://other.test" } } }],
    [
      "the policies",
      { authzConfig: { type: "inline", inline: { policies: ["forbid(principal, action, resource);"] } } },
    ],
  ] as const)("is made anew when %s change", (_what, spec) => {
    const buildAnnotations = (context: DesiredContext) =>
      build("deployment", context).spec.template.metadata.annotations;
    const base = { authzConfig: { type: "inline", inline: { policies: ["permit(principal, action, resource);"] } } };

    expect(buildAnnotations(createContext({ ...base, ...spec } as never))).not.toEqual(
      buildAnnotations(createContext(base as never)),
    );
  });
});

describe("the server", () => {
  test("on stdio keeps its input open", () => {
    expect(buildContainer(createContext({ args: ["--verbose"] }))).toMatchObject({
      name: "mcp",
      image: "registry.test/weather:1",
      args: ["--verbose"],
      stdin: true,
      stdinOnce: false,
      tty: false,
      env: [{ name: "MCP_TRANSPORT", value: "stdio" }],
    });
  });

  test("finds its port and listens on every address", () => {
    const { env, ports } = buildContainer(createContext({ transport: "streamable-http", targetPort: 9000 }));

    expect(env).toEqual([
      { name: "MCP_TRANSPORT", value: "streamable-http" },
      { name: "MCP_PORT", value: "9000" },
      { name: "FASTMCP_PORT", value: "9000" },
      { name: "MCP_HOST", value: "0.0.0.0" },
    ]);
    expect(ports).toEqual([{ name: "mcp", containerPort: 9000, protocol: "TCP" }]);
  });

  test("has secrets as references, and no variable twice", () => {
    const { env } = buildContainer(
      createContext({
        env: [
          { name: "A", value: "1" },
          { name: "TOKEN", value: "plain" },
        ],
        secrets: [
          { name: "s", key: "TOKEN" },
          { name: "s", key: "k", targetEnvName: "K" },
        ],
        podTemplateSpec: { spec: { containers: [{ name: "mcp", env: [{ name: "A", value: "0" }] }] } },
      }),
    );

    expect(env).toEqual([
      { name: "A", value: "1" },
      { name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "TOKEN" } } },
      { name: "K", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      { name: "MCP_TRANSPORT", value: "stdio" },
    ]);
  });

  test("is not root and cannot write, unless the template says otherwise", () => {
    const { spec } = buildPod(createContext());

    expect(spec.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 1000,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(spec.containers[0].securityContext).toEqual({
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      capabilities: { drop: ["ALL"] },
    });
    const root = buildPod(createContext({ podTemplateSpec: { spec: { securityContext: { runAsUser: 0 } } } })).spec;
    expect([root.securityContext.runAsNonRoot, root.containers[0].securityContext.runAsUser]).toEqual([false, 0]);
  });

  test("keeps everything of the user's template, its annotations too", () => {
    const template = {
      metadata: { annotations: { note: "kept" }, labels: { app: "mine", team: "a" } },
      spec: {
        nodeSelector: { disk: "ssd" },
        containers: [
          { name: "mcp", resources: { limits: { memory: "1Gi" } }, volumeMounts: [{ name: "v", mountPath: "/v" }] },
          { name: "helper", image: "h" },
        ],
        volumes: [{ name: "v", emptyDir: {} }],
      },
    };
    const { metadata, spec } = buildPod(
      createContext({ podTemplateSpec: template, volumes: [{ name: "h", hostPath: "/h", mountPath: "/m" }] }),
    );

    expect(metadata.annotations).toEqual({ note: "kept" });
    expect(metadata.labels).toMatchObject({ app: "weather", team: "a" });
    expect(spec).toMatchObject({
      nodeSelector: { disk: "ssd" },
      volumes: [
        { name: "v", emptyDir: {} },
        { name: "h", hostPath: { path: "/h" } },
      ],
    });
    expect(spec.containers.map(({ name }: JsonObject) => name)).toEqual(["mcp", "helper"]);
    expect(spec.containers[0]).toMatchObject({
      resources: { limits: { memory: "1Gi" } },
      volumeMounts: [
        { name: "v", mountPath: "/v" },
        { name: "h", mountPath: "/m", readOnly: false },
      ],
    });
  });

  test("has no token, unless it has an account", () => {
    expect(buildPod(createContext()).spec.automountServiceAccountToken).toBe(false);
    const { spec } = buildPod(createContext({ serviceAccount: "reader" }));
    expect([spec.serviceAccountName, spec.automountServiceAccountToken]).toEqual(["reader", undefined]);
  });

  test("is created again when a Secret changes", () => {
    const { metadata } = buildPod(createContext({}, { references: { serverDigest: "abc" } }));
    expect(metadata.annotations).toEqual({ "toolhive.stacklok.dev/references": "abc" });
  });

  test("whose pods another MCPServer's selector must not find is told apart by a label of its own", () => {
    const policy = build("networkPolicy", createContext({ tools: ["a"] }, { metadata: { name: "mcpserver" } }));
    const proxy = build("deployment", createContext({}, { metadata: { name: "other" } })).spec.template.metadata.labels;

    const isFound = Object.entries(policy.spec.podSelector.matchLabels).every(([name, value]) => proxy[name] === value);
    expect(isFound).toBe(false);
  });
});

describe("a permission profile", () => {
  const buildRules = (context: DesiredContext) => {
    const [sidecar] = buildPod(context).spec.initContainers;
    return JSON.parse(sidecar.env[0].value);
  };

  test("that forbids everything is a sidecar before all others, and a policy", () => {
    const context = createContext({
      transport: "sse",
      permissionProfile: { type: "builtin", name: "none" },
      podTemplateSpec: { spec: { initContainers: [{ name: "first", image: "i" }] } },
    });

    expect(buildPod(context).spec.initContainers.map(({ name }: JsonObject) => name)).toEqual(["network", "first"]);
    expect(buildRules(context)).toMatchObject({ allowAll: false, hosts: [], ports: [], ingressPort: 8080 });
    expect(build("networkPolicy", context).spec).toMatchObject({ policyTypes: ["Ingress", "Egress"], egress: [] });
  });

  test("of a ConfigMap is read, and its names are left to the sidecar", () => {
    const profile = JSON.stringify({
      network: { outbound: { allow_host: ["a.test", "192.0.2.9"], allow_port: [443] } },
    });
    const context = createContext(
      { permissionProfile: { type: "configmap", name: "c", key: "k" } },
      { references: { profile } },
    );

    expect(buildRules(context)).toMatchObject({ allowAll: false, hosts: ["a.test", "192.0.2.9"], ports: [443] });
    expect(build("networkPolicy", context).spec.egress).toEqual([
      {
        ports: [
          { protocol: "UDP", port: 53 },
          { protocol: "TCP", port: 53 },
        ],
      },
      {
        to: [
          { ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/16", "192.0.2.1/32"] } },
          { ipBlock: { cidr: "192.0.2.9/32" } },
        ],
        ports: [{ protocol: "TCP", port: 443 }],
      },
    ]);
  });

  test.each(["", "{", '{"networks":{}}'])("that is %j allows nothing", (profile) => {
    const context = createContext(
      { permissionProfile: { type: "configmap", name: "c", key: "k" } },
      { references: { profile } },
    );
    expect(buildRules(context)).toMatchObject({ allowAll: false, hosts: [], ports: [] });
  });

  test("keeps the cluster's networks out of the pod, which stays when they change", () => {
    const spec = { permissionProfile: { type: "builtin", name: "network" } } as const;
    const [before, after] = [["10.0.0.0/16"], ["10.0.0.0/16", "10.1.0.0/16"]].map((closedNetworks) =>
      createContext(spec, { settings: { closedNetworks } }),
    ) as [DesiredContext, DesiredContext];

    expect(build("statefulSet", after)).toEqual(build("statefulSet", before));
    expect(build("closedNetworks", after).data).toEqual({ "closed.json": '["10.0.0.0/16","10.1.0.0/16"]' });
    expect(buildPod(after).spec.volumes).toContainEqual({
      name: "toolhive-closed-networks",
      configMap: { name: "weather-network" },
    });
  });

  test("gives the server the variables of the proxy that answers with reasons, and the user's own variable counts", () => {
    const context = createContext({
      permissionProfile: { type: "builtin", name: "none" },
      env: [{ name: "HTTPS_PROXY", value: "http://mine.test" }],
    });
    const variables = new Map(buildContainer(context).env.map(({ name, value }: JsonObject) => [name, value]));

    expect(variables.get("HTTP_PROXY")).toBe("http://127.0.0.1:61728");
    expect(variables.get("HTTPS_PROXY")).toBe("http://mine.test");
  });

  test("is the policy alone where no sidecar may run", () => {
    const context = createContext(
      { permissionProfile: { type: "builtin", name: "none" } },
      { sidecarRefusal: "the namespace forbids it" },
    );
    expect(buildPod(context).spec.initContainers).toBeUndefined();
    expect(buildPart("closedNetworks", context)).toBeUndefined();
    expect(build("networkPolicy", context).spec.egress).toEqual([]);
  });

  const inPod = (pod: JsonObject) => createServer({ podTemplateSpec: { spec: pod } });
  const server = (securityContext: JsonObject) => inPod({ containers: [{ name: "mcp", securityContext }] });

  test("has no sidecar in the node's own network", () => {
    expect(findSidecarObstacle(inPod({ hostNetwork: true }))).toContain("hostNetwork");
    expect(findSidecarObstacle(inPod({}))).toBeUndefined();
  });

  test.each([
    ["a privileged container", server({ privileged: true }), "privileged"],
    ["NET_ADMIN", server({ capabilities: { add: ["CAP_NET_ADMIN"] } }), "NET_ADMIN"],
    ["every capability", server({ capabilities: { add: ["all"] } }), "ALL"],
    ["root with its usual rights", server({ runAsUser: 0, capabilities: {} }), "SETUID"],
    [
      "another container as the pod's root",
      inPod({ securityContext: { runAsUser: 0 }, containers: [{ name: "helper", image: "i" }] }),
      'Container "helper"',
    ],
    [
      "a container before it",
      inPod({ initContainers: [{ name: "first", securityContext: { privileged: true } }] }),
      "first",
    ],
  ])("can be undone by %s", (_what, given, words) => expect(findWeakness(given)).toContain(words));

  test.each([
    ["nothing", createServer()],
    ["a root without rights", server({ runAsUser: 0 })],
    [
      "a root that drops them itself",
      server({ runAsUser: 0, capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } }),
    ],
    ["another user", inPod({ containers: [{ name: "helper", image: "i", securityContext: { runAsUser: 7 } }] })],
  ])("cannot be undone by %s", (_what, given) => expect(findWeakness(given)).toBeUndefined());
});
