import { expect, test } from "vitest";
import { readContainer } from "./server-pod.ts";

const pod = (state: object, more: object = {}) => ({
  metadata: { uid: "u1", ...more },
  status: { containerStatuses: [{ name: "other" }, { name: "mcp", containerID: "containerd://c1", state }] },
});

test.each([
  ["no pod", undefined, { reason: "its pod does not exist" }],
  ["one that runs", pod({ running: {} }), { id: "u1 containerd://c1" }],
  ["one that goes", pod({ running: {} }, { deletionTimestamp: "x" }), { reason: "its pod is being removed" }],
  ["one that was just made", { metadata: { uid: "u1" } }, { reason: "its pod is being started" }],
  ["one that is being made", pod({ waiting: { reason: "ContainerCreating" } }), { reason: "its pod is being started" }],
  [
    "one whose image is missing",
    pod({ waiting: { reason: "ImagePullBackOff", message: "no such image" } }),
    { reason: "its container waits: ImagePullBackOff, no such image" },
  ],
  ["one that ended", pod({ terminated: { exitCode: 3 } }), { reason: "its container ended with code 3" }],
])("of %s is read whether it can be attached to", (_case, given, expected) => {
  expect(readContainer(given, "mcp")).toEqual(expected);
});
