/** What somebody else has under the names of an MCPServer's objects, and what an MCPServer may not give its server. */
import { describeCluster, type TestNamespace, waitFor } from "@toolhive/testing";
import { beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../src/contract/index.ts";
import {
  createServerManifest,
  ECHO_IMAGE,
  installCrd,
  TestOperator,
  untilCondition,
} from "../src/testing/test-operator.ts";

const RIGHTS = ["role/echo-proxy-runner", "rolebinding/echo-proxy-runner"];

function statefulSet(name: string): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name },
    spec: {
      replicas: 0,
      serviceName: name,
      selector: { matchLabels: { of: "others" } },
      template: { metadata: { labels: { of: "others" } }, spec: { containers: [{ name: "db", image: ECHO_IMAGE }] } },
    },
  };
}

function remoteProxy(name: string, spec: object = {}): JsonObject {
  return {
    apiVersion: "toolhive.stacklok.dev/v1alpha1",
    kind: "MCPRemoteProxy",
    metadata: { name },
    spec: { remoteURL: "https://mcp.example.com/mcp", replicas: 0, ...spec },
  };
}

describeCluster("an MCPServer", (cluster) => {
  beforeAll(() => installCrd(cluster));

  const listOwn = async (space: TestNamespace): Promise<string> => {
    const kinds =
      "deployments,statefulsets,services,serviceaccounts,roles,rolebindings,configmaps,secrets,networkpolicies";
    return await space.kubectl(
      "get",
      kinds,
      "--output=name",
      "--selector=app.kubernetes.io/managed-by=toolhive-operator",
    );
  };
  const awaitMessage = async (space: TestNamespace, name: string, reason: string, plural = "mcpserver") =>
    (await untilCondition(space, name, "Ready", reason, { plural })).status?.conditions?.[0]?.message;

  test("gets no right to attach to a pod of another StatefulSet of its name", async () => {
    await using space = await cluster.createNamespace();
    await space.apply(statefulSet("echo"));
    await using _operator = await TestOperator.start(cluster, [space.name]);
    await space.apply(createServerManifest("echo"));

    expect(await awaitMessage(space, "echo", "NameTaken")).toContain('The StatefulSet "echo" is there already');
    for (const right of RIGHTS) expect(await space.get(right)).toBeUndefined();
  });

  test("loses that right when another StatefulSet has taken the place of its own", async () => {
    await using space = await cluster.createNamespace();
    {
      await using _operator = await TestOperator.start(cluster, [space.name]);
      await space.apply(createServerManifest("echo", { replicas: 0, proxyReplicas: 0 }));
      await untilCondition(space, "echo", "Ready", "ScaledToZero");
    }
    for (const right of RIGHTS) expect(await space.get(right)).toBeDefined();
    await space.kubectl("delete", "statefulset/echo");
    await space.apply(statefulSet("echo"));

    await using _next = await TestOperator.start(cluster, [space.name]);

    await untilCondition(space, "echo", "Ready", "NameTaken");
    await waitFor(async () => (await Promise.all(RIGHTS.map((each) => space.get(each)))).every((each) => !each), {
      what: "the rights to be gone",
    });
  });

  test("gets no right to attach to another pod that is called like its own", async () => {
    await using space = await cluster.createNamespace();
    const containers = [{ name: "db", image: ECHO_IMAGE, imagePullPolicy: "Never", stdin: true }];
    await space.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "echo-0" }, spec: { containers } });
    await using _operator = await TestOperator.start(cluster, [space.name]);
    await space.apply(createServerManifest("echo"));

    expect(await awaitMessage(space, "echo", "NameTaken")).toContain('The Pod "echo-0" is there already');
    for (const right of RIGHTS) expect(await space.get(right)).toBeUndefined();
    // Without it, it goes on.
    await space.kubectl("delete", "pod/echo-0", "--grace-period=0", "--force");
    await untilCondition(space, "echo", "Ready", "Running");
  });

  test.each([
    ["ServiceAccount", "serviceaccount/echo-proxy-runner", { apiVersion: "v1", kind: "ServiceAccount" }],
    ["ConfigMap", "configmap/echo-runner", { apiVersion: "v1", kind: "ConfigMap", data: { other: "x" } }],
    ["Secret", "secret/echo-sessions", { apiVersion: "v1", kind: "Secret", stringData: { other: "x" } }],
    [
      "Role",
      "role/echo-proxy-runner",
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
      },
    ],
    [
      "Service",
      "service/mcp-echo-proxy",
      { apiVersion: "v1", kind: "Service", spec: { selector: { of: "others" }, ports: [{ port: 1 }] } },
    ],
    [
      "NetworkPolicy",
      "networkpolicy/echo-server",
      {
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        spec: { podSelector: { matchLabels: { of: "others" } } },
      },
    ],
  ])("does not take a %s of somebody else", async (kind, what, object) => {
    await using space = await cluster.createNamespace();
    await space.apply({ ...object, metadata: { name: what.split("/")[1] } });
    const before: JsonObject = await space.get(what);
    await using _operator = await TestOperator.start(cluster, [space.name]);
    const isOnHttp = kind === "Secret";
    await space.apply(
      createServerManifest("echo", {
        ...(isOnHttp ? { transport: "streamable-http", replicas: 2 } : { replicas: 0 }),
        permissionProfile: { type: "builtin", name: "none" },
      }),
    );

    expect(await awaitMessage(space, "echo", "NameTaken")).toContain(
      `The ${kind} "${before.metadata.name}" is there already`,
    );
    const after: JsonObject = await space.get(what);
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  test("does not take the Service of an MCPRemoteProxy whose clients call there, nor the other way round", async () => {
    await using space = await cluster.createNamespace();
    await using _operator = await TestOperator.start(cluster, [space.name]);
    await space.apply(remoteProxy("bank"));
    await waitFor(() => space.get("service/mcp-bank-remote-proxy"), { what: "the Service" });
    const { uid } = (await space.get("mcpremoteproxy/bank")).metadata;

    await space.apply(createServerManifest("bank-remote", { replicas: 0, proxyReplicas: 0 }));
    await space.apply(createServerManifest("bank-remote-proxy", { replicas: 0, proxyReplicas: 0 }));

    await untilCondition(space, "bank-remote", "Ready", "NameTaken");
    await untilCondition(space, "bank-remote-proxy", "Ready", "NameTaken");
    for (const what of [
      "service/mcp-bank-remote-proxy",
      "serviceaccount/bank-remote-proxy-runner",
      "deployment/bank-remote-proxy",
    ]) {
      const { ownerReferences } = (await space.get(what)).metadata;
      expect(ownerReferences, what).toMatchObject([{ kind: "MCPRemoteProxy", uid }]);
    }

    await space.apply(createServerManifest("shop-remote", { replicas: 0, proxyReplicas: 0 }));
    await untilCondition(space, "shop-remote", "Ready", "ScaledToZero");
    await space.apply(remoteProxy("shop"));
    await untilCondition(space, "shop", "Ready", "NameTaken", { plural: "mcpremoteproxy" });
  });

  test.each([
    ["spec.volumes[0].hostPath", { volumes: [{ name: "root", hostPath: "/", mountPath: "/host" }] }],
    ["spec.serviceAccount", { serviceAccount: "default" }],
    ["spec.podTemplateSpec.spec.hostPID", { podTemplateSpec: { spec: { hostPID: true } } }],
    [
      "spec.podTemplateSpec.spec.containers[0].securityContext.privileged",
      { podTemplateSpec: { spec: { containers: [{ name: "mcp", securityContext: { privileged: true } }] } } },
    ],
    [
      "spec.podTemplateSpec.spec.containers[0].securityContext.capabilities.add (CAP_SYS_ADMIN)",
      {
        podTemplateSpec: {
          spec: { containers: [{ name: "mcp", securityContext: { capabilities: { add: ["CAP_SYS_ADMIN"] } } }] },
        },
      },
    ],
  ])("has nothing while it asks for %s, until it does not or that is allowed", async (member, spec) => {
    await using space = await cluster.createNamespace();
    {
      await using operator = await TestOperator.start(cluster, [space.name]);
      await space.apply(createServerManifest("echo", { ...spec, replicas: 0, proxyReplicas: 0 }));

      const message = await awaitMessage(space, "echo", "PrivilegeRefused");

      expect(message).toContain(member);
      expect(message).toContain("operator.allowPrivilegedServers=true");
      expect(await listOwn(space)).toBe("");
      expect(operator.reconciler.counts.failures).toBe(0);
    }
    await using _open = await TestOperator.start(cluster, [space.name], { allowsPrivilegedServers: true });
    await untilCondition(space, "echo", "Ready", "ScaledToZero");
  });

  test("of a remote server has no proxy with another account, either", async () => {
    await using space = await cluster.createNamespace();
    await using _operator = await TestOperator.start(cluster, [space.name]);
    await space.apply(remoteProxy("bank", { serviceAccount: "default" }));

    expect(await awaitMessage(space, "bank", "PrivilegeRefused", "mcpremoteproxy")).toContain("spec.serviceAccount");
    expect(await listOwn(space)).toBe("");
  });
});
