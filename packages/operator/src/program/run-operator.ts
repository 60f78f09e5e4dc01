/** `thv operator`: leads, or is on standby, until it is ended. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Logger } from "@toolhive/core";
import { ClusterClient } from "../cluster/index.ts";
import type { OperatorSettings } from "../desired/index.ts";
import { Reconciler } from "../reconcile/index.ts";
import type { BindAddress } from "./bind-address.ts";
import { followNetworks, listOpenNetworks, readClusterFacts } from "./cluster-facts.ts";
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

  const isLeading = () => leadership?.isLeader ?? true;
  const isReady = (): boolean => (isLeading() ? reconciler?.isSynced === true : leadership?.isInTouch === true);
  const printAll = () => {
    const counts = reconciler?.counts ?? { servers: 0, queued: 0, reconciles: 0, failures: 0 };
    const isLeader = isLeading();
    // A sum over all operators would otherwise count each server once for each of them.
    const servers = isLeader ? counts.servers : 0;
    return { type: METRICS_TYPE, text: printMetrics({ ...counts, servers, isLeader, requests: client.counts }) };
  };
  const probes = {
    "/healthz": () => ({ text: "ok\n" }),
    "/readyz": () => (isReady() ? { text: "ok\n" } : { text: "the API server was not reached yet\n", status: 503 }),
  };

  const failure = new AbortController();
  const over = AbortSignal.any([signal, failure.signal]);
  const ask = { client, env, log, signal: over };
  const close = (networks: readonly string[]) => [...environment.networks, ...networks];
  const askCluster = async () => {
    // Networks that an API server could not be asked for would be open.
    await leadership?.untilInTouch(over);
    return await readClusterFacts(ask);
  };
  const facts = askCluster();
  const making = facts.then(({ networks, issuer, unknown }) => {
    const open = listOpenNetworks({ unknown }, environment.networks);
    if (open.length > 0) {
      const advice = "name them in TOOLHIVE_CLUSTER_NETWORKS, because permission profiles do not close them now";
      log.warn({ open }, `the cluster does not say what its networks are: ${advice}`);
    }
    const settings: OperatorSettings = {
      ...environment.settings,
      closedNetworks: close(networks),
      clusterIssuer: issuer,
    };
    const { namespaces } = environment;
    reconciler = new Reconciler({ client, settings, namespaces, log, instance: identity });
    return reconciler;
  });
  /** Also on standby, so that a lost leader is replaced as soon as its lease ends. */
  const follow = async (): Promise<void> => {
    const own = await making;
    const following = followNetworks(await facts, (networks) => own.replaceClosedNetworks(close(networks)), ask);
    await Promise.all([own.follow(over), following]);
  };
  const following = follow().catch((error: unknown) => {
    if (over.aborted) return;
    failure.abort(error);
    throw error;
  });
  const lead = async (leading: AbortSignal): Promise<void> => {
    // Why there is none is what `following` ends with.
    const own = await making.catch(() => undefined);
    await own?.work(leading);
  };

  try {
    await using _probes = options.probeAddress && (await serveStatus(options.probeAddress, probes));
    await using _metrics =
      options.metricsAddress && (await serveStatus(options.metricsAddress, { "/metrics": printAll }));
    await Promise.all([leadership ? leadership.run(over, lead) : lead(over), following]);
  } finally {
    failure.abort();
    await following.catch(() => undefined);
    client.close();
    election?.client.close();
  }
}
