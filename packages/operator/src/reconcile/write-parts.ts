/** Brings the objects of one MCPServer, MCPRemoteProxy or MCPGroup to their desired form, with as many requests as differ. */
import { type ClusterClient, ClusterError } from "../cluster/index.ts";
import {
  APPLIED_ANNOTATION,
  FIELD_MANAGER,
  type JsonObject,
  KIND,
  nameObjects,
  type Proxied,
} from "../contract/index.ts";
import {
  buildPart,
  namePart,
  OWNED_KINDS,
  PART_DEFINITIONS,
  PARTS,
  type Part,
  type ReferenceProblem,
} from "../desired/index.ts";
import { findOwner, type ServerRecord } from "./server-record.ts";
import type { ServerStore } from "./server-store.ts";

interface WriteOptions {
  readonly client: ClusterClient;
  readonly store: ServerStore;
  readonly signal: AbortSignal;
}

/** Parts without which the proxy would ask its callers for less than the object says. */
const OF_THE_PROXY: readonly Part[] = ["inlinePolicies", "runnerConfig", "deployment"];

/** What lets the proxy attach to the server's pod. The binding goes first. */
const RIGHTS: readonly Part[] = ["roleBinding", "role"];

/**
 * A version that no object has. The API server compares it with that of an object that is there, and creates one that is not: so
 * nothing has to be read before an object is written for the first time, and nobody can be faster between a read and the write.
 */
const NO_VERSION = "1";
const MAX_ATTEMPTS = 4;

const NAME_TAKEN = "NameTaken";

/** Missing references without which no proxy starts; running proxies keep running. */
const HOLDING: ReadonlySet<ReferenceProblem["about"]> = new Set(["authentication", "policies", "remote"]);

/** An object that the operator may not write, with what to do. */
export class PartRefused extends Error {
  readonly reason: string;

  constructor(reason: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "PartRefused";
    this.reason = reason;
  }
}

/** @throws {PartRefused} When waiting does not help. @throws {ClusterError} When it may. */
export async function writeParts(record: ServerRecord, options: WriteOptions): Promise<void> {
  const { client, store, signal } = options;
  const { problems } = store.buildContext(record).references;
  const isHeld = problems.some(({ about }) => HOLDING.has(about));
  for (const part of PARTS) {
    const owned = record.owned.get(part);
    // What is written now belongs to it: the proxy's Deployment has the uid of the account.
    const desired = buildPart(part, store.buildContext(record));
    if (owned?.isEnding || (isHeld && OF_THE_PROXY.includes(part))) continue;
    if (desired === undefined) {
      if (owned === undefined) continue;
      await removeObject(client, formatPath(part, record.server), owned.uid, signal);
      record.owned.delete(part);
      continue;
    }
    if (owned?.isIntact && owned.applied === desired.metadata.annotations[APPLIED_ANNOTATION]) continue;
    if (owned === undefined && part === "role") await checkPod(record, options);
    try {
      store.setOwned(record, part, await writePart(part, desired, record, options), true);
    } catch (error) {
      if (part === "statefulSet" && error instanceof PartRefused && error.reason === NAME_TAKEN)
        await removeRights(record, options);
      throw error;
    }
  }
}

/** Before the right to attach to the server's pod is given. @throws {PartRefused} When somebody else has a pod of that name. */
async function checkPod({ server }: ServerRecord, { client, signal }: WriteOptions): Promise<void> {
  const { serverPod, statefulSet } = nameObjects(server);
  const path = `/api/v1/namespaces/${server.metadata.namespace}/pods/${serverPod}`;
  const pod = await readLive(client, path, signal);
  if (pod !== undefined && !isOfStatefulSet(pod, statefulSet))
    throw createNameTaken("Pod", serverPod, server, new Error("no pod of the StatefulSet"));
}

/** The StatefulSet of that name is the MCPServer's, when this is asked. */
function isOfStatefulSet({ metadata }: JsonObject, name: string): boolean {
  const owners: JsonObject[] = metadata.ownerReferences ?? [];
  return owners.some((owner) => owner.controller && owner.kind === "StatefulSet" && owner.name === name);
}

/** The pod that they are about is somebody else's. */
async function removeRights(record: ServerRecord, { client, signal }: WriteOptions): Promise<void> {
  for (const part of RIGHTS) {
    const owned = record.owned.get(part);
    if (owned === undefined) continue;
    await removeObject(client, formatPath(part, record.server), owned.uid, signal);
    record.owned.delete(part);
  }
}

async function writePart(
  part: Part,
  desired: JsonObject,
  record: ServerRecord,
  { client, signal }: WriteOptions,
): Promise<JsonObject> {
  const path = formatPath(part, record.server);
  const { kind } = PART_DEFINITIONS[part];
  // What the operator has not seen yet may be somebody else's, whose fields are not taken.
  let force = record.owned.has(part);
  let isToBeCreated = !force;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const object = isToBeCreated
        ? { ...desired, metadata: { ...desired.metadata, resourceVersion: NO_VERSION } }
        : desired;
      const stored = await client.apply(path, object, { manager: FIELD_MANAGER, force, signal });
      return { kind, ...stored };
    } catch (error) {
      if (!(error instanceof ClusterError) || attempt === MAX_ATTEMPTS) throw error;
      const isConflict = error.status === 409 && !force;
      const isFixed = error.status === 422 && isAboutFixedFields(error);
      if (!isConflict && !isFixed) throw describeRefusal(error, kind, record.server);
      const live = await readLive(client, path, signal);
      if (live === undefined) {
        // Whatever it conflicts with, it is no object of that name; unless that was removed just now.
        if (!isToBeCreated) throw describeRefusal(error, kind, record.server);
        isToBeCreated = false;
        continue;
      }
      if (!belongsTo(live, record.server)) {
        throw createNameTaken(kind, namePart(part, record.server), record.server, error);
      }
      if (isFixed) await removeObject(client, path, live.metadata.uid, signal);
      isToBeCreated = false;
      force = true;
    }
  }
}

function createNameTaken(kind: string, name: string, server: Proxied, cause: unknown): PartRefused {
  const next = `Create the ${server.kind} with another name, or remove that ${kind}.`;
  return new PartRefused(
    NAME_TAKEN,
    `The ${kind} "${name}" is there already and belongs to something else. ${next}`,
    cause,
  );
}

async function readLive(client: ClusterClient, path: string, signal: AbortSignal): Promise<JsonObject | undefined> {
  try {
    return await client.send({ path, signal });
  } catch (error) {
    if (error instanceof ClusterError && error.status === 404) return undefined;
    throw error;
  }
}

/** Fields such as a selector can only be changed by creating the object again. */
function isAboutFixedFields({ message }: ClusterError): boolean {
  return /immutable|Forbidden: updates to|may not be specified when strategy/.test(message);
}

/** Whether an object belongs to this one: the reference's proxy left some of them without an owner. */
function belongsTo(live: JsonObject, { kind, metadata: { name, uid } }: Proxied): boolean {
  const owner = findOwner(live);
  if (owner !== undefined) return owner.uid === uid || (owner.kind === kind && owner.name === name);
  if (kind !== KIND) return false;
  const { ownerReferences = [], labels = {} } = live.metadata;
  const isControlled = ownerReferences.some(({ controller }: JsonObject) => controller);
  const isNamed = [labels.app, labels["toolhive-name"], labels["toolhive-container-name"]].includes(name);
  return !isControlled && labels.toolhive === "true" && isNamed;
}

function describeRefusal(error: ClusterError, kind: string, { kind: owner, metadata }: Proxied): Error {
  // A person has to correct it, unlike a failure of the API server.
  const isWebhook = /admission webhook|calling webhook/.test(error.message);
  if (![400, 403, 422].includes(error.status) && !isWebhook) return error;
  const isEnding = /being terminated/.test(error.message);
  if (isEnding) return error;
  const next = /exceeded quota/.test(error.message)
    ? `Raise the quota of namespace ${metadata.namespace}, or delete what is not needed.`
    : isWebhook
      ? "Mend that webhook, or let it leave out what the operator writes; it is tried again."
      : error.status === 403
        ? "Give the operator the right to write it, or remove what forbids it."
        : `Correct the ${owner}.`;
  return new PartRefused(
    "WriteRefused",
    `The ${kind} cannot be written: ${error.message.slice(0, 600)} ${next}`,
    error,
  );
}

async function removeObject(client: ClusterClient, path: string, uid: string, signal: AbortSignal): Promise<void> {
  try {
    await client.send({
      method: "DELETE",
      path,
      body: { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background", preconditions: { uid } },
      signal,
    });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 404) throw error;
  }
}

function formatPath(part: Part, server: Proxied): string {
  const { namespace } = server.metadata;
  const { api, plural } = OWNED_KINDS[PART_DEFINITIONS[part].kind];
  return `${api}/namespaces/${namespace}/${plural}/${namePart(part, server)}`;
}
