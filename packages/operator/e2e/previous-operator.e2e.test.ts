/**
 * A cluster on which the reference's operator, v0.1.9, has worked before: its objects as it and its proxy wrote them. Its images are not
 * here, so the proxy's Deployment runs another program; what is shown is what becomes of the objects.
 */
import { describeCluster, type TestNamespace, THV_IMAGE, waitFor } from "@toolhive/testing";
import { beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../src/contract/index.ts";
import { callTool } from "../src/testing/mcp-caller.ts";
import {
  createServerManifest,
  ECHO_IMAGE,
  installCrd,
  TestOperator,
  untilCondition,
} from "../src/testing/test-operator.ts";

const PROXY_LABELS = {
  app: "mcpserver",
  "app.kubernetes.io/name": "mcpserver",
  "app.kubernetes.io/instance": "echo",
  toolhive: "true",
  "toolhive-name": "echo",
};
const SERVER_LABELS = { app: "echo", toolhive: "true", "toolhive-name": "echo", "toolhive-basename": "echo" };

/** What its proxy applied, which nobody owns. */
function listProxyWritten(transport: string): JsonObject[] {
  const env = [
    { name: "MCP_TRANSPORT", value: transport },
    ...(transport === "stdio" ? [] : [{ name: "MCP_PORT", value: "8080" }]),
  ];
  const statefulSet = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "echo", labels: SERVER_LABELS },
    spec: {
      replicas: 1,
      serviceName: "echo",
      selector: { matchLabels: { app: "echo" } },
      template: {
        metadata: { labels: SERVER_LABELS },
        spec: {
          restartPolicy: "Always",
          containers: [
            { name: "mcp", image: ECHO_IMAGE, imagePullPolicy: "Never", stdin: true, tty: false, env, args: ["--old"] },
          ],
        },
      },
    },
  };
  const headless = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "mcp-echo-headless", labels: SERVER_LABELS },
    spec: {
      clusterIP: "None",
      selector: { app: "echo" },
      ports: [{ name: "port-8080", port: 8080, targetPort: 8080, protocol: "TCP" }],
    },
  };
  return transport === "stdio" ? [statefulSet] : [statefulSet, headless];
}

/** What the operator itself created. */
function listOperatorWritten(uid: string): JsonObject[] {
  const owner = { apiVersion: "toolhive.stacklok.dev/v1alpha1", kind: "MCPServer", name: "echo", uid };
  const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
  const account = { name: "echo-proxy-runner", ownerReferences };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: account },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: account,
      rules: [
        {
          apiGroups: ["apps"],
          resources: ["statefulsets"],
          verbs: ["get", "list", "watch", "create", "update", "patch"],
        },
        { apiGroups: [""], resources: ["pods/attach"], verbs: ["create", "get"] },
      ],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: account,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "echo-proxy-runner" },
      subjects: [{ kind: "ServiceAccount", name: "echo-proxy-runner" }],
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "echo", labels: PROXY_LABELS, ownerReferences },
      spec: {
        replicas: 1,
        selector: { matchLabels: PROXY_LABELS },
        template: {
          metadata: { labels: PROXY_LABELS },
          spec: {
            serviceAccountName: "echo-proxy-runner",
            terminationGracePeriodSeconds: 1,
            containers: [
              {
                name: "toolhive",
                image: ECHO_IMAGE,
                imagePullPolicy: "Never",
                stdin: true,
                args: ["run", "--foreground", "--proxy-port=8080", "--name=echo"],
                ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
                resources: { limits: { cpu: "1" } },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "mcp-echo-proxy", labels: PROXY_LABELS, ownerReferences },
      spec: { selector: PROXY_LABELS, ports: [{ name: "http", port: 8080, targetPort: 8080, protocol: "TCP" }] },
    },
  ];
}

describeCluster("an MCPServer of the operator before", (cluster) => {
  beforeAll(() => installCrd(cluster));

  const write = async (space: TestNamespace, items: readonly JsonObject[], args: readonly string[]) => {
    const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const { code, stderr } = await cluster.kubectl(["--namespace", space.name, ...args, "--filename", "-"], { input });
    expect(code, stderr).toBe(0);
  };

  test.each(["stdio", "streamable-http"])(
    "on %s is taken over, with one pod on each side and nothing left",
    async (transport) => {
      await using space = await cluster.createNamespace();
      const manifest = createServerManifest("echo", { transport: transport as "stdio" });
      const finalizers = ["mcpserver.toolhive.stacklok.dev/finalizer"];
      await space.apply({ ...manifest, metadata: { name: "echo", finalizers } });
      const { uid } = (await space.get("mcpserver/echo")).metadata;
      await write(space, listOperatorWritten(uid), ["create"]);
      const byProxy = ["apply", "--server-side", "--field-manager=toolhive-container-manager"];
      await write(space, listProxyWritten(transport), byProxy);
      await space.kubectl("rollout", "status", "statefulset/echo", "deployment/echo", "--timeout=60s");
      const before: JsonObject = await space.get("pod/echo-0");

      await using operator = await TestOperator.start(cluster, [space.name]);

      await untilCondition(space, "echo", "Ready", "Running");
      const { clusterIP } = (await space.get("service/mcp-echo-proxy")).spec;
      // What stood in for the proxy of before knows no readiness: the Service may lead there until it is gone.
      const call = async () => await callTool(new URL(`http://${clusterIP}:8080/mcp`), "echo", { text: "new" });
      await waitFor(async () => (await call()) === "new", { what: "the new proxy to answer" });
      const server: JsonObject = await space.get("mcpserver/echo");
      expect(server.metadata).toMatchObject({ uid });
      expect(server.metadata.finalizers).toBeUndefined();
      const pod: JsonObject = await space.get("pod/echo-0");
      expect(pod.metadata.uid).not.toBe(before.metadata.uid);
      expect(pod.spec.containers[0].args).toBeUndefined();
      const statefulSet: JsonObject = await space.get("statefulset/echo");
      expect(statefulSet.spec.podManagementPolicy).toBe("Parallel");
      const deployment: JsonObject = await space.get("deployment/echo");
      const [container] = deployment.spec.template.spec.containers;
      expect(container).toMatchObject({ image: THV_IMAGE, args: ["runner"] });
      const role: JsonObject = await space.get("role/echo-proxy-runner");
      expect(JSON.stringify(role?.rules ?? [])).not.toContain("statefulsets");
      const listPods = async () =>
        (await space.kubectl("get", "pods", "--selector=toolhive=true", "--output=name")).trim().split("\n");
      await waitFor(async () => (await listPods()).length === 2, { what: "the pods of before to be gone" });
      await operator.untilAtRest();
      {
        await using next = await TestOperator.start(cluster, [space.name]);
        expect(next.client.counts.writes).toBe(0);
      }
      await space.kubectl("delete", "mcpserver", "echo", "--timeout=20s");
      const kinds = "deployments,statefulsets,services,serviceaccounts,roles,rolebindings,configmaps,networkpolicies";
      const left = async () => await space.kubectl("get", kinds, "--output=name");
      await waitFor(async () => !/echo/.test(await left()), { what: "all that it had to be gone", intervalMs: 300 });
    },
  );
});
