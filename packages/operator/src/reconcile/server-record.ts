/** What the operator remembers of each MCPServer, MCPRemoteProxy and MCPGroup: small parts of its objects, not the objects. */
import { randomBytes } from "node:crypto";
import {
  API_VERSION,
  APPLIED_ANNOTATION,
  type GroupReport,
  type JsonObject,
  KIND,
  PROXY_KINDS,
  type Proxied,
  type ProxyKind,
  type RemoteReport,
  readServerMembers,
} from "../contract/index.ts";
import { digest, type Part, type References, SESSION_KEY } from "../desired/index.ts";
import type { AskedTools } from "./kinds/ask-tools.ts";
import type { WorkloadSummary } from "./status/observation.ts";
import type { PodSummary } from "./status/pod-summary.ts";
import type { Refreshed } from "./status/refresh-pods.ts";

/** One object that belongs to it, as it was seen last. */
export interface OwnedObject {
  readonly uid: string;
  readonly version: number;
  /** Digest of the desired form that it was written from. */
  readonly applied: string;
  /** Whether it has everything that was asked for. */
  readonly isIntact: boolean;
  /** Digest of the object as the API server stored it when it was written, where that differs from the request. */
  readonly accepted?: string | undefined;
  readonly isEnding: boolean;
  readonly workload?: WorkloadSummary | undefined;
}

const KEY_BYTES = 32;

/** @returns The key in a Secret; `undefined` when it holds none. */
export function readSessionKey({ data }: JsonObject): string | undefined {
  const text = data?.[SESSION_KEY];
  return typeof text === "string" && Buffer.from(text, "base64").length === KEY_BYTES ? text : undefined;
}

export class ServerRecord {
  readonly key: string;
  server: Proxied;
  references: References | undefined;
  /** How often what it references was found to have changed. */
  referenceChanges = 0;
  /** Why no sidecar runs beside the server. */
  sidecarRefusal: string | undefined;
  /** 32 random bytes in Base64: those in the cluster, once they are known. */
  sessionKey = randomBytes(KEY_BYTES).toString("base64");
  /** Whether the StatefulSet is marked as asleep. */
  isStoredAsleep = false;
  /** The decision of this operator since it became the leader; it precedes the StatefulSet's mark. */
  isToSleep: boolean | undefined;
  /** The last answers of proxies of an MCPRemoteProxy that are not ready. */
  remoteReports: readonly RemoteReport[] = [];
  /** The last answer of the endpoint of an MCPGroup. */
  groupReport: GroupReport | undefined;
  /** What the operator wrote to pods of a proxy, so that their kubelets update the mounted file. */
  readonly refreshedPods = new Map<string, Refreshed>();
  /** Which choice of tools the pods of a proxy work with, except those of an MCPGroup. */
  readonly askedTools = new Map<string, AskedTools>();
  /** Why the StatefulSet's pods cannot be made. */
  podFailure: string | undefined;
  /** How often the operator asked for that, and when it asks next, in milliseconds since 1970. */
  podFailureAsked = 0;
  podFailureNext = 0;
  readonly owned = new Map<Part, OwnedObject>();
  readonly pods = new Map<string, PodSummary & { readonly side: "server" | "proxy" }>();
  /** Keys of the Secrets and ConfigMaps that it names. */
  referenceIds: readonly string[] = [];

  /** @param key Of the object, see `formatObjectKey`. */
  constructor(key: string, server: Proxied) {
    this.key = key;
    this.server = server;
  }

  /** Differs after each change of its pods. */
  get run(): string {
    const ready = [...this.pods].filter(([, { isReady, isEnding }]) => isReady && !isEnding);
    return digest([this.server.metadata.uid, ready.map(([name, { address }]) => `${name} ${address}`).sort()]);
  }

  get isAsleep(): boolean {
    return readServerMembers(this.server).idle !== undefined && (this.isToSleep ?? this.isStoredAsleep);
  }
}

/** Texts that are the same in thousands of objects are held once. */
const texts = new Map<string, string>();
const MAX_TEXTS = 1_000;

function shareText(text: string): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  if (texts.size < MAX_TEXTS) texts.set(text, text);
  return text;
}

/** @returns An MCPServer, MCPRemoteProxy or MCPGroup without what only the API server reads. */
export function trimServer({ apiVersion, kind, metadata, spec = {}, status }: JsonObject): Proxied {
  const { name, namespace, uid, generation, resourceVersion, annotations, deletionTimestamp, finalizers } = metadata;
  const { "kubectl.kubernetes.io/last-applied-configuration": _, ...kept } = annotations ?? {};
  return {
    apiVersion: shareText(apiVersion ?? API_VERSION),
    kind: shareText(kind ?? KIND),
    metadata: {
      name,
      namespace: shareText(namespace),
      uid,
      generation,
      resourceVersion,
      ...(Object.keys(kept).length > 0 && { annotations: kept }),
      ...(deletionTimestamp && { deletionTimestamp }),
      ...(finalizers && { finalizers }),
    },
    spec,
    ...(status && { status: shareTexts(status) as Proxied["status"] }),
  } as Proxied;
}

/** The words of a status are the same for most servers. */
function shareTexts(value: unknown): unknown {
  if (typeof value === "string") return shareText(value);
  if (Array.isArray(value)) return value.map(shareTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shareTexts(member)]));
}

export function readVersion(object: JsonObject): number {
  return Number(object.metadata?.resourceVersion ?? 0);
}

export function readApplied(object: JsonObject): string {
  return object.metadata?.annotations?.[APPLIED_ANNOTATION] ?? "";
}

/** @returns Of what controls an object, if it is of one of the operator's kinds; otherwise `undefined`. */
export function findOwner({
  metadata,
}: JsonObject): { readonly kind: ProxyKind; readonly name: string; readonly uid: string } | undefined {
  const references: JsonObject[] = metadata?.ownerReferences ?? [];
  const owner = references.find(
    ({ controller, kind, apiVersion }) => controller && PROXY_KINDS.includes(kind) && apiVersion === API_VERSION,
  );
  return owner && { kind: owner.kind, name: owner.name, uid: owner.uid };
}

/** @returns `undefined` for objects that have no pods. */
export function summarizeWorkload({ kind, metadata, spec = {}, status = {} }: JsonObject): WorkloadSummary | undefined {
  if (kind !== "Deployment" && kind !== "StatefulSet") return undefined;
  const failure = (status.conditions ?? []).find(
    ({ type, status: is }: JsonObject) => type === "ReplicaFailure" && is === "True",
  );
  return {
    want: spec.replicas ?? 1,
    ready: status.readyReplicas ?? 0,
    updated: status.updatedReplicas ?? 0,
    total: status.replicas ?? 0,
    isObserved: (status.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    ...(failure && { failure: String(failure.message ?? "").slice(0, 400) }),
  };
}
