import { describe, expect, it } from "vitest";
import { EMPTY, type LiveState, MAX_DENIED, reduceLive, type StreamEvent, type Workload } from "./live-store.ts";

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

  it("sorts a new workload in, and forgets one that is removed with its refused connections", () => {
    const refused = event("denied", { name: "b", host: "x.example", port: 443, count: 1 });
    const state = after(
      event("snapshot", { workloads: [workload("a"), workload("c")] }),
      event("workload", { workload: workload("b") }),
      refused,
    );
    expect(names(state)).toEqual(["a", "b", "c"]);
    const next = reduceLive(state, event("workload_removed", { name: "b" }));
    expect(names(next)).toEqual(["a", "c"]);
    expect(next.denied.size).toBe(0);
  });

  it("counts refused connections by target, the newest first", () => {
    const deny = (host: string, count: number) => event("denied", { name: "a", host, port: 443, count });
    const state = after(deny("one.example", 1), deny("two.example", 1), deny("one.example", 3));
    expect(state.denied.get("a")).toEqual([
      { host: "one.example", port: 443, at: AT, count: 4 },
      { host: "two.example", port: 443, at: AT, count: 1 },
    ]);
  });

  it("keeps a bounded number of them", () => {
    const all = Array.from({ length: MAX_DENIED + 5 }, (_each, index) =>
      event("denied", { name: "a", host: `${index}.example`, port: 443, count: 1 }),
    );
    expect(after(...all).denied.get("a")).toHaveLength(MAX_DENIED);
  });

  it("keeps the moment since when a connection is as it is", () => {
    const away = reduceLive(EMPTY, { type: "connection", connection: "away", at: 5 });
    expect(reduceLive(away, { type: "connection", connection: "away", at: 9 })).toBe(away);
    expect(away.since).toBe(5);
  });
});
