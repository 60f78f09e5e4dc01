/** The proxy's Deployment, its replicas, and the names that it leaves room for. */
import { describe, expect, test } from "vitest";
import { build, buildRunner } from "../testing/built-parts.ts";
import { createContext, createServer, TEST_SESSION_KEY } from "../testing/servers.ts";
import { buildPart, checkName } from "./index.ts";

describe("the proxy", () => {
  test("has the reference's name, labels, port and probe times", () => {
    const { metadata, spec } = build("deployment", createContext({ port: 9090 }));
    const [container] = spec.template.spec.containers;

    expect(metadata.name).toBe("weather");
    expect(spec.selector.matchLabels).toEqual({
      app: "mcpserver",
      "app.kubernetes.io/name": "mcpserver",
      "app.kubernetes.io/instance": "weather",
      toolhive: "true",
      "toolhive-name": "weather",
    });
    expect(container).toMatchObject({
      name: "toolhive",
      image: "registry.test/thv:1",
      args: ["runner"],
      ports: [{ name: "http", containerPort: 9090 }, { name: "health" }],
      livenessProbe: { httpGet: { path: "/health" }, initialDelaySeconds: 30, periodSeconds: 10, timeoutSeconds: 5 },
      readinessProbe: { initialDelaySeconds: 1, periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 3 },
    });
  });

  test("is never twice at one server's input", () => {
    expect(build("deployment", createContext()).spec.strategy).toEqual({ type: "Recreate" });
    expect(build("deployment", createContext({ proxyReplicas: 5 })).spec.replicas).toBe(1);
  });

  test("keeps the operator's labels against the user's", () => {
    const { metadata, spec } = build(
      "deployment",
      createContext({
        resourceOverrides: {
          proxyDeployment: {
            labels: { app: "mine", team: "a" },
            annotations: { "toolhive.stacklok.dev/applied": "mine", note: "b" },
            env: [{ name: "LOG", value: "debug" }],
          },
        },
      }),
    );

    expect(metadata.labels).toMatchObject({ app: "mcpserver", team: "a" });
    expect(metadata.annotations).toMatchObject({ note: "b" });
    expect(metadata.annotations["toolhive.stacklok.dev/applied"]).not.toBe("mine");
    expect(spec.template.spec.containers[0].env).toEqual([{ name: "LOG", value: "debug" }]);
  });

  test("has the certificates of the issuer, and its own account's files where they are named", () => {
    const inline = {
      issuer: "https://a.test",
      jwksAuthTokenPath: "/var/run/secrets/kubernetes.io/serviceaccount/token",
    };
    const context = createContext({
      transport: "sse",
      oidcConfig: { type: "inline", inline, caBundle: { name: "authorities", key: "a.pem" } },
    });
    const { spec } = build("deployment", context).spec.template;

    expect(buildRunner(context).access.oidc_config).toMatchObject({ CACertPath: "/etc/toolhive/ca/ca.crt" });
    expect(spec.volumes).toContainEqual({
      name: "ca",
      configMap: { name: "authorities", items: [{ key: "a.pem", path: "ca.crt" }] },
    });
    expect(spec.automountServiceAccountToken).toBe(true);
  });

  test("reads the settings of an issuer from the keys of a ConfigMap", () => {
    const context = createContext(
      { oidcConfig: { type: "configMap", configMap: { name: "oidc" } } },
      { references: { oidc: { issuer: "https://a.test", audience: "b", jwksAllowPrivateIP: "true", other: "c" } } },
    );

    expect(buildRunner(context).access.oidc_config).toEqual({
      Issuer: "https://a.test",
      Audience: "b",
      AllowPrivateIP: true,
    });
  });
});

describe("replicas", () => {
  const web = { transport: "streamable-http" } as const;

  test.each([
    ["several pods of the server", { replicas: 2 }],
    ["several proxies", { proxyReplicas: 2 }],
  ])("with %s share the key of session ids, which is in no pod's specification", (_what, spec) => {
    const context = createContext({ ...web, ...spec });

    expect(build("sessionKey", context).data).toEqual({ key: TEST_SESSION_KEY });
    expect(buildRunner(context)).toMatchObject({ has_replicas: true });
    const { spec: pod } = build("deployment", context).spec.template;
    expect(pod.volumes).toContainEqual({ name: "sessions", secret: { secretName: "weather-sessions" } });
    expect(pod.containers[0].volumeMounts).toContainEqual(
      expect.objectContaining({ mountPath: "/etc/toolhive/sessions" }),
    );
    expect(JSON.stringify(pod)).not.toContain(TEST_SESSION_KEY);
    expect(build("proxyService", context).spec.sessionAffinity).toBeUndefined();
  });

  test("have a new proxy each when their key changes", () => {
    const context = createContext({ ...web, replicas: 2 });
    const buildAnnotations = (sessionKey: string) =>
      build("deployment", { ...context, sessionKey }).spec.template.metadata.annotations;

    expect(buildAnnotations(Buffer.alloc(32, 8).toString("base64"))).not.toEqual(buildAnnotations(TEST_SESSION_KEY));
  });

  test.each([
    ["one pod of each", web],
    ["a server on stdio, which has one", { replicas: 5, proxyReplicas: 5 }],
  ])("that are none, with %s, need no key", (_what, spec) => {
    expect(buildPart("sessionKey", createContext(spec))).toBeUndefined();
    expect(buildRunner(createContext(spec)).has_replicas).toBeUndefined();
  });
});

describe("a name", () => {
  test.each([
    ["a".repeat(52), "stdio", undefined],
    ["a".repeat(53), "stdio", "has 53 characters"],
    ["a".repeat(50), "sse", undefined],
    ["a".repeat(51), "sse", "has 51 characters"],
    ["a".repeat(63), "stdio", "Create the MCPServer with a shorter name"],
    ["a.b", "stdio", "a-z, 0-9 and hyphens"],
  ] as const)("%s of a server on %s is %s", (name, transport, problem) => {
    const found = checkName(createServer({ transport }, { name }));
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
});
