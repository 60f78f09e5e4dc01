/** What a server in a pod reaches, by its permission profile. The cluster enforces no NetworkPolicies: the sidecar is alone here. */
import { describeCluster, type ProbeRows, probeEgress, type TestNamespace, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../src/contract/index.ts";
import { readClusterFacts } from "../src/program/cluster-facts.ts";
import { EGRESS_PORTS, EGRESS_SCRIPT, openEgressServices } from "../src/testing/egress-services.ts";
import { callTool } from "../src/testing/mcp-caller.ts";
import { createServerManifest, installCrd, TestOperator, untilCondition } from "../src/testing/test-operator.ts";

/** In the range for tests between networks (RFC 2544). */
const OUTSIDE = "198.18.7.2";
const METADATA = "169.254.169.254";
const HTTP_PORT = EGRESS_PORTS.http;

/** Who limits the server, and how: its profile, or nobody. */
const COLUMNS = ["none", "hosts", "ports", "network", "no profile"] as const;

/** A cell for each of them. */
const TRUTH: Readonly<Record<string, readonly string[]>> = {
  "allowed host, allowed port": ["closed", ...same("http allowed.test", 4)],
  "the same through the proxy": ["closed", ...same("connected", 3), "closed"],
  "allowed host, other port": ["closed", "closed", "closed", ...same("http allowed.test", 2)],
  "other host": ["closed", "closed", ...same("http other.test", 3)],
  "other host through the proxy": ["closed", "closed", "connected", "connected", "closed"],
  "IP literal": ["closed", "closed", ...same(`http ${OUTSIDE}`, 3)],
  "redirect to another host": ["closed", "closed", ...same("http other.test", 3)],
  "raw TCP": ["closed", "closed", "closed", "raw", "raw"],
  UDP: [...same("closed", 4), "udp"],
  "DNS of the allowed name": ["closed", ...same(OUTSIDE, 3), "closed"],
  "DNS of another name": ["closed", "closed", OUTSIDE, OUTSIDE, "closed"],
  "DNS of a Service's name": [...same("closed", 4), "SERVICE"],
  "DNS of another type": same("closed", 5),
  "metadata service": [...same("closed", 4), `http ${METADATA}`],
  "API server": [...same("closed", 4), "tls kubernetes"],
  "service of the API server's machine": [...same("closed", 4), "http CONTROL"],
  "service of the node": [...same("closed", 4), "http NODE"],
  "allowed name that leads to the node": [...same("closed", 4), "http rebound.test"],
  "another pod": [...same("closed", 4), "http POD"],
  "allowed name that leads to another pod": [...same("closed", 4), "http sibling.test"],
  "a Service's address": [...same("closed", 4), "http SERVICE"],
  "a Service's name": [...same("closed", 4), "http sibling"],
};

function same(cell: string, count: number): readonly string[] {
  return Array.from({ length: count }, () => cell);
}

const nodePod = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { sibling: name } },
  spec: {
    containers: [
      {
        name: "n",
        image: "docker.io/toolhive-test/echo:test",
        command: ["node", "-e", EGRESS_SCRIPT],
        imagePullPolicy: "Never",
      },
    ],
    terminationGracePeriodSeconds: 0,
    ...spec,
  },
});

describeCluster("the network of a server in a pod", (cluster) => {
  let space: TestNamespace;
  let operator: TestOperator;
  let services: AsyncDisposable;
  /** Words of the table, and what stands for them here. */
  const at = { CONTROL: "", NODE: "", POD: "", SERVICE: "" };

  const createServerWithHosts = (name: string, spec: object = {}) =>
    createServerManifest(name, {
      proxyReplicas: 0,
      podTemplateSpec: {
        spec: {
          hostAliases: [
            { ip: OUTSIDE, hostnames: ["allowed.test", "other.test"] },
            { ip: at.NODE, hostnames: ["rebound.test"] },
            { ip: at.POD, hostnames: ["sibling.test"] },
          ],
          terminationGracePeriodSeconds: 0,
        },
      },
      ...spec,
    });
  const referToProfile = (key: string) => ({
    permissionProfile: { type: "configmap" as const, name: "profiles", key },
  });

  beforeAll(async () => {
    await installCrd(cluster);
    space = await cluster.createNamespace("isolation");
    operator = await TestOperator.start(cluster, [space.name]);
    const { client } = operator;
    const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
    const { networks } = await readClusterFacts({ client, env: {}, log, signal: AbortSignal.timeout(60_000) });
    operator.reconciler.replaceClosedNetworks(networks);
    await space.apply(nodePod("sibling"));
    await space.apply(nodePod("on-node", { hostNetwork: true }));
    await space.kubectl("expose", "pod", "sibling", `--port=${HTTP_PORT}`);
    await space.kubectl("wait", "--for=condition=Ready", "pod/sibling", "pod/on-node", "--timeout=90s");
    at.CONTROL = new URL(client.config.getCurrentCluster()?.server ?? "").hostname;
    at.NODE = (await space.get("pod/on-node")).status.hostIP;
    at.POD = (await space.get("pod/sibling")).status.podIP;
    at.SERVICE = (await space.get("service/sibling")).spec.clusterIP;
    services = await openEgressServices([OUTSIDE, at.CONTROL], METADATA);
    const hosts = [
      "allowed.test",
      "rebound.test",
      "sibling.test",
      `sibling.${space.name}.svc.cluster.local`,
      "sibling",
    ];
    const profiles = {
      hosts: { allow_host: hosts, allow_port: [HTTP_PORT] },
      ports: { allow_port: [HTTP_PORT] },
      listed: { allow_host: [at.POD] },
    };
    const data = Object.entries(profiles).map(([key, outbound]) => [key, JSON.stringify({ network: { outbound } })]);
    await space.apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "profiles" },
      data: Object.fromEntries(data),
    });
    const builtin = (name: string) => ({ permissionProfile: { type: "builtin" as const, name } });
    await space.apply(createServerWithHosts("none", builtin("none")));
    await space.apply(createServerWithHosts("hosts", referToProfile("hosts")));
    await space.apply(createServerWithHosts("ports", referToProfile("ports")));
    await space.apply(createServerWithHosts("network", builtin("network")));
    await space.apply(createServerWithHosts("no-profile"));
  });
  afterAll(async () => {
    await services?.[Symbol.asyncDispose]();
    await operator?.[Symbol.asyncDispose]();
    await space?.[Symbol.asyncDispose]();
  });

  const exec = (server: string, ...args: string[]) =>
    space.kubectl("exec", `${server}-0`, "-c", "mcp", "--", "node", ...args);
  const probe = (server: string, rows: ProbeRows, expected?: Record<string, string>) =>
    probeEgress((args) => exec(server, "/app/probe.mjs", ...args), rows, expected);

  const attempts = (): Record<keyof typeof TRUTH, readonly unknown[]> => ({
    "allowed host, allowed port": ["http", "allowed.test", HTTP_PORT],
    "the same through the proxy": ["proxy", "allowed.test", HTTP_PORT],
    "allowed host, other port": ["http", "allowed.test", EGRESS_PORTS.other],
    "other host": ["http", "other.test", HTTP_PORT],
    "other host through the proxy": ["proxy", "other.test", HTTP_PORT],
    "IP literal": ["http", OUTSIDE, HTTP_PORT],
    "redirect to another host": ["redirect", "allowed.test", HTTP_PORT],
    "raw TCP": ["tcp", OUTSIDE, EGRESS_PORTS.raw],
    UDP: ["udp", OUTSIDE, EGRESS_PORTS.udp],
    "DNS of the allowed name": ["dns", "allowed.test"],
    "DNS of another name": ["dns", "other.test"],
    "DNS of a Service's name": ["dns", `sibling.${space.name}.svc.cluster.local`],
    "DNS of another type": ["txt", "allowed.test"],
    "metadata service": ["http", METADATA, 80],
    "API server": ["tls", "kubernetes.default.svc.cluster.local", 443, "kubernetes"],
    "service of the API server's machine": ["http", at.CONTROL, HTTP_PORT],
    "service of the node": ["http", at.NODE, HTTP_PORT],
    "allowed name that leads to the node": ["http", "rebound.test", HTTP_PORT],
    "another pod": ["http", at.POD, HTTP_PORT],
    "allowed name that leads to another pod": ["http", "sibling.test", HTTP_PORT],
    "a Service's address": ["http", at.SERVICE, HTTP_PORT],
    "a Service's name": ["http", "sibling", HTTP_PORT],
  });

  test.each(COLUMNS)("with %s is open as the truth table says", async (column) => {
    const name = column.replace(" ", "-");
    if (column === "no profile") await untilCondition(space, name, "ServerReady", "Running");
    else await untilCondition(space, name, "ProfileEnforced", "Enforced");
    await untilCondition(space, name, "ServerReady", "Running");

    const cells = Object.entries(TRUTH).map(([row, all]) => {
      const cell = all[COLUMNS.indexOf(column)] ?? "";
      return [row, Object.entries(at).reduce((text, [word, address]) => text.replace(word, address), cell)];
    });
    const expected = Object.fromEntries(cells);
    expect(await probe(name, attempts(), expected)).toEqual(expected);
  });

  test("is closed to all pods but those whose address its profile lists", async () => {
    await space.apply(createServerWithHosts("listed", referToProfile("listed")));
    await untilCondition(space, "listed", "ServerReady", "Running");

    const rows = { listed: ["http", at.POD, HTTP_PORT], node: ["http", at.NODE, HTTP_PORT] };
    expect(await probe("listed", rows)).toEqual({ listed: `http ${at.POD}`, node: "closed" });
  });

  test("says once what was refused, and the line that allows it, however often a resolver asks", async () => {
    await untilCondition(space, "hosts", "ServerReady", "Running");
    await exec("hosts", "-e", 'require("dns").lookup("refused.test", () => {})');

    const denials = await waitFor(
      async () => {
        const lines = (await space.kubectl("logs", "hosts-0", "-c", "network")).split("\n");
        const found = lines.filter((line) => line.includes("refused.test"));
        return found.length > 0 && found;
      },
      { what: "the refusal in the log" },
    );

    expect(denials).toEqual([expect.stringMatching(/^network: denied refused\.test .*To allow it: "allow_host"/)]);
  });

  test("stays closed while its sidecar is dead, and is open as before with the next one", async () => {
    await untilCondition(space, "hosts", "ProfileEnforced", "Enforced");
    const pod: JsonObject = await space.get("pod/hosts-0");
    // Counts how often it reached each, as fast as it can, until its file of the end appears.
    const script = `
      const { request } = require("http");
      const reached = { allowed: 0, other: 0, direct: 0 };
      const ask = (key, host, name) => new Promise((resolve) => {
        const sent = request({ host, port: ${HTTP_PORT}, agent: false, timeout: 500, headers: { host: name } }, (answer) => {
          answer.resume();
          if (answer.statusCode === 200) reached[key] += 1;
          answer.on("close", resolve);
        });
        sent.on("timeout", () => sent.destroy()).on("error", resolve).end();
      });
      (async () => {
        const end = Date.now() + 6000;
        while (Date.now() < end) {
          await ask("other", "other.test", "other.test");
          await ask("direct", "${at.POD}", "x");
          await ask("allowed", "allowed.test", "allowed.test");
        }
        console.log(JSON.stringify(reached));
      })();`;
    const asking = exec("hosts", "-e", script);
    await cluster.killContainer(pod, "network");

    const reached = JSON.parse(await asking);
    expect(reached).toEqual({ allowed: expect.any(Number), other: 0, direct: 0 });
    expect(reached.allowed).toBeGreaterThan(0);
    await waitFor(
      async () => {
        const { initContainerStatuses = [] } = (await space.get("pod/hosts-0")).status;
        return initContainerStatuses[0]?.restartCount === 1 && initContainerStatuses[0].started;
      },
      { what: "the sidecar to run again", deadlineMs: 60_000 },
    );
    const rows = { allowed: ["http", "allowed.test", HTTP_PORT], other: ["http", "other.test", HTTP_PORT] };
    expect(await probe("hosts", rows)).toEqual({ allowed: "http allowed.test", other: "closed" });
    const after: JsonObject = await space.get("pod/hosts-0");
    expect(after.metadata.uid).toBe(pod.metadata.uid);
    expect(after.status.containerStatuses[0].restartCount).toBe(0);
  });

  test("closes a network that the cluster has from now on, in the pod that runs", async () => {
    await untilCondition(space, "network", "ProfileEnforced", "Enforced");
    const rows = { outside: ["http", OUTSIDE, HTTP_PORT] };
    expect(await probe("network", rows)).toEqual({ outside: `http ${OUTSIDE}` });
    const { uid } = (await space.get("pod/network-0")).metadata;

    const before = JSON.parse((await space.get("configmap/network-network")).data["closed.json"]);
    operator.reconciler.replaceClosedNetworks([...before, `${OUTSIDE}/32`]);
    await waitFor(
      async () => {
        // A change of the pod makes the kubelet read its volumes at once.
        await space.kubectl("annotate", "pod", "network-0", `looked=${Date.now()}`, "--overwrite");
        return (await probe("network", rows)).outside === "closed";
      },
      { what: "the network to be closed", deadlineMs: 120_000, intervalMs: 1_000 },
    );

    expect((await space.get("pod/network-0")).metadata.uid).toBe(uid);
    operator.reconciler.replaceClosedNetworks(before);
  });

  test("of one that speaks HTTP is limited too, and its proxy reaches it", async () => {
    const builtin = { permissionProfile: { type: "builtin" as const, name: "none" } };
    await space.apply(createServerWithHosts("web", { transport: "streamable-http", proxyReplicas: 1, ...builtin }));

    const { status } = await untilCondition(space, "web", "Ready", "Running");

    const url = new URL(status?.endpoints?.find(({ transport }) => transport === "streamable-http")?.url ?? "");
    url.hostname = (await space.get("service/mcp-web-proxy")).spec.clusterIP;
    expect(await callTool(url, "echo", { text: "through both" })).toBe("through both");
    expect(await probe("web", { outside: ["http", OUTSIDE, HTTP_PORT] })).toEqual({ outside: "closed" });
  });

  test("is left to the NetworkPolicy where the namespace forbids NET_ADMIN, which the condition says", async () => {
    await using strict = await cluster.createNamespace("strict");
    await strict.kubectl("label", "namespace", strict.name, "pod-security.kubernetes.io/enforce=restricted");
    await using _operator = await TestOperator.start(cluster, [strict.name]);
    await strict.apply(createServerManifest("echo", { permissionProfile: { type: "builtin", name: "none" } }));

    const { status } = await untilCondition(strict, "echo", "ProfileEnforced", "NetworkPolicyOnly");
    await untilCondition(strict, "echo", "Ready", "Running");

    const condition = status?.conditions?.find(({ type }) => type === "ProfileEnforced");
    expect(condition).toMatchObject({ status: "False", message: expect.stringContaining("level restricted") });
    expect((await strict.get("networkpolicy/echo-server")).spec.policyTypes).toEqual(["Ingress", "Egress"]);
  });
});
