import { expect, test } from "vitest";
import type { Workload } from "../store/live-store.ts";
import { needsAttention } from "./status-mark.tsx";

test.each<[what: string, more: Partial<Workload>, needs: boolean]>([
  ["runs", { status: "running" }, false],
  ["was stopped", { status: "stopped" }, false],
  ["sleeps", { status: "running", asleep: true }, false],
  ["failed", { status: "error" }, true],
  ["does not answer", { status: "unhealthy" }, true],
  ["waits for a sign-in", { status: "unauthenticated" }, true],
  ["has a warning", { status: "running", warnings: ["It has no network isolation."] }, true],
  ["has changed its tools", { status: "running", tool_differences: 1 }, true],
  ["lacks a chosen tool", { status: "running", missing_tools: ["add"] }, true],
])("a server that %s needs somebody: %j, %s", (_what, more, needs) => {
  expect(needsAttention({ name: "mine", ...more } as Workload)).toBe(needs);
});
