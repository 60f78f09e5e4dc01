/** One MCPServer, MCPRemoteProxy or MCPGroup: its objects are written, then its status, then Events of what changed in it. */
import { type ClusterClient, ClusterError } from "../cluster/index.ts";
import { API_VERSION, FIELD_MANAGER, type MCPServer, pluralize } from "../contract/index.ts";
import {
  buildGroupFile,
  checkName,
  findPrivilege,
  findToolConfigProblem,
  listSpecProblems,
  type OperatorSettings,
} from "../desired/index.ts";
import { EventWriter } from "./event-writer.ts";
import { findSidecarRefusal } from "./find-sidecar-refusal.ts";
import type { NamespaceLimits } from "./namespace-limits.ts";
import { removeOldFinalizer } from "./old-finalizer.ts";
import { resolveReferences } from "./references.ts";
import { askGroup } from "./reports/ask-group.ts";
import { askRemoteProxies } from "./reports/ask-remote.ts";
import { type ServerRecord, trimServer } from "./server-record.ts";
import type { ServerStore } from "./server-store.ts";
import { computeStatus, isSameStatus } from "./status/server-status.ts";
import { PartRefused, writeParts } from "./write-parts.ts";

export interface ReconcileOptions {
  readonly client: ClusterClient;
  readonly store: ServerStore;
  readonly events: EventWriter;
  readonly limits: NamespaceLimits;
  readonly signal: AbortSignal;
}

/** Milliseconds until references that changed while they were read are read again. */
const STALE_MS = 50;

/** Milliseconds after which a StatefulSet without pods is asked about why, each time later. */
const POD_FAILURE_MS = [2_000, 10_000, 60_000, 300_000] as const;

/** @returns When it is to be looked at again, in milliseconds. @throws {ClusterError} When it is to be tried again. */
export async function reconcileServer(record: ServerRecord, options: ReconcileOptions): Promise<number | undefined> {
  const { client, store, signal } = options;
  const path = pathOf(record.server);
  const changed = await removeOldFinalizer(client, record.server, path, signal);
  if (changed !== undefined) record.server = trimServer(changed);
  let refusal: PartRefused | undefined;
  if (record.server.metadata.deletionTimestamp === undefined) {
    refusal = findRefusal(record.server, store.settings);
    if (refusal === undefined) {
      await refresh(record, options);
      // Without what it references, its proxy would ask callers for less than it shall.
      if (record.references === undefined) return STALE_MS;
      refusal = await writeParts(record, options).then(() => undefined, toRefusal);
    }
  }
  const again = await askPods(record, options);
  await writeStatus(record, refusal, options);
  // Tried again later, as whatever refused it may be changed without any event for the operator.
  if (refusal?.cause) throw refusal;
  return again;
}

/** What only pods know, or their Events. @returns When to ask again, in milliseconds. */
async function askPods(record: ServerRecord, { client, store, signal }: ReconcileOptions): Promise<number | undefined> {
  const { remote, group } = record.server;
  if (group !== undefined) return await askGroup(record, buildGroupFile(store.contextOf(record))?.version, signal);
  return remote ? await askRemoteProxies(record, signal) : await findPodFailure(record, client, signal);
}

function findRefusal(server: MCPServer, settings: OperatorSettings): PartRefused | undefined {
  const name = checkName(server);
  if (name !== undefined) return new PartRefused("NameInvalid", name);
  const [problem] = listSpecProblems(server);
  if (problem !== undefined)
    return new PartRefused("SpecInvalid", `${problem} ${server.remote ? "Correct" : "Add it to"} the ${server.kind}.`);
  const privilege = settings.allowsPrivilegedServers ? undefined : findPrivilege(server);
  return privilege === undefined ? undefined : new PartRefused("PrivilegeRefused", privilege);
}

function toRefusal(error: unknown): PartRefused {
  if (error instanceof PartRefused) return error;
  throw error;
}

async function refresh(record: ServerRecord, { client, store, limits, signal }: ReconcileOptions): Promise<void> {
  const { server } = record;
  if (record.references === undefined) {
    const { referenceChanges } = record;
    const references = await resolveReferences(client, server, signal);
    // What changed meanwhile is read again with the work that this change asked for.
    if (record.referenceChanges === referenceChanges) record.references = references;
  }
  record.sidecarRefusal = await findSidecarRefusal(record, { settings: store.settings, limits, signal });
}

/** A StatefulSet does not say why it has no pods; its Events do. */
async function findPodFailure(
  record: ServerRecord,
  client: ClusterClient,
  signal: AbortSignal,
): Promise<number | undefined> {
  const owned = record.owned.get("statefulSet");
  const isWithout =
    owned?.workload && owned.workload.want > 0 && owned.workload.total === 0 && owned.workload.isObserved;
  if (!isWithout || owned === undefined) {
    record.podFailure = undefined;
    record.podFailureAsked = 0;
    return undefined;
  }
  const asked = record.podFailureAsked;
  const now = Date.now();
  if (asked === 0) record.podFailureNext = now + POD_FAILURE_MS[0];
  if (asked === 0 || now < record.podFailureNext) {
    record.podFailureAsked = Math.max(asked, 1);
    return Math.max(record.podFailureNext - now, 1);
  }
  const wait = POD_FAILURE_MS[Math.min(asked, POD_FAILURE_MS.length - 1)] ?? POD_FAILURE_MS[0];
  record.podFailureAsked = asked + 1;
  record.podFailureNext = now + wait;
  try {
    const { namespace } = record.server.metadata;
    const { items = [] } = await client.send({
      path: `/api/v1/namespaces/${namespace}/events`,
      query: { fieldSelector: `involvedObject.uid=${owned.uid},reason=FailedCreate` },
      signal,
    });
    record.podFailure = items.at(-1)?.message?.slice(0, 400);
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
  }
  return wait;
}

async function writeStatus(
  record: ServerRecord,
  refusal: PartRefused | undefined,
  { client, store, events, signal }: ReconcileOptions,
): Promise<void> {
  const { server, references, owned, pods, podFailure, sidecarRefusal } = record;
  const statefulSet = owned.get("statefulSet")?.workload;
  const all = [...pods.values()];
  const context = store.contextOf(record);
  const { members } = context;
  const toolProblem = findToolConfigProblem(server, context.toolConfig);
  const status = computeStatus(
    {
      server,
      refusal,
      problems: [...(references?.problems ?? []), ...(toolProblem ? [toolProblem] : [])],
      sidecarRefusal,
      isAsleep: record.isAsleep,
      statefulSet: statefulSet && { ...statefulSet, failure: podFailure },
      deployment: owned.get("deployment")?.workload,
      remoteReports: record.remoteReports,
      group: members && {
        members,
        version: buildGroupFile(context)?.version ?? "",
        report: record.groupReport,
      },
      joined: store.findJoining(record),
      serverPods: all.filter(({ side }) => side === "server"),
      proxyPods: all.filter(({ side }) => side === "proxy"),
    },
    `${new Date().toISOString().slice(0, 19)}Z`,
  );
  const before = server.status;
  if (isSameStatus(before, status)) return;
  const { name, namespace, uid } = server.metadata;
  try {
    const stored = await client.apply(
      `${pathOf(server)}/status`,
      { apiVersion: API_VERSION, kind: server.kind, metadata: { name, namespace, uid }, status },
      { manager: FIELD_MANAGER, signal },
    );
    // A newer form that came meanwhile stays.
    if (record.server === server) record.server = trimServer(stored);
  } catch (error) {
    // It was deleted.
    if (error instanceof ClusterError && error.status === 404) return;
    throw error;
  }
  for (const condition of EventWriter.selectChanges(before?.conditions ?? [], status.conditions ?? [])) {
    await events.write(server, condition, signal);
  }
}

function pathOf({ kind, metadata: { namespace, name } }: MCPServer): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/${pluralize(kind)}/${name}`;
}
