/** `thv operator`: leads, or stands by, until it is ended. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Logger } from "@toolhive/core";
import { ClusterClient } from "../cluster/index.ts";
import type { OperatorSettings } from "../desired/index.ts";
import { Reconciler } from "../reconcile/index.ts";
import type { BindAddress } from "./bind-address.ts";
import { followNetworks, readClusterFacts } from "./cluster-facts.ts";
import { LeaderElection } from "./leader-election.ts";
import { METRICS_TYPE, printMetrics } from "./print-metrics.ts";
import { readEnvironment } from "./read-environment.ts";
import { serveStatus } from "./serve-status.ts";

export interface OperatorOptions {
  /** Default: the pod's own account, otherwise that of `KUBECONFIG`. */
  readonly kubeconfig?: string | undefined;
  /** `undefined`: there are none. */
  readonly metricsAddress: BindAddress | undefined;
  readonly probeAddress: BindAddress | undefined;
  /** Whether others of its kind may run. Otherwise it works at once. */
  readonly electsLeader: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the proxies, unless the environment names another one. */
  readonly defaultImage: string;
  readonly log: Logger;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Resolves when nothing of it writes any more, and its lease is given up.
 *
 * @throws {ThvError} For addresses and variables that cannot be used. @throws {ClusterError} When there is no cluster.
 */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const { env, log, signal } = options;
  const environment = readEnvironment(env, options.defaultImage);
  const client = ClusterClient.load(options.kubeconfig);
  const identity = `${hostname()}_${randomUUID()}`;
  const election = options.electsLeader
    ? { client: ClusterClient.load(options.kubeconfig), namespace: environment.namespace(client), identity, log }
    : undefined;
  const leadership = election && new LeaderElection(election);
  let reconciler: Reconciler | undefined;

  const isReady = (): boolean => {
    const isStandingBy = leadership !== undefined && !leadership.isLeader;
    return isStandingBy ? leadership.isInTouch : reconciler?.isSynced === true;
  };
  const printAll = () => {
    const counts = reconciler?.counts ?? { servers: 0, queued: 0, reconciles: 0, failures: 0 };
    const isLeader = leadership?.isLeader ?? true;
    return { type: METRICS_TYPE, text: printMetrics({ ...counts, isLeader, requests: client.counts }) };
  };
  const probes = {
    "/healthz": () => ({ text: "ok\n" }),
    "/readyz": () => (isReady() ? { text: "ok\n" } : { text: "the API server was not reached yet\n", status: 503 }),
  };

  const lead = async (leading: AbortSignal): Promise<void> => {
    const ask = { client, env, log, signal: leading };
    const facts = await readClusterFacts(ask);
    const close = (networks: readonly string[]) => [...environment.networks, ...networks];
    const settings: OperatorSettings = {
      ...environment.settings,
      closedNetworks: close(facts.networks),
      clusterIssuer: facts.issuer,
    };
    const working = new Reconciler({ client, settings, namespaces: environment.namespaces, log, instance: identity });
    reconciler = working;
    try {
      const following = followNetworks(facts, (networks) => working.replaceClosedNetworks(close(networks)), ask);
      await Promise.all([working.run(leading), following]);
    } finally {
      reconciler = undefined;
    }
  };

  try {
    await using _probes = options.probeAddress && (await serveStatus(options.probeAddress, probes));
    await using _metrics =
      options.metricsAddress && (await serveStatus(options.metricsAddress, { "/metrics": printAll }));
    await (leadership ? leadership.run(signal, lead) : lead(signal));
  } finally {
    client.close();
    election?.client.close();
  }
}
