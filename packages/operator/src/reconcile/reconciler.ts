/** The operator's work: it follows all MCPServers, MCPRemoteProxies and MCPGroups, and writes what belongs to them as desired. */
import { setMaxListeners } from "node:events";
import type { Logger } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import { waitForAbort } from "@toolhive/core/until-aborted";
import type { ClusterClient } from "../cluster/index.ts";
import { API_VERSION, KIND, MANAGED_LABEL, PROXY_KINDS, pluralize, TOOL_CONFIG_PLURAL } from "../contract/index.ts";
import { type OperatorSettings, OWNED_KINDS } from "../desired/index.ts";
import { EventWriter } from "./event-writer.ts";
import { type CollectionHandlers, type WatchedCollection, watchCollection } from "./follow/watch-collection.ts";
import { WorkQueue } from "./follow/work-queue.ts";
import { IdleWatcher, readAfterMs } from "./idle/idle-watcher.ts";
import { findSidecarRefusal } from "./kinds/server/find-sidecar-refusal.ts";
import { NamespaceLimits } from "./kinds/server/namespace-limits.ts";
import { writeToolConfigStatus } from "./kinds/tool-config/write-tool-config-status.ts";
import { reconcileServer } from "./reconcile-server.ts";
import { resolveReferences } from "./references.ts";
import { ServerStore } from "./server-store.ts";

/** Objects that are worked on at the same time. */
const CONCURRENCY = 8;
/** Objects of which something is remembered that others are made from. */
const REMEMBERED_KINDS: ReadonlySet<string> = new Set(["ServiceAccount", "Secret"]);

interface ReconcilerOptions {
  readonly client: ClusterClient;
  /** Namespaces that are followed. Empty: all. */
  readonly namespaces: readonly string[];
  readonly settings: OperatorSettings;
  readonly log: Logger;
  /** Name of this process among several, for Events. */
  readonly instance: string;
  /** @returns Milliseconds of `spec.idle.after`. Default: what it says; tests are shorter. */
  readonly readAfterMs?: (after: string) => number;
}

export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #counts = { reconciles: 0, failures: 0 };
  readonly #store: ServerStore;
  readonly #events: EventWriter;
  readonly #limits: NamespaceLimits;
  #isSynced = false;
  #resolveSynced = (): void => undefined;
  readonly #synced = new Promise<void>((resolve) => {
    this.#resolveSynced = resolve;
  });
  /** While this operator works. */
  #queue: WorkQueue | undefined;

  constructor(options: ReconcilerOptions) {
    const { client, instance, settings } = options;
    this.#options = options;
    this.#events = new EventWriter(client, instance);
    this.#limits = new NamespaceLimits(client);
    this.#store = new ServerStore({
      settings,
      changed: (key, delayMs) => this.#queue?.add(key, delayMs),
      forgotten: (key, uid) => {
        this.#queue?.forget(key);
        if (uid !== undefined) this.#events.forget(uid);
      },
    });
  }

  /** Whether everything was listed once. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Since the start of the process, except `servers` and `queued`, which are of now. */
  get counts() {
    return { ...this.#counts, servers: this.#store.records.size, queued: this.#queue?.length ?? 0 };
  }

  /** Compares every server with a permission profile again; no pod is replaced. */
  replaceClosedNetworks(closedNetworks: readonly string[]): void {
    this.#store.replaceSettings({ ...this.#store.settings, closedNetworks });
  }

  /**
   * Follows everything and writes nothing, until the signal is aborted: an operator on standby has the same data as the leader.
   * To be called once.
   */
  async follow(signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    const store = this.#store;
    // Every watch and every request listens for its end.
    setMaxListeners(0, signal);
    const running: Promise<void>[] = [];
    const follow = (collections: readonly FollowedCollection[]) =>
      Promise.all(collections.map((collection) => this.#follow(collection, running, signal)));
    // What servers show depends on these; without them it would be nothing.
    await follow(this.#listToolConfigs(store));
    await follow(this.#listServers(store));
    // Other objects are compared with what these have, and with the pods of a group's servers.
    const remembered = this.#listOwned(store, (kind) => REMEMBERED_KINDS.has(kind));
    await follow([...this.#listReferenced(store), ...remembered, ...this.#listPods(store)]);
    await this.#resolveAll(signal);
    await follow(this.#listOwned(store, (kind) => !REMEMBERED_KINDS.has(kind)));
    if (!signal.aborted) {
      this.#isSynced = true;
      this.#resolveSynced();
      log.info({ servers: store.records.size }, "all objects are known");
    }
    await Promise.all(running);
  }

  /**
   * Compares every object, once all are known, and each again when something of it changes, until the signal is aborted. Resolves
   * when the work under way has ended. May be called again after that.
   */
  async work(signal: AbortSignal): Promise<void> {
    const { client, log } = this.#options;
    const [store, events, limits] = [this.#store, this.#events, this.#limits];
    setMaxListeners(0, signal);
    const ended = waitForAbort(signal);
    await Promise.race([this.#synced, ended]);
    if (signal.aborted) return;
    const { readAfterMs: readIdleMs = readAfterMs } = this.#options;
    const idle = new IdleWatcher({
      log,
      isKnown: (record) => store.records.get(record.key) === record,
      changed: (record) => this.#queue?.add(record.key, 0),
      readAfterMs: readIdleMs,
      signal,
    });
    const queue = new WorkQueue({
      concurrency: CONCURRENCY,
      work: async (key) => {
        const record = store.records.get(key);
        const config = store.toolConfigs.configs.get(key);
        if (config !== undefined) {
          await writeToolConfigStatus(config, { client, users: store.toolConfigs.listUsers(config), signal });
        }
        if (record === undefined) return undefined;
        this.#counts.reconciles += 1;
        const again = await reconcileServer(record, { client, store, events, limits, signal });
        idle.follow(record);
        return again;
      },
      fail: (key, error, retryMs) => {
        if (signal.aborted) return;
        this.#counts.failures += 1;
        log.warn(
          { server: key, error: describeError(error), retryMs: Math.round(retryMs) },
          "an object is tried again",
        );
      },
    });
    this.#queue = queue;
    for (const [key, record] of store.records) {
      // Another operator may have decided since this one led.
      record.isToSleep = undefined;
      queue.add(key, 0);
    }
    for (const key of store.toolConfigs.configs.keys()) queue.add(key, 0);
    await ended;
    this.#queue = undefined;
    await Promise.all([queue.stop(), idle.ended()]);
  }

  /** @returns When the first list has ended, or the signal is aborted. */
  async #follow(
    { handlers, ...collection }: FollowedCollection,
    running: Promise<void>[],
    signal: AbortSignal,
  ): Promise<void> {
    const { client, log } = this.#options;
    await new Promise<void>((resolve) => {
      const end = () => {
        handlers.end();
        resolve();
      };
      const fail = (error: unknown) =>
        log.warn({ path: collection.path, error: describeError(error) }, "a collection is followed again");
      running.push(watchCollection(client, collection, { ...handlers, end, fail }, signal).finally(resolve));
    });
  }

  /** Before the objects are compared, as some depend on what is referenced. What fails is tried again with its server. */
  async #resolveAll(signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const limits = this.#limits;
    const { records, settings } = this.#store;
    const next = records.values();
    const work = async () => {
      for (const record of next) {
        if (signal.aborted) return;
        if (record.references === undefined) {
          const { referenceChanges } = record;
          const references = await resolveReferences(client, record.server, signal).catch(() => undefined);
          // What changed meanwhile is read again when the object is compared.
          if (record.referenceChanges === referenceChanges) record.references = references;
        }
        record.sidecarRefusal = await findSidecarRefusal(record, { settings, limits, signal }).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY * 2 }, work));
  }

  #listServers(store: ServerStore): FollowedCollection[] {
    return this.#scopes().flatMap(({ path, namespace }) =>
      PROXY_KINDS.map((kind) => ({
        path: path(`/apis/${API_VERSION}`, pluralize(kind)),
        // Definitions and rights are installed by themselves, and those of an older version have none of the newer kinds.
        mayBeMissing: kind !== KIND,
        handlers: store.followServers(kind, namespace),
      })),
    );
  }

  #listToolConfigs(store: ServerStore): FollowedCollection[] {
    return this.#scopes().map(({ path, namespace }) => ({
      path: path(`/apis/${API_VERSION}`, TOOL_CONFIG_PLURAL),
      mayBeMissing: true,
      handlers: store.toolConfigs.follow(namespace),
    }));
  }

  #listReferenced(store: ServerStore): FollowedCollection[] {
    return this.#scopes().flatMap(({ path, namespace }) => [
      {
        path: path("/api/v1", "secrets"),
        // Helm keeps its releases in Secrets, of up to a megabyte each.
        query: { fieldSelector: "type!=helm.sh/release.v1" },
        isMetadataOnly: true,
        handlers: store.followReferenced("Secret", namespace),
      },
      {
        path: path("/api/v1", "configmaps"),
        isMetadataOnly: true,
        handlers: store.followReferenced("ConfigMap", namespace),
      },
    ]);
  }

  #listOwned(store: ServerStore, isMeant: (kind: string) => boolean): FollowedCollection[] {
    const meant = Object.entries(OWNED_KINDS).filter(([kind]) => isMeant(kind));
    return this.#scopes().flatMap(({ path, namespace }) =>
      meant.map(([kind, { api, plural }]) => ({
        path: path(api, plural),
        query: { labelSelector: `${MANAGED_LABEL.name}=${MANAGED_LABEL.value}` },
        handlers: store.followOwned(kind, namespace),
      })),
    );
  }

  #listPods(store: ServerStore): FollowedCollection[] {
    return this.#scopes().map(({ path, namespace }) => ({
      path: path("/api/v1", "pods"),
      query: { labelSelector: "toolhive=true" },
      handlers: store.followPods(namespace),
    }));
  }

  #scopes() {
    const { namespaces } = this.#options;
    if (namespaces.length === 0)
      return [{ namespace: undefined, path: (api: string, plural: string) => `${api}/${plural}` }];
    return namespaces.map((namespace) => ({
      namespace,
      path: (api: string, plural: string) => `${api}/namespaces/${namespace}/${plural}`,
    }));
  }
}

type FollowedCollection = WatchedCollection & { readonly handlers: Omit<CollectionHandlers, "fail"> };
