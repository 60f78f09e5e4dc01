/** Filling a cluster: a new index, made whole before the alias moves to it in one step, so that no search meets half of it. */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { IndexData } from "../index/index-format.ts";
import { Cluster, type ClusterRequest } from "./cluster.ts";
import { NoAnswerError, OpenSearchError } from "./open-search-error.ts";
import { createDocuments, describeCorpus, describeIndex, type IndexShape } from "./page-documents.ts";

/** Bytes of one bulk request. */
const BULK_BYTES = 4 * 2 ** 20;
/** Milliseconds in which the cluster may find a place for a new index; the longer time while it is creating it. */
const ROOM_TIMEOUT_MS = 20_000;
const SLOW_ROOM_TIMEOUT_MS = 60_000;
/** Milliseconds to wait for copies of a new index; an alias may move before they exist. */
const COPIES_TIMEOUT_MS = 60_000;
const HEALTH_INTERVAL_MS = 200;
/** A bulk request may take longer than a search, in milliseconds. */
const UPLOAD_TIMEOUT_MS = 60_000;

interface HealthAnswer {
  readonly status: "green" | "yellow" | "red";
  readonly initializing_shards: number;
  readonly unassigned_shards: number;
  readonly number_of_pending_tasks: number;
}

interface ExplainAnswer {
  readonly node_allocation_decisions?: readonly {
    readonly deciders?: readonly { readonly decision: string; readonly explanation: string }[];
  }[];
}

interface BulkAnswer {
  readonly errors?: boolean;
  readonly items?: readonly {
    readonly index?: { readonly error?: { readonly type: string; readonly reason: string } };
  }[];
}

export interface OpenSearchTarget extends IndexShape {
  /** Addresses of the cluster's nodes, `https://user:password@host:9200` or without credentials. */
  readonly urls: readonly string[];
  /** What the engine searches; it leads to the new index afterwards. */
  readonly alias: string;
}

/**
 * Replaces what an alias leads to, and deletes the index before.
 *
 * @throws {OpenSearchError} The alias leads to the old index then, and nothing of the new one stays; the message says where the
 *   cluster did not answer so that it is otherwise.
 */
export async function replaceOpenSearchIndex(
  data: IndexData,
  { urls, alias, ...shape }: OpenSearchTarget,
): Promise<void> {
  await new Upload(new Cluster({ urls }), alias, shape).replace(data);
}

/** Neither the new index may be deleted then nor the one before: searches may be led to either. */
class UnknownMove extends OpenSearchError {}

class Upload {
  readonly #cluster: Cluster;
  readonly #alias: string;
  readonly #shape: IndexShape;
  readonly #index: string;

  constructor(cluster: Cluster, alias: string, shape: IndexShape) {
    this.#cluster = cluster;
    this.#alias = alias;
    this.#shape = shape;
    this.#index = `${alias}-${randomUUID()}`;
  }

  async replace(data: IndexData): Promise<void> {
    try {
      await this.#create(describeIndex(describeCorpus(data), this.#shape));
      await this.#fill(data);
      await this.#moveAlias();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const rest = error instanceof UnknownMove ? this.#describeUnknownMove() : await this.#takeBack();
      throw new OpenSearchError(`${reason}${hintFor(reason)}. ${rest}`, { cause: error });
    }
  }

  /** Deletes what was written. @returns What stays, as sentences. */
  async #takeBack(): Promise<string> {
    const isRemoved = await this.#send("DELETE", `/${this.#index}`).then(
      () => true,
      () => false, // the error that is reported is the one before
    );
    const rest = isRemoved ? "" : `. What was written of ${this.#index} is still there: delete that index`;
    return `The alias ${this.#alias} is as it was${rest}`;
  }

  #describeUnknownMove(): string {
    const alias = this.#alias;
    return `The alias ${alias} may still move to ${this.#index}: see GET /_alias/${alias}, and delete the index that it does not lead to`;
  }

  /** A node that has created the index may be lost before it answers, and the next one finds the index then. */
  async #create(description: object): Promise<void> {
    await this.#send("PUT", `/${this.#index}?wait_for_active_shards=0`, description, { isExistingFine: true });
    await this.#waitForRoom();
  }

  /** The answer of a request that waits for room could arrive after the deadline, so this sends several with short waits. */
  async #waitForRoom(): Promise<void> {
    const begin = performance.now();
    for (;;) {
      const health = await this.#readHealth();
      if (health.status !== "red") return;
      const limit = isMoving(health) ? SLOW_ROOM_TIMEOUT_MS : ROOM_TIMEOUT_MS;
      if (performance.now() - begin > limit) throw await this.#describeLackOfRoom();
      await setTimeout(HEALTH_INTERVAL_MS);
    }
  }

  /**
   * One step for searches. Where no node confirms the move, or one finds nothing to do because an earlier node has done it, the
   * alias shows whether it was done.
   *
   * @throws {UnknownMove} When the alias leads to the old index, and may yet move.
   */
  async #moveAlias(): Promise<void> {
    const add = { index: this.#index, alias: this.#alias };
    const removals = (await this.#listAliased()).map((index) => ({ remove_index: { index } }));
    try {
      await this.#send("POST", "/_aliases", { actions: [{ add }, ...removals] });
    } catch (error) {
      const now = await this.#listAliased().catch(() => undefined);
      if (now?.includes(this.#index)) return;
      if (now !== undefined && !(error instanceof NoAnswerError)) throw error;
      throw new UnknownMove(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  /** Names of the indices that the alias leads to. */
  async #listAliased(): Promise<string[]> {
    return Object.keys(((await this.#send("GET", `/_alias/${this.#alias}`)) ?? {}) as object);
  }

  /** Why no node holds a new index; a full disk is the usual reason. */
  async #describeLackOfRoom(): Promise<OpenSearchError> {
    const body = { index: this.#index, shard: 0, primary: true };
    const answer = (await this.#send("POST", "/_cluster/allocation/explain", body)) as ExplainAnswer;
    const decisions = (answer.node_allocation_decisions ?? []).flatMap(({ deciders = [] }) => deciders);
    const reason = decisions.find(({ decision }) => decision === "NO")?.explanation ?? "it did not say why";
    return new OpenSearchError(`OpenSearch has no room for the index: ${reason.replace(/\.$/, "")}`);
  }

  async #fill(data: IndexData): Promise<void> {
    let lines: string[] = [];
    let bytes = 0;
    const send = async (): Promise<void> => {
      if (lines.length === 0) return;
      const answer = (await this.#send("POST", `/${this.#index}/_bulk`, `${lines.join("\n")}\n`)) as BulkAnswer;
      if (answer.errors !== false)
        throw new OpenSearchError(`OpenSearch refused pages of an upload: ${describeProblem(answer)}`);
      lines = [];
      bytes = 0;
    };
    for (const { id, body } of createDocuments(data)) {
      const line = JSON.stringify(body);
      lines.push(JSON.stringify({ index: { _id: id } }), line);
      bytes += line.length;
      if (bytes >= BULK_BYTES) await send();
    }
    await send();
    await this.#send("PUT", `/${this.#index}/_settings`, { index: { refresh_interval: null } });
    await this.#waitForCopies();
    await this.#send("POST", `/${this.#index}/_refresh`);
  }

  /**
   * A copy that is still being made would answer without the pages that it missed. On a cluster with fewer nodes than copies
   * there is nothing to wait for in the end; later copies are whole.
   */
  async #waitForCopies(): Promise<void> {
    const end = performance.now() + COPIES_TIMEOUT_MS;
    for (;;) {
      const health = await this.#readHealth();
      if (health.status === "green" || (!isMoving(health) && health.unassigned_shards > 0)) return;
      if (performance.now() > end) return;
      await setTimeout(HEALTH_INTERVAL_MS);
    }
  }

  async #readHealth(): Promise<HealthAnswer> {
    return (await this.#send("GET", `/_cluster/health/${this.#index}`)) as HealthAnswer;
  }

  #send(
    method: ClusterRequest["method"],
    path: string,
    body?: object | string,
    options: Pick<ClusterRequest, "isExistingFine"> = {},
  ): Promise<unknown> {
    const isMissingFine = method === "GET" || method === "DELETE";
    const request = { method, path, isMissingFine, timeoutMs: UPLOAD_TIMEOUT_MS, ...options };
    return this.#cluster.request(body === undefined ? request : { ...request, body });
  }
}

/** Whether the cluster is at work on shards. */
function isMoving({ initializing_shards, number_of_pending_tasks }: HealthAnswer): boolean {
  return initializing_shards > 0 || number_of_pending_tasks > 0;
}

/** A cluster whose disks are full blocks the creation of indices, or their contents, without a word of disks. */
function hintFor(reason: string): string {
  return reason.includes("create-index blocked") || reason.includes("read-only-allow-delete")
    ? " (its disks are full: make room, or raise cluster.routing.allocation.disk.watermark)"
    : "";
}

function describeProblem({ items = [] }: BulkAnswer): string {
  const error = items.find(({ index }) => index?.error !== undefined)?.index?.error;
  return error === undefined ? "it did not say why" : `${error.type}, ${error.reason}`;
}
