/** The stream of events: what comes, in which order, and what happens to readers that are slow, late or too many. */
import { join } from "node:path";
import { ThvError } from "@toolhive/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiClient } from "./client.ts";
import type { EventBody } from "./contract/events.ts";
import { MAX_EVENT_STREAMS } from "./contract/parts/limits.ts";
import type { WorkloadBody } from "./contract/parts/workload-schemas.ts";
import { EventHub } from "./live/event-hub.ts";
import { WorkloadNews } from "./live/workload-news.ts";
import { ServedWorld } from "./testing/served-world.ts";

const WAIT = { timeout: 20_000, interval: 5 };

const workload = (name: string, more: Partial<WorkloadBody> = {}): WorkloadBody => ({
  name,
  package: "mcp/echo:1",
  url: `http://127.0.0.1:1/${name}`,
  port: 1,
  tool_type: "mcp",
  transport_type: "stdio",
  status: "running",
  created_at: "2026-01-28T12:00:00.000Z",
  ...more,
});

describe("the API's events", () => {
  let served: ServedWorld;
  let client: ApiClient;
  beforeEach(async () => {
    served = await ServedWorld.start();
    client = new ApiClient({ host: "127.0.0.1", port: served.port });
  });
  afterEach(async () => {
    expect(served.bugs).toEqual([]);
    await served[Symbol.asyncDispose]();
  });

  /** Follows until an event is the last one wanted. */
  async function readUntil(isLast: (event: EventBody) => boolean, since?: string): Promise<EventBody[]> {
    const seen: EventBody[] = [];
    for await (const event of client.stream("watchEvents", { query: { since } })) {
      seen.push(event);
      if (isLast(event)) break;
    }
    return seen;
  }
  const isOperation = (kind: string) => (event: EventBody) => event.type === "operation" && event.data.kind === kind;

  test("begin with a snapshot, then say each status and which operation has ended", async () => {
    const reading = readUntil(isOperation("remove"));
    await vi.waitFor(() => expect(served.server.openRequests).toBe(1), WAIT);

    await client.call("createWorkload", { body: { image: "mcp/echo:1", name: "watched" } });
    await vi.waitFor(() => expect(served.supervisor.describe("watched").status).toBe("running"), WAIT);
    await client.call("restartWorkload", { params: { name: "watched" } });
    await vi.waitFor(() => expect(served.supervisor.describe("watched").status).toBe("running"), WAIT);
    await client.call("stopWorkload", { params: { name: "watched" } });
    await vi.waitFor(() => expect(served.supervisor.describe("watched").status).toBe("stopped"), WAIT);
    await client.call("deleteWorkload", { params: { name: "watched" } });
    const events = await reading;

    expect(events[0]).toMatchObject({ type: "snapshot", data: { workloads: [] } });
    expect(events.filter(({ type }) => type === "operation").map(({ data }) => data)).toEqual(
      ["start", "restart", "stop", "remove"].map((kind) => ({ kind, name: "watched", outcome: "done" })),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: "workload_removed", data: { name: "watched" } }));
  });

  test("say why a start has failed", async () => {
    const reading = readUntil(isOperation("start"));
    await vi.waitFor(() => expect(served.server.openRequests).toBe(1), WAIT);

    served.world.engine.interfere("createContainer", async () => {
      throw new ThvError("ENGINE_FAILED", "The disk is on fire.", { hint: "Put it out." });
    });
    await client.call("createWorkload", { body: { image: "mcp/echo:1", name: "fails" } });
    const events = await reading;

    expect(events.at(-1)).toMatchObject({
      type: "operation",
      data: {
        kind: "start",
        name: "fails",
        outcome: "failed",
        error: { code: "ENGINE_FAILED", message: "The disk is on fire.", hint: "Put it out." },
      },
    });
  });

  test("say that clients, groups and secrets have changed, and nothing when the change was refused", async () => {
    const reading = readUntil(({ type }) => type === "secrets");
    await vi.waitFor(() => expect(served.server.openRequests).toBe(1), WAIT);

    await expect(client.call("registerClient", { body: { name: "no-such" } })).rejects.toThrow();
    await client.call("registerClient", { body: { name: "cursor" } });
    await expect(client.call("deleteGroup", { params: { name: "nowhere" } })).rejects.toThrow();
    await client.call("createGroup", { body: { name: "work" } });
    await client.call("setupSecrets", { body: { provider_type: "none" } });
    const events = await reading;

    expect(events.map(({ type }) => type)).toEqual(["snapshot", "clients", "groups", "secrets"]);
  });

  test("go on where a reader was, and begin anew for an id that nobody knows", async () => {
    const [{ id }] = (await readUntil(() => true)) as [EventBody];
    await client.call("createWorkload", { body: { image: "mcp/echo:1", name: "first" } });
    await vi.waitFor(() => expect(served.supervisor.describe("first").status).toBe("running"), WAIT);

    const resumed = await readUntil(isOperation("start"), id);
    const anew = await readUntil(() => true, "elsewhere-1");

    expect(resumed.map(({ type }) => type)).not.toContain("snapshot");
    expect(anew).toMatchObject([{ type: "snapshot", data: { workloads: [{ name: "first" }] } }]);
  });

  test("end with the supervisor", async () => {
    const lines = client.stream("watchEvents");
    await lines.next();
    const next = lines.next();
    await served.supervisor.close({ keepContainers: false });

    expect((await next).done).toBe(true);
  });

  test("have a bound on their readers, and a place is free once one leaves", async () => {
    const socketPath = join(served.home, "thv.sock");
    await served.server.listenOnSocket(socketPath);
    const readers = Array.from({ length: MAX_EVENT_STREAMS }, () => client.stream("watchEvents"));
    for (const reader of readers) await reader.next();

    await expect(client.stream("watchEvents").next()).rejects.toMatchObject({ code: "LIMIT_REACHED" });
    await readers[0]?.return(undefined);
    await vi.waitFor(async () => expect(await readUntil(() => true)).toHaveLength(1), WAIT);
    for (const reader of readers) await reader.return(undefined);
    await vi.waitFor(() => expect(served.server.openRequests).toBe(0), WAIT);
  });
});

describe("a reader of events", () => {
  const leave = new AbortController();

  function openHub(list: () => readonly WorkloadBody[] = () => []) {
    return new EventHub({
      list,
      followChanges: async function* (signal) {
        yield;
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      },
    });
  }

  test("that is slow gets a snapshot in place of what is not kept any more", async () => {
    const hub = openHub(() => [workload("one")]);
    const events = hub.follow(undefined, leave.signal);
    await events.next();
    for (let count = 0; count < 1_500; count += 1) hub.publish({ type: "clients", data: {} });

    const { value: next } = await events.next();
    hub.publish({ type: "secrets", data: {} });
    const { value: then } = await events.next();
    await events.return(undefined);

    expect(next).toMatchObject({ type: "snapshot", data: { workloads: [{ name: "one" }] } });
    expect(then).toMatchObject({ type: "secrets" });
  });

  test("keeps nobody from the newest events, however large they are", async () => {
    const hub = openHub();
    const events = hub.follow(undefined, leave.signal);
    const first = await events.next();
    const large = workload("large", { status_context: "x".repeat(200_000) });
    for (let count = 0; count < 10; count += 1) hub.publish({ type: "workload", data: { workload: large } });

    const resumed = hub.follow((first.value as EventBody).id, leave.signal);
    expect(await resumed.next()).toMatchObject({ value: { type: "snapshot" } });
    await resumed.return(undefined);
    await events.return(undefined);
  });

  test("receives a heartbeat when nothing happens", async () => {
    vi.useFakeTimers();
    try {
      const events = openHub().follow(undefined, leave.signal);
      const first = await events.next();
      const next = events.next();
      await vi.advanceTimersByTimeAsync(15_000);

      expect(await next).toMatchObject({ value: { type: "heartbeat", id: (first.value as EventBody).id } });
      await events.return(undefined);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("news of workloads", () => {
  test("of one status come ten times a second at most, and the last of them is not lost", () => {
    const news = new WorkloadNews();
    const pulling = (context: string) => [workload("a", { status: "starting", status_context: context })];
    news.compare(pulling("0"), 0);
    const told: number[] = [];
    for (let at = 10; at <= 1_000; at += 10) if (news.compare(pulling(`${at}`), at).news.length > 0) told.push(at);

    expect(told.length).toBeLessThanOrEqual(10);
    expect(news.compare(pulling("last"), 1_010)).toEqual({ news: [], isHeldBack: true });
    expect(news.compare(pulling("last"), 1_200).news).toHaveLength(1);
  });

  test("of another status come at once", () => {
    const news = new WorkloadNews();
    news.compare([workload("a", { status: "starting" })], 0);

    expect(news.compare([workload("a")], 1).news).toMatchObject([
      { type: "workload" },
      { type: "operation", data: { kind: "start", outcome: "done" } },
    ]);
  });

  test("of a refused connection name its target, once for each time that the status says another", () => {
    const news = new WorkloadNews();
    const refused = (host: string) => workload("a", { status_context: `network: denied ${host}. To allow it: x` });
    news.compare([refused("old.test:443")], 0);

    expect(news.compare([refused("new.test:80")], 1_000).news).toMatchObject([
      { type: "workload" },
      { type: "denied", data: { name: "a", host: "new.test", port: 80, count: 1 } },
    ]);
    expect(news.compare([refused("new.test:80")], 2_000).news).toEqual([]);
    expect(news.compare([workload("a", { status_context: "fine" })], 3_000).news).toHaveLength(1);
  });

  test("of a failed removal and of a server that came back by itself name the work", () => {
    const news = new WorkloadNews();
    const error = { code: "ENGINE_FAILED", message: "no", hint: "h" };
    const step = (more: Partial<WorkloadBody>) => news.compare([workload("a", more)], 0).news.slice(1);
    step({});

    expect(step({ status: "starting" })).toEqual([]);
    expect(step({ status: "running" })).toMatchObject([{ data: { kind: "restart", outcome: "done" } }]);
    expect(step({ status: "removing" })).toEqual([]);
    expect(step({ status: "error", error })).toMatchObject([{ data: { kind: "remove", outcome: "failed", error } }]);
  });
});
