/** Leadership on the API server: one at a time, whatever becomes of the leader. */

import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { describeCluster, type TestCluster } from "@toolhive/testing";
import { waitFor } from "@toolhive/testing/wait-for";
import { expect, test } from "vitest";
import { ClusterClient } from "../cluster/index.ts";
import { LEASE_NAME } from "../contract/index.ts";
import { type ElectionTimes, LeaderElection } from "./leader-election.ts";

const QUICK: ElectionTimes = { leaseMs: 3_000, renewMs: 300, deadlineMs: 1_500, tryMs: 200 };
const QUIET = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

/** Who leads, in the order of what happened: `+a` began to lead, `-a` stopped. */
class Candidates implements AsyncDisposable {
  readonly history: string[] = [];
  readonly #running: { readonly end: AbortController; readonly done: Promise<void>; readonly client: ClusterClient }[] =
    [];
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** @returns Ends it as SIGTERM does. */
  start(identity: string, kubeconfig: string, times = QUICK): () => Promise<void> {
    const client = ClusterClient.load(kubeconfig);
    const end = new AbortController();
    const election = new LeaderElection({ client, namespace: this.#namespace, log: QUIET, identity, times });
    const done = election.run(end.signal, async (signal) => {
      this.history.push(`+${identity}`);
      if (!signal.aborted) await once(signal, "abort");
      this.history.push(`-${identity}`);
    });
    this.#running.push({ end, done, client });
    return async () => {
      end.abort();
      await done;
    };
  }

  async untilHistory(expected: readonly string[]): Promise<void> {
    await waitFor(() => this.history.join() === expected.join(), {
      what: `${expected.join()}, not ${this.history.join()}`,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { end } of this.#running) end.abort();
    await Promise.all(this.#running.map(({ done }) => done));
    for (const { client } of this.#running) client.close();
  }
}

/** The API server behind a connection that can be cut. */
async function openCuttable(cluster: TestCluster) {
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const exported = JSON.parse(config.exportConfig());
  const server = new URL(exported.clusters[0].cluster.server);
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(Number(server.port), server.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const folder = await mkdtemp(join(tmpdir(), "thv-election-"));
  const kubeconfig = join(folder, "kubeconfig");
  const { port } = relay.address() as AddressInfo;
  // The certificate is not for this address, but for this name.
  Object.assign(exported.clusters[0].cluster, {
    server: `https://127.0.0.1:${port}`,
    "tls-server-name": "kubernetes.default.svc",
  });
  await writeFile(kubeconfig, JSON.stringify(exported));
  const cut = () => {
    relay.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    kubeconfig,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      await rm(folder, { recursive: true });
    },
  };
}

describeCluster("leader election", (cluster) => {
  test("has one leader, and another one at once when it ends", async () => {
    await using space = await cluster.createNamespace();
    // So long that nobody would wait for it.
    const times = { ...QUICK, leaseMs: 600_000 };
    await using candidates = new Candidates(space.name);
    const endFirst = candidates.start("first", cluster.kubeconfig, times);
    await candidates.untilHistory(["+first"]);
    candidates.start("second", cluster.kubeconfig, times);
    const lease = async () => (await space.get(`lease/${LEASE_NAME}`))?.spec;
    const { acquireTime, renewTime } = await lease();
    await waitFor(async () => (await lease()).renewTime !== renewTime, { what: "a renewal" });
    expect(await lease()).toMatchObject({
      holderIdentity: "first",
      acquireTime,
      leaseDurationSeconds: 600,
      leaseTransitions: 0,
    });

    await endFirst();

    await candidates.untilHistory(["+first", "-first", "+second"]);
    expect(await lease()).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
    const events = await waitFor(
      async () => {
        const items = await space.list("event");
        return items.length === 2 && items;
      },
      { what: "an Event of each" },
    );
    expect(events.map(({ reason, message }: { reason: string; message: string }) => [reason, message]).sort()).toEqual([
      ["LeaderElection", "first became leader"],
      ["LeaderElection", "second became leader"],
    ]);
  });

  test("has a leader that stops before another one begins when it cannot reach the API server", async () => {
    await using space = await cluster.createNamespace();
    await using cuttable = await openCuttable(cluster);
    await using candidates = new Candidates(space.name);
    candidates.start("first", cuttable.kubeconfig);
    await candidates.untilHistory(["+first"]);
    candidates.start("second", cluster.kubeconfig);

    cuttable.cut();

    await candidates.untilHistory(["+first", "-first", "+second"]);
  });

  test("makes a leader stop when somebody else took the lease", async () => {
    await using space = await cluster.createNamespace();
    await using candidates = new Candidates(space.name);
    candidates.start("first", cluster.kubeconfig);
    await candidates.untilHistory(["+first"]);

    const stolen = { spec: { holderIdentity: "thief", leaseDurationSeconds: 1 } };
    await space.kubectl("patch", "lease", LEASE_NAME, "--type=merge", "--patch", JSON.stringify(stolen));

    // The thief renews nothing.
    await candidates.untilHistory(["+first", "-first", "+first"]);
  });

  test("gives the lease to one of ten that want it at the same moment", async () => {
    await using space = await cluster.createNamespace();
    await using candidates = new Candidates(space.name);
    const names = Array.from({ length: 10 }, (_, index) => `candidate-${index}`);
    for (const name of names) candidates.start(name, cluster.kubeconfig);
    const lease = async () => (await space.get(`lease/${LEASE_NAME}`))?.spec;
    const first = await waitFor(lease, { what: "a lease" });
    await waitFor(async () => (await lease()).renewTime !== first.renewTime, { what: "a renewal" });

    expect(candidates.history).toEqual([`+${(await lease()).holderIdentity}`]);
  });
});
