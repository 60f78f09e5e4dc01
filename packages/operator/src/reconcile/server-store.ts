/** All MCPServers, MCPRemoteProxies and MCPGroups that the operator knows, and what belongs to them. Says which need work. */
import {
  ASLEEP_ANNOTATION,
  formatObjectKey,
  type JsonObject,
  kindByLabels,
  listGroupKeys,
  type ObjectMeta,
  type PlannedMember,
  PROXY_LABEL,
  type Proxied,
  type ProxyKind,
  pluralize,
  readServerMembers,
  SERVER_LABEL,
} from "../contract/index.ts";
import {
  type DesiredContext,
  describePart,
  digest,
  NO_REFERENCES,
  namePart,
  type OperatorSettings,
  PART_DEFINITIONS,
  PARTS,
  type Part,
  planMembers,
  readSpec,
} from "../desired/index.ts";
import { followCollection, type ObjectHandlers, type Place } from "./follow/follow-collection.ts";
import { UserIndex } from "./follow/user-index.ts";
import { ToolConfigStore } from "./kinds/tool-config/tool-config-store.ts";
import { matchesDesired } from "./match-desired.ts";
import { listReferences, needsResolving } from "./references.ts";
import {
  findOwner,
  type OwnedObject,
  readApplied,
  readSessionKey,
  readVersion,
  ServerRecord,
  summarizeWorkload,
  trimServer,
} from "./server-record.ts";
import { summarizePod } from "./status/pod-summary.ts";

export interface StoreOptions {
  readonly settings: OperatorSettings;
  /** An object is compared again, in `delayMs` at the latest. */
  readonly changed: (key: string, delayMs?: number) => void;
  /** @param uid Of an object about which there may be Events: not of an MCPToolConfig. */
  readonly forgotten: (key: string, uid?: string) => void;
}

/** The objects of one owner that the store knows; the owner may have been removed. */
type Kept = Pick<ServerRecord, "owned" | "pods">;

export class ServerStore {
  readonly records = new Map<string, ServerRecord>();
  readonly toolConfigs: ToolConfigStore;
  /** What names a Secret or ConfigMap. */
  readonly #referenceUsers = new UserIndex();
  /** Of each Secret and ConfigMap that an object names. */
  readonly #versions = new Map<string, string>();
  /** Objects and pods whose owner was removed. A new owner of that name adopts or deletes them. */
  readonly #orphans = new Map<string, Kept>();
  /** What names an MCPGroup. */
  readonly #members = new UserIndex();
  readonly #options: StoreOptions;
  #settings: OperatorSettings;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.toolConfigs = new ToolConfigStore(options);
  }

  get settings(): OperatorSettings {
    return this.#settings;
  }

  /** All servers with a permission profile are to be compared again. */
  replaceSettings(settings: OperatorSettings): void {
    this.#settings = settings;
    for (const [key, { server }] of this.records) {
      if (readServerMembers(server).permissionProfile !== undefined) this.#options.changed(key);
    }
  }

  buildContext(record: ServerRecord): DesiredContext {
    const { key, server, references = NO_REFERENCES, sidecarRefusal, sessionKey } = record;
    const accountUid = record.owned.get("account")?.uid;
    return {
      server,
      references,
      settings: this.#settings,
      sidecarRefusal,
      toolConfig: this.toolConfigs.findFor(server),
      ...(readSpec(server).groupNaming !== undefined && { members: this.#planMembers(key) }),
      sessionKey,
      accountUid,
      isAsleep: record.isAsleep,
    };
  }

  /** @returns Whether the group that a server names exists, and why it does not join it; `undefined`: it names none. */
  findJoining({
    server,
  }: ServerRecord): { readonly isThere: boolean; readonly refusal?: string | undefined } | undefined {
    const [group] = listGroupKeys(server);
    if (group === undefined) return undefined;
    const { name } = server.metadata;
    const planned = this.#planMembers(group).find((each) => each.name === name && each.kind === server.kind);
    return { isThere: this.records.has(group), refusal: planned?.refusal };
  }

  #planMembers(group: string): PlannedMember[] {
    const members = [...this.#members.list(group)].map((key) => this.records.get(key));
    return planMembers(members.filter((record) => record !== undefined));
  }

  /** MCPServers, MCPRemoteProxies or MCPGroups, of a namespace, or of all. */
  followServers(kind: ProxyKind, namespace: string | undefined): ObjectHandlers {
    const { records } = this;
    return followCollection({
      namespace,
      locate: ({ metadata }) => ({ key: formatObjectKey(kind, metadata as ObjectMeta) }),
      // Items of a list do not say their kind.
      set: (object) => this.#setServer({ ...object, kind }),
      remove: ({ key }) => this.#removeServer(key),
      *listKnown() {
        for (const [key, { server }] of records) if (server.kind === kind) yield { key };
      },
    });
  }

  /** Objects of one kind that the operator wrote. */
  followOwned(kind: string, namespace: string | undefined): ObjectHandlers {
    const parts = PARTS.filter((part) => PART_DEFINITIONS[part].kind === kind);
    const listKept = () => this.#listKept();
    return followCollection<Required<Place<Part>>>({
      namespace,
      locate: (object) => locatePart(object, parts),
      set: (object, { key, part }) => {
        const record = this.records.get(key);
        if (record === undefined) this.#ensureOrphans(key).owned.set(part, summarizeOrphan(object));
        else this.setOwned(record, part, { kind, ...object });
      },
      remove: ({ key, part }, object) => {
        const { owned } = this.#findKept(key) ?? {};
        if (object !== undefined && owned?.get(part)?.uid !== object.metadata.uid) return;
        if (!owned?.delete(part)) return;
        if (this.records.has(key)) this.#options.changed(key, object && 0);
        else this.#dropEmptyOrphans(key);
      },
      *listKnown() {
        for (const [key, { owned }] of listKept()) {
          for (const part of parts) if (owned.has(part)) yield { key, part };
        }
      },
    });
  }

  followPods(namespace: string | undefined): ObjectHandlers {
    const listKept = () => this.#listKept();
    return followCollection<Required<Place>>({
      namespace,
      locate: ({ metadata: { labels = {}, namespace: within, name } }) => {
        const owner = { namespace: within, name: labels[SERVER_LABEL] ?? labels[PROXY_LABEL] };
        return { key: formatObjectKey(kindByLabels(labels), owner), part: name };
      },
      set: (object, { key, part: name }) => {
        const record = this.records.get(key);
        const side = object.metadata.labels?.[SERVER_LABEL] === undefined ? ("proxy" as const) : ("server" as const);
        const summary = { ...summarizePod(object), side };
        const { pods } = record ?? this.#ensureOrphans(key);
        if (JSON.stringify(pods.get(name)) === JSON.stringify(summary)) return;
        pods.set(name, summary);
        if (record !== undefined) this.#queueWithGroup(record);
      },
      remove: ({ key, part: name }) => {
        if (!this.#findKept(key)?.pods.delete(name)) return;
        const record = this.records.get(key);
        if (record === undefined) this.#dropEmptyOrphans(key);
        else this.#queueWithGroup(record);
      },
      *listKnown() {
        for (const [key, { pods }] of listKept()) for (const part of pods.keys()) yield { key, part };
      },
    });
  }

  /** Metadata of all Secrets or ConfigMaps; the store remembers those that an object names. */
  followReferenced(kind: "Secret" | "ConfigMap", namespace: string | undefined): ObjectHandlers {
    const versions = this.#versions;
    return followCollection({
      namespace,
      locate: ({ metadata }) => ({ key: formatObjectKey(kind, metadata as ObjectMeta) }),
      set: ({ metadata }, { key }) => this.#changeReferenced(key, metadata.resourceVersion),
      remove: ({ key }) => this.#changeReferenced(key, undefined),
      *listKnown() {
        const ending = `/${pluralize(kind)}`;
        for (const key of versions.keys()) if (key.endsWith(ending)) yield { key };
      },
    });
  }

  /** @param version Of the Secret or ConfigMap; `undefined`: it was removed. */
  #changeReferenced(referenced: string, version: string | undefined): void {
    const users = this.#referenceUsers.list(referenced);
    if (users.size === 0 || (version !== undefined && this.#versions.get(referenced) === version)) return;
    if (version === undefined) this.#versions.delete(referenced);
    else this.#versions.set(referenced, version);
    for (const key of users) {
      const record = this.records.get(key);
      if (record === undefined) continue;
      record.references = undefined;
      record.referenceChanges += 1;
      this.#options.changed(key);
    }
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
    // Without its digest, which costs more than all else here: `applied` is compared where objects are written.
    const desired = describePart(part, this.buildContext(record));
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
    if (isNews) this.#options.changed(record.key);
  }

  /** A server's pods have changed: its group reads again what it offers. */
  #queueWithGroup({ key, server }: ServerRecord): void {
    this.#options.changed(key);
    for (const group of listGroupKeys(server)) if (this.records.has(group)) this.#options.changed(group);
  }

  #findKept(key: string): Kept | undefined {
    return this.records.get(key) ?? this.#orphans.get(key);
  }

  *#listKept(): Generator<[key: string, kept: Kept]> {
    yield* this.#orphans;
    yield* this.records;
  }

  #ensureOrphans(key: string): Kept {
    const orphans = this.#orphans.get(key) ?? { owned: new Map(), pods: new Map() };
    this.#orphans.set(key, orphans);
    return orphans;
  }

  #dropEmptyOrphans(key: string): void {
    const orphans = this.#orphans.get(key);
    if (orphans?.owned.size === 0 && orphans.pods.size === 0) this.#orphans.delete(key);
  }

  #setServer(object: JsonObject): void {
    const server = trimServer(object);
    const key = formatObjectKey(server.kind, server.metadata);
    const old = this.records.get(key);
    if (old !== undefined && old.server.metadata.uid === object.metadata.uid) {
      if (readVersion(object) <= Number(old.server.metadata.resourceVersion ?? 0)) return;
      const isNewSpec = old.server.metadata.generation !== object.metadata.generation;
      if (isNewSpec) this.toolConfigs.track(key, server, old.server);
      const before = old.server;
      old.server = server;
      if (isNewSpec) this.#trackGroup(key, server, before);
      if (isNewSpec) this.#trackReferences(old);
      this.#options.changed(key, isNewSpec ? 0 : undefined);
      return;
    }
    if (old !== undefined) this.#removeServer(key);
    const record = new ServerRecord(key, server);
    const { owned, pods } = this.#orphans.get(key) ?? {};
    for (const [part, each] of owned ?? []) record.owned.set(part, { ...each, isIntact: false, accepted: undefined });
    for (const [name, pod] of pods ?? []) record.pods.set(name, pod);
    this.#orphans.delete(key);
    this.records.set(key, record);
    this.toolConfigs.track(key, server, undefined);
    this.#trackGroup(key, server, undefined);
    this.#trackReferences(record);
    this.#options.changed(key, 0);
  }

  /**
   * An object was added or removed, or names another group than before. A group that is added or removed concerns the servers
   * that name it.
   */
  #trackGroup(key: string, server: Proxied | undefined, old: Proxied | undefined): void {
    const [before, after] = [listGroupKeys(old), listGroupKeys(server)];
    this.#members.replace(key, before, after);
    for (const group of new Set([...before, ...after, ...(server && old ? [] : [key])])) {
      for (const each of [group, ...this.#members.list(group)]) if (this.records.has(each)) this.#options.changed(each);
    }
  }

  #trackReferences(record: ServerRecord): void {
    const { namespace } = record.server.metadata;
    const ids = listReferences(record.server).map(({ kind, name }) => formatObjectKey(kind, { namespace, name }));
    this.#replaceReferences(record, [...new Set(ids)]);
    record.references = needsResolving(record.server) ? undefined : NO_REFERENCES;
    record.referenceChanges += 1;
  }

  /** @param ids Keys of the Secrets and ConfigMaps that the object names from now on. */
  #replaceReferences(record: ServerRecord, ids: readonly string[]): void {
    const before = record.referenceIds;
    this.#referenceUsers.replace(record.key, before, ids);
    for (const id of before) if (this.#referenceUsers.list(id).size === 0) this.#versions.delete(id);
    record.referenceIds = ids;
  }

  #removeServer(key: string): void {
    const record = this.records.get(key);
    if (record === undefined) return;
    this.records.delete(key);
    this.toolConfigs.track(key, undefined, record.server);
    this.#trackGroup(key, undefined, record.server);
    this.#orphans.set(key, { owned: record.owned, pods: record.pods });
    this.#dropEmptyOrphans(key);
    this.#replaceReferences(record, []);
    this.#options.forgotten(key, record.server.metadata.uid);
  }
}

/** @param parts Those of the object's kind. */
function locatePart({ metadata, ...object }: JsonObject, parts: readonly Part[]): Required<Place<Part>> | undefined {
  const owner = findOwner({ metadata, ...object });
  const { labels, namespace, name } = metadata;
  // Somebody may have removed the owner; the labels still name it.
  const ownerName = owner?.name ?? labels?.[PROXY_LABEL] ?? labels?.[SERVER_LABEL];
  if (ownerName === undefined) return undefined;
  const kind = owner?.kind ?? kindByLabels(labels);
  const part = parts.find((each) => namePart(each, { kind, metadata: { name: ownerName } }) === name);
  return part && { key: formatObjectKey(kind, { namespace, name: ownerName }), part };
}

function summarizeOrphan(object: JsonObject): OwnedObject {
  const { uid, deletionTimestamp } = object.metadata;
  return { uid, version: readVersion(object), applied: "", isIntact: false, isEnding: deletionTimestamp !== undefined };
}

/** Everything but what changes without anybody's doing. */
function digestStored({ metadata, status: _, ...rest }: JsonObject): string {
  const { labels, annotations, ownerReferences } = metadata;
  // A controller writes its own annotations into what it controls.
  const own = Object.entries(annotations ?? {}).filter(([name]) => !name.startsWith("deployment.kubernetes.io/"));
  return digest({ ...rest, labels, annotations: Object.fromEntries(own), ownerReferences });
}
