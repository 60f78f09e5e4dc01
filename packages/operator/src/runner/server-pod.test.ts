import { expect, test } from "vitest";
import type { ClusterClient } from "../cluster/index.ts";
import type { JsonObject } from "../contract/index.ts";
import { readContainer, ServerPod } from "./server-pod.ts";

const QUIET = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

const pod = (state: object, more: object = {}, status: object = {}) => ({
  metadata: { uid: "u1", ...more },
  spec: { nodeName: "node" },
  status: { containerStatuses: [{ name: "other" }, { name: "mcp", containerID: "containerd://c1", state, ...status }] },
});
const BOUND = { metadata: { uid: "u1" }, spec: { nodeName: "node" } };
const STARTING = { pod: "u1", reason: "its pod is being started" };

test.each<[string, JsonObject | undefined, object]>([
  ["no pod", undefined, { reason: "its pod does not exist" }],
  ["one that runs", pod({ running: {} }), { pod: "u1", id: "u1 containerd://c1", isFirst: true }],
  ["one that runs again", pod({ running: {} }, {}, { restartCount: 1 }), { id: "u1 containerd://c1", isFirst: false }],
  ["one that goes", pod({ running: {} }, { deletionTimestamp: "x" }), { reason: "its pod is being removed" }],
  ["one that was just made", { metadata: { uid: "u1" } }, STARTING],
  ["one that has a node", BOUND, { ...STARTING, begins: true }],
  ["one that is being made", pod({ waiting: { reason: "ContainerCreating" } }), { ...STARTING, begins: true }],
  ["one whose sidecar starts", pod({ waiting: { reason: "PodInitializing" } }), { ...STARTING, begins: true }],
  ["one that is made again", pod({ waiting: { reason: "ContainerCreating" } }, {}, { restartCount: 1 }), STARTING],
  [
    "one whose image is missing",
    pod({ waiting: { reason: "ImagePullBackOff", message: "no such image" } }),
    { reason: "its container waits: ImagePullBackOff, no such image" },
  ],
  ["one that ended", pod({ terminated: { exitCode: 3 } }), { reason: "its container ended with code 3" }],
])("of %s is read whether it can be attached to", (_case, given, expected) => {
  const found = readContainer(given, "mcp");
  expect(found).toMatchObject(expected);
  expect("begins" in found).toBe("begins" in expected);
});

function follow() {
  const target = { namespace: "tools", pod: "weather-0", container: "mcp" };
  return new ServerPod({} as ClusterClient, target, QUIET);
}

test("a run that was attached to before its kubelet reported it is the one that the kubelet reports", () => {
  const seen = follow();
  seen.see(undefined);
  expect(seen.unreported).toBeUndefined();
  seen.see(BOUND);
  const attached = seen.unreported;
  if (attached === undefined) throw new Error("Nothing can be attached to.");
  expect(seen.run).toBeUndefined();
  seen.see(pod({ waiting: { reason: "ContainerCreating" } }));
  expect(seen.isUp(attached)).toBe(true);

  seen.see(pod({ running: {} }));
  expect(seen.unreported).toBeUndefined();
  expect(seen.isUp(attached)).toBe(true);
  // So that a connection that was lost goes on with its session.
  expect(seen.run?.id).toBe(attached.id);
});

test.each<[string, JsonObject | undefined]>([
  ["its container is started again before it was reported", pod({ running: {} }, {}, { restartCount: 1 })],
  ["its container ends", pod({ terminated: { exitCode: 1 } })],
  ["its pod is removed", pod({}, { deletionTimestamp: "x" })],
  ["its pod is gone", undefined],
  ["another pod has its name", { ...BOUND, metadata: { uid: "u2" } }],
])("a run that was not reported is not up any more when %s", (_when, next) => {
  const seen = follow();
  seen.see(BOUND);
  const attached = seen.unreported;
  if (attached === undefined) throw new Error("Nothing can be attached to.");

  seen.see(next);
  expect(seen.isUp(attached)).toBe(false);
});

test("a run that was reported is not up any more when its pod has to be made again", () => {
  const seen = follow();
  seen.see(pod({ running: {} }));
  const { run } = seen;
  if (run === undefined) throw new Error("Nothing runs.");
  seen.see(BOUND);

  expect(seen.isUp(run)).toBe(false);
  expect(seen.unreported).toBeUndefined();
});
