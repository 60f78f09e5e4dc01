/**
 * The objects of an API server in memory, where what is asked is the order of requests and what is left of them. The tests on a
 * cluster are in `e2e`.
 */
import { type ClusterClient, ClusterError, type ClusterRequest } from "../cluster/index.ts";
import type { JsonObject } from "../contract/index.ts";

export class MemoryApi {
  readonly objects = new Map<string, JsonObject>();
  /** Paths that were written, in their order. */
  readonly written: string[] = [];
  /** Paths that were read, in their order. */
  readonly read: string[] = [];
  #version = 2;

  /** The part of a client that writes. */
  get client(): ClusterClient {
    return { send: this.#send.bind(this), apply: this.#apply.bind(this) } as unknown as ClusterClient;
  }

  /** As somebody else makes it: whatever is applied to it later conflicts, unless all of its fields may be merged. */
  add(path: string, object: JsonObject): void {
    const metadata = { uid: `uid-${path}`, resourceVersion: `${this.#version++}`, ...object.metadata };
    this.objects.set(path, { ...object, metadata });
  }

  async #apply(path: string, object: JsonObject, { force = true }: { force?: boolean }): Promise<JsonObject> {
    const live = this.objects.get(path);
    const { resourceVersion } = object.metadata;
    if (live !== undefined && resourceVersion !== undefined && live.metadata.resourceVersion !== resourceVersion)
      throw new ClusterError(`another version of ${path}`, 409);
    if (live?.spec !== undefined && live.metadata.ownerReferences === undefined && !force)
      throw new ClusterError(`conflict in ${path}`, 409);
    this.written.push(path);
    const uid = live?.metadata.uid ?? `uid-${path}`;
    const stored = { ...live, ...object, metadata: { ...object.metadata, uid, resourceVersion: `${this.#version++}` } };
    this.objects.set(path, stored);
    return stored;
  }

  async #send({ method = "GET", path }: ClusterRequest): Promise<JsonObject> {
    if (method === "GET") this.read.push(path);
    const live = this.objects.get(path);
    if (live === undefined) throw new ClusterError(`${path} not found`, 404);
    if (method === "DELETE") this.objects.delete(path);
    return live;
  }
}
