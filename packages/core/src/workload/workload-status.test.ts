import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canFollow,
  createNotRunning,
  STATUS_TRANSITIONS,
  WORKLOAD_STATUSES,
  type WorkloadStatus,
} from "./workload-status.ts";

function reachableFrom(start: WorkloadStatus): Set<WorkloadStatus> {
  const seen = new Set<WorkloadStatus>([start]);
  for (const status of seen) for (const next of STATUS_TRANSITIONS[status]) seen.add(next);
  return seen;
}

describe("the status machine", () => {
  test("names every status of the specification once, in its order", () => {
    expect(WORKLOAD_STATUSES).toEqual([
      "running",
      "stopped",
      "error",
      "starting",
      "stopping",
      "unhealthy",
      "removing",
      "unknown",
      "unauthenticated",
    ]);
    expect(Object.keys(STATUS_TRANSITIONS).sort()).toEqual([...WORKLOAD_STATUSES].sort());
  });

  test.each(["starting", "stopped"] as const)("reaches every status from %s, where a workload begins", (start) => {
    expect([...reachableFrom(start)].sort()).toEqual([...WORKLOAD_STATUSES].sort());
  });

  test.each(WORKLOAD_STATUSES)("offers a way from %s to being removed and to being stopped", (status) => {
    const reachable = reachableFrom(status);

    expect(reachable).toContain("removing");
    expect(reachable).toContain("stopped");
  });

  test.each(WORKLOAD_STATUSES)("lets %s follow itself, so that its context can change", (status) => {
    expect(canFollow(status, status)).toBe(true);
    expect(STATUS_TRANSITIONS[status]).not.toContain(status);
  });

  test("allows a walk exactly when each of its steps is in the table, and never from stopped to running at once", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORKLOAD_STATUSES), { minLength: 2 }), (walk) => {
        for (const [index, from] of walk.slice(0, -1).entries()) {
          const to = walk[index + 1];
          if (!to) continue;
          expect(canFollow(from, to)).toBe(from === to || STATUS_TRANSITIONS[from].includes(to));
          if (from === "stopped" && to === "running") expect(canFollow(from, to)).toBe(false);
        }
      }),
    );
  });

  test("lets nothing but a failure follow a removal", () => {
    expect(WORKLOAD_STATUSES.filter((to) => canFollow("removing", to))).toEqual(["error", "removing"]);
  });
});

test.each([
  ["stopped", "Start it: thv restart it"],
  ["unauthenticated", "Sign in: thv auth login it"],
] as const)("a workload that is %s says the command that changes that", (status, hint) => {
  expect(createNotRunning("it", status)).toMatchObject({
    code: "SERVER_NOT_READY",
    message: `"it" is ${status}.`,
    hint,
  });
});
