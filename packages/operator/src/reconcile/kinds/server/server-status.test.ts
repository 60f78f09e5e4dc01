import { expect, test } from "vitest";
import { createServer } from "../../../testing/servers.ts";
import type { Observation } from "../../status/observation.ts";
import { summarizePod } from "../../status/pod-summary.ts";
import { computeStatus, isSameStatus } from "../compute-status.ts";

const NOW = "2026-01-01T00:00:00Z";
const RUNNING = { want: 1, ready: 1, updated: 1, total: 1, isObserved: true };
const WAITING = { ...RUNNING, ready: 0 };
const POD = { isReady: false, isEnding: false, hasSidecar: false };
const observe = (observation: Partial<Observation> = {}): Observation => ({
  server: createServer(),
  problems: [],
  statefulSet: RUNNING,
  deployment: RUNNING,
  serverPods: [],
  proxyPods: [],
  ...observation,
});
const findCondition = (observation: Observation, type: string) =>
  computeStatus(observation, NOW).conditions?.find((condition) => condition.type === type);

test.each<[what: string, Partial<Observation>, phase: string, message: string, reason: string]>([
  ["runs", {}, "Running", "MCP server is running", "Running"],
  ["has no objects yet", { statefulSet: undefined }, "Pending", "MCP server is starting", "Starting"],
  ["waits for its proxy", { deployment: WAITING }, "Pending", "MCP server is starting", "Starting"],
  ["has no pods", { statefulSet: { ...WAITING, want: 0 } }, "Pending", "No pods found for MCP server", "ScaledToZero"],
  [
    "cannot start",
    { statefulSet: WAITING, serverPods: [{ ...POD, problem: { reason: "CrashLoopBackOff", message: "m" } }] },
    "Failed",
    "MCP server failed to start",
    "CrashLoopBackOff",
  ],
  [
    "has a problem that ends with its pod",
    {
      statefulSet: WAITING,
      serverPods: [{ ...POD, isEnding: true, problem: { reason: "Unschedulable", message: "m" } }],
    },
    "Pending",
    "MCP server is starting",
    "Starting",
  ],
  [
    "must not be made",
    { refusal: { reason: "NameInvalid", message: "m" } },
    "Failed",
    "MCP server failed to start",
    "NameInvalid",
  ],
  [
    "is deleted",
    { server: createServer({}, { deletionTimestamp: NOW }) },
    "Terminating",
    "MCP server is being terminated",
    "Running",
  ],
])("a server that %s", (_what, observation, phase, message, reason) => {
  expect(computeStatus(observe(observation), NOW)).toMatchObject({ phase, message });
  expect(findCondition(observe(observation), "Ready")?.reason).toBe(reason);
});

test("a server whose policies are missing is not ready, even while it runs with the old ones", () => {
  const problem = { reason: "ConfigMapMissing", about: "policies", message: "m" } as const;

  expect(findCondition(observe({ problems: [problem] }), "Ready")).toMatchObject({ status: "False", message: "m" });
});

test("addresses have no path in url, and paths in endpoints", () => {
  const { url, endpoints } = computeStatus(observe({ server: createServer({ port: 9, proxyMode: "sse" }) }), NOW);

  expect(url).toBe("http://mcp-weather-proxy.tools.svc.cluster.local:9");
  expect(endpoints?.map((endpoint) => endpoint.url)).toEqual([`${url}/sse`, `${url}/mcp`]);
});

test("a condition that stays keeps its time, and a status that says the same is not written", () => {
  const status = computeStatus(observe(), NOW);
  const server = { ...createServer(), status };
  const later = computeStatus(observe({ server }), "2026-02-02T00:00:00Z");

  expect(later).toEqual(status);
  expect(isSameStatus(status, later)).toBe(true);
  expect(isSameStatus(status, computeStatus(observe({ server, deployment: WAITING }), NOW))).toBe(false);
});

test("a profile is enforced once the sidecar of every pod has set its rules", () => {
  const server = createServer({ permissionProfile: { type: "builtin", name: "none" } });
  const enforced = (observation: Partial<Observation>) =>
    findCondition(observe({ server, ...observation }), "ProfileEnforced");

  expect(enforced({ serverPods: [{ ...POD, hasSidecar: true }] })?.status).toBe("True");
  expect(enforced({ serverPods: [{ ...POD, hasSidecar: true }, POD] })?.status).toBe("False");
  expect(enforced({ sidecarRefusal: "the reason", serverPods: [POD] })).toMatchObject({
    reason: "NetworkPolicyOnly",
    message: expect.stringContaining("the reason"),
  });
});

test("a proxy that could not reach its issuer says so until it is ready", () => {
  const server = createServer({ oidcConfig: { type: "kubernetes" } });
  const summarize = (ready: boolean) => {
    const terminated = { exitCode: 15, message: "IssuerUnavailable: https://a.test cannot be used." };
    return summarizePod({
      metadata: { name: "weather-1", namespace: "tools" },
      status: { containerStatuses: [{ name: "toolhive", ready, lastState: { terminated } }] },
    });
  };
  const authenticated = (ready: boolean) =>
    findCondition(observe({ server, proxyPods: [summarize(ready)] }), "Authenticated");

  expect(authenticated(false)).toMatchObject({
    status: "False",
    reason: "IssuerUnavailable",
    message: "https://a.test cannot be used.",
  });
  expect(authenticated(true)).toMatchObject({ status: "True", reason: "TokensRequired" });
});

test("a proxy that still shows an earlier choice of tools says so, and serves", () => {
  const late = observe({ hasLateTools: true });

  expect(findCondition(late, "ProxyReady")).toMatchObject({ status: "True", reason: "Updating" });
  expect(findCondition(late, "ProxyReady")?.message).toContain("an earlier choice");
  expect(findCondition(late, "Ready")).toMatchObject({ status: "True", reason: "Updating" });
  // What keeps it from serving comes first.
  expect(findCondition({ ...late, deployment: WAITING }, "ProxyReady")?.reason).toBe("Starting");
});

test("a server without an issuer and without a profile says so in two conditions", () => {
  expect(findCondition(observe(), "Authenticated")).toMatchObject({ status: "False", reason: "NoAuthentication" });
  expect(findCondition(observe(), "ProfileEnforced")).toMatchObject({ status: "False", reason: "NoProfile" });
});

test("another name of a member is read, and a condition names the member to write; no other object has that condition", () => {
  const server = createServer({ proxyPort: 9090, groupRef: "work" });
  const { url, conditions = [] } = computeStatus(observe({ server }), NOW);

  expect(url).toMatch(/:9090$/);
  expect(conditions.find(({ type }) => type === "CurrentNames")).toMatchObject({
    status: "False",
    reason: "OtherNames",
    message:
      "spec.proxyPort is read as spec.port: write spec.port. spec.groupRef is read as the name of a group: write groupRef: { name: work }.",
  });
  expect(conditions.find(({ type }) => type === "Ready")?.status).toBe("True");
  expect(findCondition(observe(), "CurrentNames")).toBeUndefined();
});

test("a server that ends at once says how it ended before the kubelet calls that a loop", () => {
  const terminated = { exitCode: 3, reason: "Error", message: "no API key\n" };
  const summarize = (container: object) =>
    summarizePod({
      metadata: { name: "weather-0", namespace: "tools" },
      status: { containerStatuses: [{ name: "mcp", ready: false, ...container }] },
    });
  const look = (container: object) =>
    findCondition(observe({ statefulSet: WAITING, serverPods: [summarize(container)] }), "Ready");
  const message =
    'Container "mcp" of pod weather-0 ended with Error (exit code 3) and is started again. Its last lines: no API key. See why in its log: kubectl logs -n tools weather-0 -c mcp.';

  expect(look({ state: { terminated } })).toMatchObject({ reason: "Starting", message });
  expect(look({ state: { running: {} }, lastState: { terminated } })).toMatchObject({ reason: "Starting", message });
  expect(look({ state: { running: {} } })?.message).toMatch(/^The server's pods are not ready yet/);
});
