/** One MCPServer, MCPRemoteProxy or MCPGroup: its objects are written, then its status, then Events of what changed in it. */
import type { ClusterClient } from "../cluster/index.ts";
import { formatObjectPath, type Proxied } from "../contract/index.ts";
import {
  buildGroupFile,
  buildToolChoice,
  checkName,
  findPrivilege,
  findToolConfigProblem,
  type OperatorSettings,
  readSpec,
} from "../desired/index.ts";
import { EventWriter } from "./event-writer.ts";
import { askPods } from "./kinds/ask-pods.ts";
import { isLate } from "./kinds/ask-tools.ts";
import { computeStatus, isSameStatus } from "./kinds/compute-status.ts";
import { findSidecarRefusal } from "./kinds/server/find-sidecar-refusal.ts";
import type { NamespaceLimits } from "./kinds/server/namespace-limits.ts";
import { removeOldFinalizer } from "./old-finalizer.ts";
import { resolveReferences } from "./references.ts";
import { type ServerRecord, trimServer } from "./server-record.ts";
import type { ServerStore } from "./server-store.ts";
import { applyStatus, formatNow } from "./status/write-status.ts";
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

/** @returns Milliseconds until it is compared again; `undefined`: when something changes. @throws {ClusterError} When it is tried again. */
export async function reconcileServer(record: ServerRecord, options: ReconcileOptions): Promise<number | undefined> {
  const { client, store, signal } = options;
  const path = formatObjectPath(record.server.kind, record.server.metadata);
  const changed = await removeOldFinalizer(client, record.server, path, signal);
  if (changed !== undefined) record.server = trimServer(changed);
  let refusal: PartRefused | undefined;
  if (record.server.metadata.deletionTimestamp === undefined) {
    refusal = findRefusal(record.server, store.settings);
    if (refusal === undefined) {
      await refresh(record, options);
      // Without what it references, its proxy would ask callers for less than the object says.
      if (record.references === undefined) return STALE_MS;
      refusal = await writeParts(record, options).then(() => undefined, toRefusal);
    }
  }
  const context = store.buildContext(record);
  const groupFile = buildGroupFile(context)?.version;
  const { tools, tools_override: overrides, tools_version: version = "" } = buildToolChoice(context);
  const isEverything = tools === undefined && overrides === undefined;
  const again = await askPods(record, { client, groupFile, tools: { version, isEverything }, signal });
  await writeStatus(record, refusal, options);
  // Tried again later, as whatever refused it may be changed without any event for the operator.
  if (refusal?.cause) throw refusal;
  return again;
}

function findRefusal(server: Proxied, settings: OperatorSettings): PartRefused | undefined {
  const name = checkName(server);
  if (name !== undefined) return new PartRefused("NameInvalid", name);
  const { listProblems, remedy } = readSpec(server);
  const [problem] = listProblems();
  if (problem !== undefined) return new PartRefused("SpecInvalid", `${problem} ${remedy} the ${server.kind}.`);
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

async function writeStatus(
  record: ServerRecord,
  refusal: PartRefused | undefined,
  { client, store, events, signal }: ReconcileOptions,
): Promise<void> {
  const { server, references, owned, pods, podFailure, sidecarRefusal } = record;
  const statefulSet = owned.get("statefulSet")?.workload;
  const all = [...pods.values()];
  const context = store.buildContext(record);
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
      hasLateTools: [...record.askedTools.values()].some(isLate),
      serverPods: all.filter(({ side }) => side === "server"),
      proxyPods: all.filter(({ side }) => side === "proxy"),
    },
    formatNow(),
  );
  const before = server.status;
  if (isSameStatus(before, status)) return;
  const stored = await applyStatus(client, server, status, signal);
  if (stored === undefined) return;
  // A newer form that arrived meanwhile stays.
  if (record.server === server) record.server = trimServer(stored);
  for (const condition of EventWriter.selectChanges(before?.conditions ?? [], status.conditions ?? [])) {
    await events.write(server, condition, signal);
  }
}
