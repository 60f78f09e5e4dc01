/** The operator's work on a real cluster. */
import { describeCluster, type TestNamespace, waitFor } from "@toolhive/testing";
import { beforeAll, expect, test } from "vitest";
import type { JsonObject, MCPServer } from "../src/contract/index.ts";
import { callTool } from "../src/testing/mcp-caller.ts";
import { createServerManifest, installCrd, TestOperator, untilCondition } from "../src/testing/test-operator.ts";

/** Until the operator has written what a member says. */
async function untilMatches(space: TestNamespace, what: string, expected: object): Promise<void> {
  let last: unknown;
  const look = async () => {
    last = await space.get(what);
    expect(last).toMatchObject(expected);
    return true;
  };
  await waitFor(look, { what: `${what} to match`, intervalMs: 200 }).catch(() => expect(last).toMatchObject(expected));
}

const patch = (space: TestNamespace, name: string, spec: object) =>
  space.kubectl("patch", "mcpserver", name, "--type=merge", "--patch", JSON.stringify({ spec }));

const POLICIES = JSON.stringify({
  version: "1.0",
  type: "cedarv1",
  cedar: { policies: ["permit(principal, action, resource);"] },
});

describeCluster("an MCPServer", (cluster) => {
  beforeAll(() => installCrd(cluster));

  test.each(["stdio", "streamable-http"] as const)(
    "on %s is Running once its tools were listed through the proxy, and answers at its Service",
    async (transport) => {
      await using space = await cluster.createNamespace();
      await using _operator = await TestOperator.start(cluster, [space.name]);
      await space.apply(createServerManifest("echo", { transport, port: 9090 }));

      const { status } = await untilCondition(space, "echo", "Ready", "Running");

      expect(status).toMatchObject({
        phase: "Running",
        message: "MCP server is running",
        url: `http://mcp-echo-proxy.${space.name}.svc.cluster.local:9090`,
        observedGeneration: 1,
      });
      const { clusterIP } = (await space.get("service/mcp-echo-proxy")).spec;
      for (const endpoint of status?.endpoints ?? []) {
        const url = new URL(endpoint.url);
        url.hostname = clusterIP;
        expect(await callTool(url, "echo", { text: endpoint.transport })).toBe(endpoint.transport);
      }
      const events = await space.kubectl("get", "events", "--field-selector=involvedObject.kind=MCPServer");
      expect(events).toContain("The server listed its tools through the proxy.");
      // Each was written once: no pod is replaced while the server starts.
      for (const workload of ["statefulset/echo", "deployment/echo"]) {
        expect((await space.get(workload)).metadata.generation, workload).toBe(1);
      }
      const columns = await space.kubectl("get", "mcp", "echo");
      expect(columns).toMatch(/^NAME\s+STATUS\s+URL\s+AGE\necho\s+Running\s+http:/);
    },
  );

  test("at rest causes no write, also when its operator starts again", async () => {
    await using space = await cluster.createNamespace();
    const settings = { allowsPrivilegedServers: true };
    {
      await using operator = await TestOperator.start(cluster, [space.name], settings);
      await space.apply(
        createServerManifest("echo", {
          transport: "sse",
          replicas: 0,
          proxyReplicas: 0,
          resources: { limits: { cpu: "0.5", memory: "0.5Gi" } },
          env: [{ name: "EMPTY", value: "" }],
          authzConfig: { type: "inline", inline: { policies: ["permit(principal, action, resource);"] } },
          permissionProfile: { type: "builtin", name: "none" },
          volumes: [{ name: "data", hostPath: "/tmp", mountPath: "/data" }],
        }),
      );
      await untilCondition(space, "echo", "Ready", "ScaledToZero");
      await operator.untilAtRest();
      expect(operator.client.counts.writes).toBeLessThanOrEqual(12);
    }
    await using again = await TestOperator.start(cluster, [space.name], settings);

    expect(again.reconciler.counts).toMatchObject({ servers: 1, reconciles: 1, failures: 0 });
    expect(again.client.counts.writes).toBe(0);
  });

  test("has every change of its fields in its objects", async () => {
    await using space = await cluster.createNamespace();
    await using _operator = await TestOperator.start(cluster, [space.name], { allowsPrivilegedServers: true });
    await space.kubectl("create", "configmap", "policies", `--from-literal=authz.json=${POLICIES}`);
    await space.kubectl("create", "secret", "generic", "s", "--from-literal=k=v");
    const none = { replicas: 0, proxyReplicas: 0 };
    await space.apply(createServerManifest("echo", none));
    await untilCondition(space, "echo", "Ready", "ScaledToZero");
    const inServer = (container: object) => ({ spec: { template: { spec: { containers: [container] } } } });
    const changes: readonly (readonly [spec: object, what: string, expected: object])[] = [
      [{ image: "other:1" }, "statefulset/echo", inServer({ image: "other:1" })],
      [{ args: ["--a"] }, "statefulset/echo", inServer({ args: ["--a"] })],
      [{ env: [{ name: "A", value: "1" }] }, "statefulset/echo", inServer({ env: [{ name: "A" }, {}] })],
      [{ env: null }, "statefulset/echo", inServer({ env: [{ name: "MCP_TRANSPORT" }] })],
      [
        { secrets: [{ name: "s", key: "k" }] },
        "statefulset/echo",
        inServer({ env: [{ name: "k", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }, {}] }),
      ],
      [{ port: 9999 }, "service/mcp-echo-proxy", { spec: { ports: [{ name: "http", port: 9999, targetPort: 9999 }] } }],
      [{ port: 9998 }, "deployment/echo", inServer({ ports: [{ name: "http", containerPort: 9998 }, {}] })],
      [
        { resources: { limits: { cpu: "250m" } } },
        "deployment/echo",
        inServer({ resources: { limits: { cpu: "250m" } } }),
      ],
      [
        { volumes: [{ name: "d", hostPath: "/tmp", mountPath: "/d" }] },
        "statefulset/echo",
        inServer({ volumeMounts: [{ mountPath: "/d" }] }),
      ],
      [
        {
          resourceOverrides: { proxyDeployment: { labels: { team: "a" } }, proxyService: { annotations: { b: "c" } } },
        },
        "service/mcp-echo-proxy",
        { metadata: { annotations: { b: "c" } } },
      ],
      [
        { resourceOverrides: { proxyDeployment: { labels: null, env: [{ name: "E", value: "f" }] } } },
        "deployment/echo",
        inServer({ env: [{ name: "E", value: "f" }] }),
      ],
      [
        { podTemplateSpec: { metadata: { annotations: { note: "x" } }, spec: { nodeSelector: { disk: "ssd" } } } },
        "statefulset/echo",
        { spec: { template: { metadata: { annotations: { note: "x" } }, spec: { nodeSelector: { disk: "ssd" } } } } },
      ],
      [
        { authzConfig: { type: "inline", inline: { policies: ["permit(principal, action, resource);"] } } },
        "configmap/echo-authz-inline",
        { metadata: { labels: { "toolhive.stacklok.io/authz": "inline" } } },
      ],
      [
        { authzConfig: { type: "configMap", configMap: { name: "policies" }, inline: null } },
        "deployment/echo",
        { spec: { template: { spec: { volumes: [{}, { configMap: { name: "policies" } }] } } } },
      ],
      [
        { tools: ["echo"] },
        "networkpolicy/echo-server",
        { spec: { podSelector: { matchLabels: { app: "echo" } }, policyTypes: ["Ingress"] } },
      ],
      [
        { serviceAccount: "default" },
        "statefulset/echo",
        { spec: { template: { spec: { serviceAccountName: "default" } } } },
      ],
      [
        { transport: "streamable-http", targetPort: 7000 },
        "service/mcp-echo-headless",
        { spec: { ports: [{ name: "port-7000", port: 7000 }] } },
      ],
      [
        { permissionProfile: { name: "none" } },
        "networkpolicy/echo-server",
        { spec: { policyTypes: ["Ingress", "Egress"] } },
      ],
      [{ replicas: 2 }, "poddisruptionbudget/echo-server", { spec: { maxUnavailable: 1 } }],
      [{ proxyReplicas: 2 }, "deployment/echo", { spec: { replicas: 2, strategy: { type: "RollingUpdate" } } }],
    ];
    for (const [spec, what, expected] of changes) {
      await patch(space, "echo", spec);
      await untilMatches(space, what, expected);
    }
    await untilMatches(space, "mcpserver/echo", { status: { url: expect.stringMatching(/:9998$/) } });
    // What is not wanted any more is gone: the rights of a server on stdio, and policies that were inline.
    expect(await space.get("role/echo-proxy-runner")).toBeUndefined();
    expect(await space.get("configmap/echo-authz-inline")).toBeUndefined();
    const deployment: JsonObject = await space.get("deployment/echo");
    expect(deployment.metadata.labels.team).toBeUndefined();
  });

  test("gets back whatever is deleted or changed by hand", async () => {
    await using space = await cluster.createNamespace();
    await using operator = await TestOperator.start(cluster, [space.name]);
    await space.apply(
      createServerManifest("echo", {
        replicas: 0,
        proxyReplicas: 0,
        permissionProfile: { type: "builtin", name: "network" },
      }),
    );
    await untilCondition(space, "echo", "Ready", "ScaledToZero");
    const objects = [
      "serviceaccount/echo-proxy-runner",
      "role/echo-proxy-runner",
      "rolebinding/echo-proxy-runner",
      "configmap/echo-runner",
      "networkpolicy/echo-server",
      "statefulset/echo",
      "deployment/echo",
      "service/mcp-echo-proxy",
    ];
    for (const what of objects) {
      const { uid } = (await space.get(what)).metadata;
      await space.kubectl("delete", what);
      await waitFor(async () => ((await space.get(what))?.metadata.uid ?? uid) !== uid, {
        what: `${what} to come back`,
      });
    }
    await space.kubectl("scale", "deployment/echo", "--replicas=3");
    await space.kubectl("label", "service/mcp-echo-proxy", "app.kubernetes.io/managed-by-");
    await space.kubectl("patch", "role", "echo-proxy-runner", "--type=merge", "--patch", '{"rules":[]}');
    await space.kubectl(
      "patch",
      "statefulset",
      "echo",
      "--type=merge",
      "--patch",
      '{"metadata":{"ownerReferences":null}}',
    );
    await untilMatches(space, "deployment/echo", { spec: { replicas: 0 } });
    await untilMatches(space, "service/mcp-echo-proxy", {
      metadata: { labels: { "app.kubernetes.io/managed-by": "toolhive-operator" } },
    });
    await untilMatches(space, "role/echo-proxy-runner", { rules: [{ resourceNames: ["echo-0"] }, {}] });
    await untilMatches(space, "statefulset/echo", {
      metadata: { ownerReferences: [{ name: "echo", controller: true }] },
    });
    // Settings of others stay as they are.
    await space.kubectl("annotate", "deployment/echo", "somebody=else");
    await operator.untilAtRest();
    expect((await space.get("deployment/echo")).metadata.annotations.somebody).toBe("else");
  });

  test("starts its pods anew when a Secret or a ConfigMap that it uses changes, and for nothing else", async () => {
    await using space = await cluster.createNamespace();
    await using operator = await TestOperator.start(cluster, [space.name]);
    await space.kubectl("create", "secret", "generic", "s", "--from-literal=k=1", "--from-literal=unused=1");
    await space.kubectl("create", "configmap", "c", "--from-literal=k=1");
    await space.apply(
      createServerManifest("echo", {
        replicas: 0,
        proxyReplicas: 0,
        secrets: [{ name: "s", key: "k" }],
        podTemplateSpec: {
          spec: {
            containers: [
              { name: "mcp", env: [{ name: "C", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }] },
            ],
          },
        },
      }),
    );
    await untilCondition(space, "echo", "Ready", "ScaledToZero");
    const digest = async () =>
      (await space.get("statefulset/echo")).spec.template.metadata.annotations["toolhive.stacklok.dev/references"];
    let before = await digest();
    for (const [kind, name, key] of [
      ["secret", "s", "k"],
      ["configmap", "c", "k"],
    ] as const) {
      const data = kind === "secret" ? { stringData: { [key]: "2" } } : { data: { [key]: "2" } };
      await space.kubectl("patch", kind, name, "--type=merge", "--patch", JSON.stringify(data));
      await waitFor(async () => (await digest()) !== before, { what: `the ${kind} to arrive` });
      before = await digest();
    }
    const { reconciles } = operator.reconciler.counts;
    await space.kubectl("patch", "secret", "s", "--type=merge", "--patch", '{"stringData":{"unused":"2"}}');
    await waitFor(() => operator.reconciler.counts.reconciles > reconciles, { what: "the other key to be looked at" });
    await operator.untilAtRest();
    expect(await digest()).toBe(before);
  });

  test("is deleted with everything that it had while no operator runs, the reference's finalizer left before", async () => {
    await using space = await cluster.createNamespace();
    {
      await using _operator = await TestOperator.start(cluster, [space.name]);
      const old = createServerManifest("echo", { transport: "sse", replicas: 0, proxyReplicas: 0 });
      const finalizers = ["mcpserver.toolhive.stacklok.dev/finalizer"];
      await space.apply({ ...old, metadata: { name: "echo", finalizers } });
      await untilCondition(space, "echo", "Ready", "ScaledToZero");
      expect((await space.get("mcpserver/echo")).metadata.finalizers).toBeUndefined();
    }
    await space.kubectl("delete", "mcpserver/echo", "--timeout=20s");

    const kinds = "deployments,statefulsets,services,serviceaccounts,configmaps,networkpolicies";
    const left = async () =>
      await space.kubectl("get", kinds, "--selector=app.kubernetes.io/managed-by=toolhive-operator", "-o", "name");
    await waitFor(async () => (await left()).trim() === "", { what: "its objects to be gone", intervalMs: 300 });
  });

  test.each<[reason: string, spec: Partial<MCPServer["spec"]>, says: string, phase: string]>([
    [
      "SecretMissing",
      { secrets: [{ name: "absent", key: "k" }] },
      'The Secret "absent" does not exist. Create it',
      "Failed",
    ],
    ["ImagePullBackOff", { image: "127.0.0.1:9/no:1" }, "Check the name of the image", "Failed"],
    [
      "CrashLoopBackOff",
      {
        podTemplateSpec: { spec: { containers: [{ name: "mcp", command: ["node", "-e", "process.exit(3)"] }] } },
      },
      "exit code 3",
      "Failed",
    ],
    ["Unschedulable", { podTemplateSpec: { spec: { nodeSelector: { no: "node" } } } }, "fits on no node", "Failed"],
    [
      "ConfigMapMissing",
      { oidcConfig: { type: "configMap", configMap: { name: "absent" } } },
      'The ConfigMap "absent" does not exist',
      "Failed",
    ],
  ])("that cannot run says %s, and what to do", async (reason, spec, says, phase) => {
    await using space = await cluster.createNamespace();
    await using _operator = await TestOperator.start(cluster, [space.name]);
    await space.apply(createServerManifest("echo", spec));

    const { status } = await untilCondition(space, "echo", "Ready", reason);

    expect(status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
      status: "False",
      message: expect.stringContaining(says),
    });
    expect(status).toMatchObject({ phase, message: "MCP server failed to start" });
    if (reason === "ConfigMapMissing") expect(await space.get("deployment/echo")).toBeUndefined();
    const events = await space.kubectl("get", "events", `--field-selector=reason=${reason}`);
    expect(events).toContain("mcpserver/echo");
  });

  test("whose pods a quota forbids says so, and goes on when it is raised", async () => {
    await using space = await cluster.createNamespace();
    await using _operator = await TestOperator.start(cluster, [space.name]);
    await space.kubectl("create", "quota", "few", "--hard=pods=0");
    await space.apply(createServerManifest("echo"));
    const { status } = await untilCondition(space, "echo", "Ready", "PodsForbidden");
    expect(status?.conditions?.[0]?.message).toContain("exceeded quota");

    await space.kubectl("delete", "quota", "few");
    await untilCondition(space, "echo", "Ready", "Running");
  });

  test("does not touch what belongs to somebody else", async () => {
    await using space = await cluster.createNamespace();
    await using _operator = await TestOperator.start(cluster, [space.name]);
    await space.kubectl("create", "deployment", "echo", "--image=other:1", "--replicas=0");
    const before = (await space.get("deployment/echo")).spec;
    await space.apply(createServerManifest("echo", { replicas: 0 }));

    const { status } = await untilCondition(space, "echo", "Ready", "NameTaken");

    expect(status?.conditions?.[0]?.message).toContain('The Deployment "echo" is there already');
    expect((await space.get("deployment/echo")).spec).toEqual(before);
  });

  test("with a name of 63 characters says that it is too long, and is deleted like any other", async () => {
    await using space = await cluster.createNamespace();
    await using operator = await TestOperator.start(cluster, [space.name]);
    const name = "n".repeat(63);
    await space.apply(createServerManifest(name));
    await untilCondition(space, name, "Ready", "NameInvalid");

    expect(operator.reconciler.counts.failures).toBe(0);
    await space.kubectl("delete", "mcpserver", name, "--timeout=20s");
  });
});
