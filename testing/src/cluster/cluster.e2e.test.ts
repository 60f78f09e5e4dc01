/** The cluster that the other tests stand on: everything that they take for granted. */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { runCommand } from "../command.ts";
import { waitFor } from "../wait-for.ts";
import { THV_IMAGE } from "./cluster-images.ts";
import { describeCluster } from "./test-cluster.ts";

const RESTRICTED = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  runAsUser: 1000,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

function createPod(name: string, image: string, more: object = {}) {
  const container = { name: "it", image, imagePullPolicy: "Never", securityContext: RESTRICTED, ...more };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 1, containers: [container] },
  };
}

describeCluster("the cluster of the tests", (cluster) => {
  test("runs pods of the test images, attaches to them, and resolves and reaches Services", async () => {
    await using space = await cluster.createNamespace();
    await space.kubectl("label", "namespace", space.name, "pod-security.kubernetes.io/enforce=restricted");
    const http = {
      env: [
        { name: "MCP_TRANSPORT", value: "streamable-http" },
        { name: "MCP_PORT", value: "8080" },
      ],
    };
    await space.apply(createPod("stdio", "docker.io/toolhive-test/echo:test", { stdin: true }));
    await space.apply(createPod("web", "docker.io/toolhive-test/echo:test", http));
    await space.apply({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    await space.kubectl("wait", "--for=condition=Ready", "pod/stdio", "pod/web", "--timeout=60s");

    const attached = cluster.spawnKubectl(["--namespace", space.name, "attach", "-i", "--quiet", "stdio"]);
    attached.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    const [line] = await once(createInterface({ input: attached.stdout }), "line");
    attached.kill();
    expect(JSON.parse(line)).toMatchObject({ id: 1, result: {} });

    const look = `fetch("http://web.${space.name}.svc.cluster.local/mcp").then((r) => console.log(r.status > 0))`;
    const reach = async () => (await space.kubectl("exec", "stdio", "--", "node", "-e", look)).trim() === "true";
    await waitFor(reach, { what: "the Service to be reached by its name from a pod" });
    const { clusterIP } = (await space.get("service/web")).spec;
    expect((await fetch(`http://${clusterIP}/mcp`, { method: "OPTIONS" })).status).toBeGreaterThan(0);
  });

  test("has the image of thv, whose user is not root, with the packet filter", async () => {
    await using space = await cluster.createNamespace();
    await space.apply({ ...createPod("thv", THV_IMAGE, { args: ["version"] }) });
    await waitFor(async () => (await space.get("pod/thv"))?.status?.containerStatuses?.[0]?.state?.terminated, {
      what: "thv version to end",
    });

    expect(await space.kubectl("logs", "thv")).toContain("ToolHive v");
  });

  test("has its components again after each was killed, and a container after its processes were", async () => {
    await using space = await cluster.createNamespace();
    await space.apply(createPod("before", "docker.io/toolhive-test/echo:test", { stdin: true }));
    await space.kubectl("wait", "--for=condition=Ready", "pod/before", "--timeout=60s");

    await cluster.killContainer(await space.get("pod/before"), "it");
    await cluster.killComponent("etcd");
    await cluster.killComponent("kube-apiserver");
    await cluster.killComponent("kubelet");

    const restarts = async () => (await space.get("pod/before"))?.status.containerStatuses[0].restartCount;
    await waitFor(async () => (await restarts()) === 1, {
      what: "the container to be started again",
      deadlineMs: 60_000,
    });
    await space.apply(createPod("after", "docker.io/toolhive-test/echo:test", { stdin: true }));
    await space.kubectl("wait", "--for=condition=Ready", "pod/after", "--timeout=60s");
  });

  test("is in the tests' network and not in the machine's", async () => {
    const { stdout } = await runCommand("ip", ["-oneline", "address"]);
    const machine = await runCommand("nsenter", ["--target", "1", "--net", "ip", "-oneline", "address"]);

    expect(stdout).toContain("10.213.0.1/24");
    if (machine.code === 0) expect(machine.stdout).not.toContain("10.213.");
  });
});
