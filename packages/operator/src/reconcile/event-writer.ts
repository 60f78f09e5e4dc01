/** Events about MCPServers, MCPRemoteProxies and MCPGroups, for `kubectl describe`: one for each change of a condition that a person wants to know. */
import type { ClusterClient } from "../cluster/index.ts";
import { type Condition, NAMES_CONDITION_TYPE, type Proxied, START_FAILURES } from "../contract/index.ts";

const REPORTER = "toolhive-operator";
/** Events of one object at once, and the time after which one more is possible: one that flaps does not fill etcd. */
const BURST = 10;
const REFILL_MS = 60_000;
/** Characters of a note; the API allows 1,024. */
const MAX_NOTE = 1_000;

export class EventWriter {
  readonly #client: ClusterClient;
  readonly #instance: string;
  readonly #budgets = new Map<string, { left: number; at: number }>();
  #count = 0;

  /** @param instance Name of this process among several. */
  constructor(client: ClusterClient, instance: string) {
    this.#client = client;
    this.#instance = instance;
  }

  /** @returns Conditions about which an Event is written, of all that are new. */
  static selectChanges(before: readonly Condition[], after: readonly Condition[]): Condition[] {
    return after.filter(({ type, status, reason }) => {
      const old = before.find((condition) => condition.type === type);
      if (old?.status === status && old.reason === reason) return false;
      if (type === "Ready") return !["Starting", "Updating"].includes(reason);
      if (["SignedIn", "GroupJoined", NAMES_CONDITION_TYPE].includes(type)) return status === "False";
      if (type === "ServersReady") return reason === "ServersUnavailable";
      if (type === "ProfileEnforced") return reason === "NetworkPolicyOnly";
      if (type === "Authenticated") return START_FAILURES.some((failure) => failure === reason);
      return false;
    });
  }

  async write({ apiVersion, kind, metadata }: Proxied, { status, reason, message }: Condition, signal: AbortSignal) {
    if (!this.#spend(metadata.uid)) return;
    this.#count += 1;
    const now = new Date().toISOString();
    await this.#client.send({
      method: "POST",
      path: `/apis/events.k8s.io/v1/namespaces/${metadata.namespace}/events`,
      body: {
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: {
          name: `${metadata.name}.${Date.now().toString(16)}${this.#count.toString(16).padStart(4, "0")}`,
          namespace: metadata.namespace,
        },
        eventTime: now.replace("Z", "000Z"),
        action: "Reconcile",
        reason,
        type: status === "True" ? "Normal" : "Warning",
        note: message.slice(0, MAX_NOTE),
        regarding: {
          apiVersion,
          kind,
          name: metadata.name,
          namespace: metadata.namespace,
          uid: metadata.uid,
          resourceVersion: metadata.resourceVersion,
        },
        reportingController: REPORTER,
        reportingInstance: this.#instance,
      },
      signal,
    });
  }

  forget(uid: string): void {
    this.#budgets.delete(uid);
  }

  #spend(uid: string): boolean {
    const now = Date.now();
    const { left, at } = this.#budgets.get(uid) ?? { left: BURST, at: now };
    const refilled = Math.min(BURST, left + Math.floor((now - at) / REFILL_MS));
    if (refilled === 0) return false;
    this.#budgets.set(uid, { left: refilled - 1, at: refilled > left ? now : at });
    return true;
  }
}
