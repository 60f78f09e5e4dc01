import { describe, expect, it } from "vitest";
import { EMPTY, type LiveState, reduceLive, type StreamEvent, type Workload } from "./live-store.ts";

const AT = "2026-01-02T03:04:05.000Z";
const workload = (name: string, status = "running") => ({ name, status }) as Workload;
const event = <Type extends StreamEvent["type"]>(type: Type, data: Extract<StreamEvent, { type: Type }>["data"]) =>
  ({ id: "1", at: AT, type, data }) as StreamEvent;
const after = (...events: StreamEvent[]): LiveState => events.reduce<LiveState>(reduceLive, EMPTY);
const names = (state: LiveState) => [...(state.workloads?.keys() ?? [])];

describe("the live state", () => {
  it("holds what a snapshot says, sorted, and nothing that was known before", () => {
    const first = after(event("snapshot", { workloads: [workload("old")] }));
    const next = reduceLive(first, event("snapshot", { workloads: [workload("b"), workload("a")] }));
    expect(names(next)).toEqual(["a", "b"]);
  });

  it("stays the same object when nothing has changed, so that nothing is drawn again", () => {
    const state = after(event("snapshot", { workloads: [workload("a"), workload("b")] }));
    expect(reduceLive(state, event("snapshot", { workloads: [workload("a"), workload("b")] }))).toBe(state);
    expect(reduceLive(state, event("workload", { workload: workload("a") }))).toBe(state);
    expect(reduceLive(state, event("heartbeat", {}))).toBe(state);
  });

  it("keeps the objects of workloads that have not changed", () => {
    const state = after(event("snapshot", { workloads: [workload("a"), workload("b")] }));
    const next = reduceLive(state, event("workload", { workload: workload("a", "stopped") }));
    expect(next.workloads?.get("a")?.status).toBe("stopped");
    expect(next.workloads?.get("b")).toBe(state.workloads?.get("b"));
  });

  it("sorts a new workload in, and forgets one that is removed", () => {
    const state = after(
      event("snapshot", { workloads: [workload("a"), workload("c")] }),
      event("workload", { workload: workload("b") }),
    );
    expect(names(state)).toEqual(["a", "b", "c"]);
    const next = reduceLive(state, event("workload_removed", { name: "b" }));
    expect(names(next)).toEqual(["a", "c"]);
  });

  it("keeps the moment since when a connection is as it is", () => {
    const away = reduceLive(EMPTY, { type: "connection", connection: "away", at: 5 });
    expect(reduceLive(away, { type: "connection", connection: "away", at: 9 })).toBe(away);
    expect(away.since).toBe(5);
  });
});
