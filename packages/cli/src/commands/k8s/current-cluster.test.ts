/** Commands that need a cluster say what to do when there is none. */
import { ClusterError } from "@toolhive/operator/cluster";
import { expect, test } from "vitest";
import { describeClusterError } from "./current-cluster.ts";

test.each([
  ["cannot be reached", new ClusterError("connect ECONNREFUSED 127.0.0.1:6443", 0), "kubectl cluster-info"],
  ["refuses the caller", new ClusterError("mcpservers is forbidden", 403), "kubectl auth whoami"],
])("an API server that %s is an error with the next command", (_what, error, command) => {
  expect(describeClusterError(error)).toMatchObject({
    code: "CLUSTER_UNREACHABLE",
    message: `${error.message}.`,
    hint: expect.stringContaining(command),
  });
});

test("an error that is not the cluster's stays as it is", () => {
  const error = new Error("something else");

  expect(describeClusterError(error)).toBe(error);
});
