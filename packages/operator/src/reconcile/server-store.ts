/** All MCPServers that the operator knows, and the events of their objects. Says which of them need work. */
import type { JsonObject } from "../contract/index.ts";
import {
  ASLEEP_ANNOTATION,
  kindByLabels,
  listNamesakes,
  type PlannedMember,
  PROXY_LABEL,
  SERVER_LABEL,
} from "../contract/index.ts";
import {
  buildPart,
  type DesiredContext,
  digest,
  NO_REFERENCES,
  namePart,
  type OperatorSettings,
  PART_DEFINITIONS,
  PARTS,
  type Part,
  planMembers,
} from "../desired/index.ts";
import type { CollectionHandlers } from "./follow/watch-collection.ts";
import { GroupIndex, keyOfGroup } from "./group/group-index.ts";
import { matchesDesired } from "./match-desired.ts";
import { listReferences, needsResolving } from "./references.ts";
import {
  findOwner,
  keyOf,
  keyOfKind,
  keyOfServer,
  type OwnedObject,
  readApplied,
  readSessionKey,
  readVersion,
  ServerRecord,
  summarizeWorkload,
  trimServer,
} from "./server-record.ts";
import { summarizePod } from "./status/pod-summary.ts";
import { ToolConfigStore } from "./tool-config/tool-config-store.ts";

export interface StoreOptions {
  readonly settings: OperatorSettings;
  /** An MCPServer is to be compared again, in `delayMs` at the latest. */
  readonly changed: (key: string, delayMs?: number) => void;
  /** @param uid Of an MCPServer; other objects have no Events. */
  readonly forgotten: (key: string, uid?: string) => void;
}

/** Which handlers a collection has, besides how it reports its failures. */
type ObjectHandlers = Omit<CollectionHandlers, "fail">;

export class ServerStore {
  readonly records = new Map<string, ServerRecord>();
  readonly toolConfigs: ToolConfigStore;
  /** MCPServers that use a Secret or ConfigMap, by `NAMESPACE/KIND/NAME`. */
  readonly #users = new Map<string, { readonly keys: Set<string>; version?: string }>();
  /** What is there of MCPServers that are not: the next one of that name has to take it over, or to remove it. */
  readonly #left = new Map<string, Pick<ServerRecord, "owned" | "pods">>();
  readonly #groups: GroupIndex;
  readonly #options: StoreOptions;
  #settings: OperatorSettings;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.toolConfigs = new ToolConfigStore(options);
    this.#groups = new GroupIndex((key) => {
      if (this.records.has(key)) options.changed(key);
    });
  }

  get settings(): OperatorSettings {
    return this.#settings;
  }

  /** All servers with a permission profile are to be compared again. */
  replaceSettings(settings: OperatorSettings): void {
    this.#settings = settings;
    for (const [key, { server }] of this.records) {
      if (server.spec.permissionProfile !== undefined) this.#options.changed(key);
    }
  }

  contextOf(record: ServerRecord): DesiredContext {
    const { server, references = NO_REFERENCES, sidecarRefusal, sessionKey } = record;
    const accountUid = record.owned.get("account")?.uid;
    return {
      server,
      references,
      settings: this.#settings,
      sidecarRefusal,
      toolConfig: this.toolConfigs.findFor(server),
      ...(server.group && { members: this.#planMembers(keyOfServer(server)) }),
      sessionKey,
      accountUid,
      isAsleep: record.isAsleep,
    };
  }

  /** @returns Whether the group that a server names is there, and why it does not join it; `undefined`: it names none. */
  findJoining({
    server,
  }: ServerRecord): { readonly isThere: boolean; readonly refusal?: string | undefined } | undefined {
    const group = keyOfGroup(server);
    if (group === undefined) return undefined;
    const { name } = server.metadata;
    const planned = this.#planMembers(group).find((each) => each.name === name && each.kind === server.kind);
    return { isThere: this.records.has(group), refusal: planned?.refusal };
  }

  /** Whether there is another one, of another kind, some of whose objects have the same names. */
  hasNamesake({ server }: ServerRecord): boolean {
    return listNamesakes(server).some((other) => this.records.has(keyOfServer(other)));
  }

  #planMembers(group: string): PlannedMember[] {
    const members = [...this.#groups.listMembers(group)].map((key) => this.records.get(key));
    return planMembers(members.filter((record) => record !== undefined));
  }

  /** MCPServers, MCPRemoteProxies or MCPGroups, of a namespace, or of all. */
  followServers(kind: string, namespace: string | undefined): ObjectHandlers {
    const seen = new Set<string>();
    return {
      begin: () => seen.clear(),
      set: (object) => {
        seen.add(keyOfKind(kind, object.metadata));
        // Items of a list do not say their kind.
        this.#setServer({ ...object, kind });
      },
      remove: (object) => this.#removeServer(keyOfKind(kind, object.metadata)),
      end: () => {
        for (const [key, { server }] of this.records) {
          if (server.kind === kind && isWithin(server.metadata.namespace, namespace) && !seen.has(key))
            this.#removeServer(key);
        }
      },
    };
  }

  /** Objects of one kind that the operator wrote. */
  followOwned(kind: string, namespace: string | undefined): ObjectHandlers {
    const parts = PARTS.filter((part) => PART_DEFINITIONS[part].kind === kind);
    const seen = new Set<string>();
    const locate = (object: JsonObject) => {
      const owner = findOwner(object);
      const { namespace: within, name } = object.metadata;
      // Somebody may have removed the owner: the name says whose it is all the same.
      const label = owner?.name ?? object.metadata.labels?.[PROXY_LABEL] ?? object.metadata.labels?.[SERVER_LABEL];
      const ofKind = owner?.kind ?? kindByLabels(object.metadata.labels);
      const key = keyOfKind(ofKind, { namespace: within, name: label });
      const named = { kind: ofKind, metadata: { name: label } };
      const part = label === undefined ? undefined : parts.find((each) => namePart(each, named) === name);
      return part === undefined ? undefined : { key, part, record: this.records.get(key) };
    };
    return {
      begin: () => seen.clear(),
      set: (object) => {
        const found = locate(object);
        if (found === undefined) return;
        const { key, part, record } = found;
        seen.add(`${key}/${part}`);
        if (record === undefined) this.#findLeft(key).owned.set(part, summarizeLeft(object));
        else this.setOwned(record, part, { kind, ...object });
      },
      remove: (object) => {
        const found = locate(object);
        if (found === undefined) return;
        const { key, part, record } = found;
        const { owned } = record ?? this.#left.get(key) ?? {};
        if (owned?.get(part)?.uid !== object.metadata.uid) return;
        owned?.delete(part);
        if (record === undefined) this.#dropLeft(key);
        else this.#options.changed(key, 0);
      },
      end: () => {
        for (const [key, { owned }] of this.#left) {
          if (!isWithin(key.split("/", 1)[0], namespace)) continue;
          for (const part of parts) if (!seen.has(`${key}/${part}`)) owned.delete(part);
          this.#dropLeft(key);
        }
        for (const [key, record] of this.records) {
          if (!isWithin(record.server.metadata.namespace, namespace)) continue;
          for (const part of parts) {
            if (seen.has(`${key}/${part}`) || !record.owned.delete(part)) continue;
            this.#options.changed(key);
          }
        }
        seen.clear();
      },
    };
  }

  followPods(namespace: string | undefined): ObjectHandlers {
    const seen = new Set<string>();
    const locate = ({ metadata: { labels = {}, namespace: within } }: JsonObject) => {
      const isServer = labels[SERVER_LABEL] !== undefined;
      const name = labels[SERVER_LABEL] ?? labels[PROXY_LABEL];
      const key = keyOfKind(kindByLabels(labels), { namespace: within, name });
      return { key, record: this.records.get(key), side: isServer ? ("server" as const) : ("proxy" as const) };
    };
    return {
      begin: () => seen.clear(),
      set: (object) => {
        const { key, record, side } = locate(object);
        seen.add(keyOf(object.metadata));
        const summary = { ...summarizePod(object), side };
        const { name } = object.metadata;
        if (record === undefined) {
          this.#findLeft(key).pods.set(name, summary);
          return;
        }
        if (JSON.stringify(record.pods.get(name)) === JSON.stringify(summary)) return;
        record.pods.set(name, summary);
        this.#tellPods(key, record);
      },
      remove: (object) => {
        const { key, record } = locate(object);
        if (record?.pods.delete(object.metadata.name)) this.#tellPods(key, record);
        this.#left.get(key)?.pods.delete(object.metadata.name);
        this.#dropLeft(key);
      },
      end: () => {
        for (const [key, { pods }] of this.#left) {
          const [within = ""] = key.split("/", 1);
          if (!isWithin(within, namespace)) continue;
          for (const name of pods.keys()) if (!seen.has(keyOf({ namespace: within, name }))) pods.delete(name);
          this.#dropLeft(key);
        }
        for (const [key, record] of this.records) {
          const within = record.server.metadata.namespace;
          if (!isWithin(within, namespace)) continue;
          for (const name of record.pods.keys()) {
            if (!seen.has(keyOf({ namespace: within, name })) && record.pods.delete(name)) this.#tellPods(key, record);
          }
        }
        seen.clear();
      },
    };
  }

  /** Metadata of all Secrets or ConfigMaps, of which those are kept that an MCPServer uses. */
  followReferenced(kind: "Secret" | "ConfigMap", namespace: string | undefined): ObjectHandlers {
    const seen = new Set<string>();
    const change = (id: string, version: string | undefined) => {
      const use = this.#users.get(id);
      if (use === undefined || (version !== undefined && use.version === version)) return;
      if (version === undefined) delete use.version;
      else use.version = version;
      for (const key of use.keys) {
        const record = this.records.get(key);
        if (record === undefined) continue;
        record.references = undefined;
        record.referenceChanges += 1;
        this.#options.changed(key);
      }
    };
    const identify = ({ metadata }: JsonObject) => `${metadata.namespace}/${kind}/${metadata.name}`;
    return {
      begin: () => seen.clear(),
      set: (object) => {
        seen.add(identify(object));
        change(identify(object), object.metadata.resourceVersion);
      },
      remove: (object) => change(identify(object), undefined),
      end: () => {
        for (const [id, { version }] of this.#users) {
          const [within, ofKind] = id.split("/");
          if (ofKind === kind && isWithin(within, namespace) && version !== undefined && !seen.has(id)) {
            change(id, undefined);
          }
        }
        seen.clear();
      },
    };
  }

  /** @param isWritten Whether the object is the answer to a write of the operator. */
  setOwned(record: ServerRecord, part: Part, object: JsonObject, isWritten = false): void {
    const before = record.owned.get(part);
    const version = readVersion(object);
    if (before?.uid === object.metadata.uid && before !== undefined && version < before.version) return;
    // The key in the cluster counts, also one that somebody put there in place of the operator's.
    const keyBefore = record.sessionKey;
    if (part === "sessionKey") record.sessionKey = readSessionKey(object) ?? keyBefore;
    if (part === "statefulSet") {
      record.isStoredAsleep = object.metadata.annotations?.[ASLEEP_ANNOTATION] === "true";
    }
    const desired = buildPart(part, this.contextOf(record));
    // Items of a list do not say their kind.
    const typed = { ...object, apiVersion: desired?.apiVersion, kind: desired?.kind };
    const isAsDesired = desired !== undefined && matchesDesired(desired, typed);
    const needsDigest = !isAsDesired && (isWritten || before?.accepted !== undefined);
    const stored = needsDigest ? digestStored(object) : undefined;
    const accepted = isWritten ? stored : before?.accepted;
    const owned: OwnedObject = {
      uid: object.metadata.uid,
      version,
      applied: readApplied(object),
      isIntact: isAsDesired || (stored !== undefined && stored === accepted),
      isEnding: object.metadata.deletionTimestamp !== undefined,
      workload: summarizeWorkload(object),
      ...(accepted !== undefined && { accepted }),
    };
    record.owned.set(part, owned);
    if (isWritten) return;
    const isNews =
      !owned.isIntact ||
      record.sessionKey !== keyBefore ||
      owned.applied !== before?.applied ||
      owned.isEnding ||
      JSON.stringify(before?.workload) !== JSON.stringify(owned.workload);
    if (isNews) this.#options.changed(keyOfServer(record.server));
  }

  /** A server's pods are others: its group reads anew what it offers. */
  #tellPods(key: string, { server }: ServerRecord): void {
    this.#options.changed(key);
    const group = keyOfGroup(server);
    if (group !== undefined && this.records.has(group)) this.#options.changed(group);
  }

  #findLeft(key: string): Pick<ServerRecord, "owned" | "pods"> {
    const left = this.#left.get(key) ?? { owned: new Map(), pods: new Map() };
    this.#left.set(key, left);
    return left;
  }

  /** Forgets what is gone altogether. */
  #dropLeft(key: string): void {
    const left = this.#left.get(key);
    if (left?.owned.size === 0 && left.pods.size === 0) this.#left.delete(key);
  }

  #setServer(object: JsonObject): void {
    const server = trimServer(object);
    const key = keyOfServer(server);
    const old = this.records.get(key);
    if (old !== undefined && old.server.metadata.uid === object.metadata.uid) {
      if (readVersion(object) <= Number(old.server.metadata.resourceVersion ?? 0)) return;
      const isNewSpec = old.server.metadata.generation !== object.metadata.generation;
      if (isNewSpec) this.toolConfigs.track(key, server, old.server);
      const before = old.server;
      old.server = server;
      if (isNewSpec) this.#groups.track(key, server, before);
      if (isNewSpec) this.#trackReferences(key, old);
      this.#options.changed(key, isNewSpec ? 0 : undefined);
      return;
    }
    if (old !== undefined) this.#removeServer(key);
    const record = new ServerRecord(server);
    const { owned, pods } = this.#left.get(key) ?? {};
    for (const [part, each] of owned ?? []) record.owned.set(part, { ...each, isIntact: false, accepted: undefined });
    for (const [name, pod] of pods ?? []) record.pods.set(name, pod);
    this.#left.delete(key);
    this.records.set(key, record);
    this.toolConfigs.track(key, server, undefined);
    this.#groups.track(key, server, undefined);
    if (server.group) this.#groups.tell(key);
    this.#trackReferences(key, record);
    this.#options.changed(key, 0);
  }

  #trackReferences(key: string, record: ServerRecord): void {
    for (const id of record.referenceIds) this.#users.get(id)?.keys.delete(key);
    const { namespace } = record.server.metadata;
    const ids = listReferences(record.server).map(({ kind, name }) => `${namespace}/${kind}/${name}`);
    record.referenceIds = [...new Set(ids)];
    for (const id of record.referenceIds) {
      const use = this.#users.get(id) ?? { keys: new Set<string>() };
      use.keys.add(key);
      this.#users.set(id, use);
    }
    record.references = needsResolving(record.server) ? undefined : NO_REFERENCES;
    record.referenceChanges += 1;
  }

  #removeServer(key: string): void {
    const record = this.records.get(key);
    if (record === undefined) return;
    this.records.delete(key);
    this.toolConfigs.track(key, undefined, record.server);
    this.#groups.track(key, undefined, record.server);
    if (record.server.group) this.#groups.tell(key);
    this.#left.set(key, { owned: record.owned, pods: record.pods });
    this.#dropLeft(key);
    for (const id of record.referenceIds) {
      const use = this.#users.get(id);
      use?.keys.delete(key);
      if (use?.keys.size === 0) this.#users.delete(id);
    }
    this.#options.forgotten(key, record.server.metadata.uid);
  }
}

function summarizeLeft(object: JsonObject): OwnedObject {
  const { uid, deletionTimestamp } = object.metadata;
  return { uid, version: readVersion(object), applied: "", isIntact: false, isEnding: deletionTimestamp !== undefined };
}

function isWithin(namespace: string | undefined, scope: string | undefined): boolean {
  return scope === undefined || namespace === scope;
}

/** Everything but what changes without anybody's doing. */
function digestStored({ metadata, status: _, ...rest }: JsonObject): string {
  const { labels, annotations, ownerReferences } = metadata;
  // A controller writes its own annotations into what it controls.
  const own = Object.entries(annotations ?? {}).filter(([name]) => !name.startsWith("deployment.kubernetes.io/"));
  return digest({ ...rest, labels, annotations: Object.fromEntries(own), ownerReferences });
}
