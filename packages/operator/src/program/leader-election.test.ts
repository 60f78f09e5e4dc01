/** Renewals while the API server is too busy to answer all of them; with a real one in `leader-election.e2e.test.ts`. */
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ClusterClient, ClusterError, type ClusterRequest } from "../cluster/index.ts";
import type { JsonObject } from "../contract/index.ts";
import { LeaderElection } from "./leader-election.ts";
import { Lease } from "./lease.ts";

/** One lease, as the API server keeps it. */
class LeaseApi {
  stored: JsonObject | undefined;
  readonly requests: string[] = [];
  /** What is done with a request in place of answering it; `undefined`: it is answered. */
  spoil: (request: ClusterRequest) => Promise<never> | undefined = () => undefined;
  #version = 0;

  get client(): ClusterClient {
    const send = async (request: ClusterRequest) => {
      if (request.path.endsWith("/events")) return {};
      this.requests.push(request.method ?? "GET");
      return (await this.spoil(request)) ?? this.answer(request);
    };
    return { send } as unknown as ClusterClient;
  }

  answer({ method = "GET", body }: ClusterRequest): JsonObject {
    if (method === "GET") {
      if (this.stored === undefined) throw new ClusterError("not found", 404);
      return this.stored;
    }
    const lease = body as JsonObject;
    const version = this.stored?.metadata.resourceVersion;
    if (lease.metadata.resourceVersion !== version) throw new ClusterError("changed", 409);
    this.#version += 1;
    this.stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#version) } };
    return this.stored;
  }
}

const QUIET = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
/** As a request without an answer ends: when its caller gives it up. */
const never = async ({ signal }: ClusterRequest): Promise<never> => {
  if (!signal?.aborted) await once(signal as AbortSignal, "abort");
  throw new ClusterError("given up", 0);
};

let api: LeaseApi;
let lease: Lease;
let over: AbortController;
beforeEach(() => {
  api = new LeaseApi();
  over = new AbortController();
  lease = new Lease({ client: api.client, namespace: "tools", name: "lease", identity: "own", durationSeconds: 15 });
});
afterEach(() => over.abort());

test("a renewal is one request", async () => {
  await lease.hold(over.signal);
  api.requests.length = 0;

  expect(await lease.hold(over.signal)).toMatchObject({ isHeld: true });

  expect(api.requests).toEqual(["PUT"]);
});

test("a renewal that was given up and is stored all the same does not make its process believe that another one leads", async () => {
  await lease.hold(over.signal);
  const late: ClusterRequest[] = [];
  api.spoil = (request) => {
    if (request.method !== "PUT" || late.length > 0) return undefined;
    late.push(request);
    throw new ClusterError("given up", 0);
  };
  await expect(lease.hold(over.signal)).rejects.toThrow("given up");
  // Between the next reading and the next write.
  api.spoil = (request) => {
    const [earlier] = late.splice(0);
    if (request.method === "PUT" && earlier) api.answer(earlier);
    else if (earlier) late.push(earlier);
    return undefined;
  };

  expect(await lease.hold(over.signal)).toEqual({ isHeld: true, holder: "own" });
  expect(late).toEqual([]);
});

test("a lease that another process took is not held, and not taken back", async () => {
  await lease.hold(over.signal);
  const taken = { ...api.stored, spec: { ...api.stored?.spec, holderIdentity: "other" } };
  api.answer({ method: "PUT", path: "", body: taken });

  expect(await lease.hold(over.signal)).toEqual({ isHeld: false, holder: "other" });
  expect(api.stored?.spec.holderIdentity).toBe("other");
});

test("a leader keeps leading when one of its renewals gets no answer", async () => {
  const history: string[] = [];
  const times = { leaseMs: 6_000, renewMs: 20, deadlineMs: 3_000, tryMs: 20 };
  const election = new LeaderElection({ client: api.client, namespace: "tools", log: QUIET, identity: "own", times });
  const done = election.run(over.signal, async (leading) => {
    history.push("leads");
    if (!leading.aborted) await once(leading, "abort");
    history.push("stops");
  });
  await expect.poll(() => history).toEqual(["leads"]);
  let unanswered = 0;
  api.spoil = (request) => {
    if (request.method === "GET" || unanswered > 0) return undefined;
    unanswered += 1;
    return never(request);
  };
  await expect.poll(() => unanswered).toBe(1);
  const { length } = api.requests;
  await expect.poll(() => api.requests.length, { timeout: 10_000 }).toBeGreaterThan(length + 4);

  expect(history).toEqual(["leads"]);

  over.abort();
  await done;
});
