/** Filling a cluster: a new index, made whole before the alias moves to it in one step, so that no search meets half of it. */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { IndexData } from "../index/index-format.ts";
import { Cluster } from "./cluster.ts";
import { OpenSearchError } from "./open-search-error.ts";
import { describeCorpus, describeIndex, documentsOf, type IndexShape } from "./page-documents.ts";

/** Bytes of one bulk request. */
const BULK_BYTES = 4 * 2 ** 20;
/** So long may a new index look for its place, in seconds. */
const ROOM_TIMEOUT_S = 20;
/** Copies of a new index are waited for this long, in milliseconds; an alias may move before they are there. */
const COPIES_TIMEOUT_MS = 60_000;
const COPIES_INTERVAL_MS = 200;
/** A bulk request may take longer than a search, in milliseconds. */
const UPLOAD_TIMEOUT_MS = 60_000;

interface HealthAnswer {
  readonly status: "green" | "yellow" | "red";
  readonly initializing_shards: number;
  readonly unassigned_shards: number;
  readonly number_of_pending_tasks: number;
}

interface CreateAnswer {
  readonly shards_acknowledged?: boolean;
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
 * @throws {OpenSearchError} The alias leads to the old index then, and nothing of the new one stays.
 */
export async function replaceOpenSearchIndex(
  data: IndexData,
  { urls, alias, ...shape }: OpenSearchTarget,
): Promise<void> {
  await new Upload(new Cluster({ urls }), alias, shape).replace(data);
}

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
    const index = this.#index;
    const alias = this.#alias;
    try {
      await this.#create(describeIndex(describeCorpus(data), this.#shape));
      await this.#fill(data);
      const old = Object.keys(((await this.#send("GET", `/_alias/${alias}`)) ?? {}) as object);
      const removals = old.map((name) => ({ remove_index: { index: name } }));
      await this.#send("POST", "/_aliases", { actions: [{ add: { index, alias } }, ...removals] });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const isRemoved = await this.#send("DELETE", `/${index}`).then(
        () => true,
        () => false, // the error that is reported is the one before
      );
      const rest = isRemoved ? "" : `. What was written of ${index} is still there: delete that index`;
      throw new OpenSearchError(`${reason}${hintFor(reason)}. The alias ${alias} is as it was${rest}`, {
        cause: error,
      });
    }
  }

  async #create(description: object): Promise<void> {
    const created = await this.#send("PUT", `/${this.#index}?timeout=${ROOM_TIMEOUT_S}s`, description);
    if ((created as CreateAnswer).shards_acknowledged === false) throw await this.#describeLackOfRoom();
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
        throw new OpenSearchError(`OpenSearch refused pages of an upload: ${problemOf(answer)}`);
      lines = [];
      bytes = 0;
    };
    for (const { id, body } of documentsOf(data)) {
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
   * A copy that is still being made would answer without the pages that it missed. On a cluster with fewer nodes than copies there
   * is nothing to wait for in the end; those that come later are whole.
   */
  async #waitForCopies(): Promise<void> {
    const end = performance.now() + COPIES_TIMEOUT_MS;
    for (;;) {
      const health = (await this.#send("GET", `/_cluster/health/${this.#index}`)) as HealthAnswer;
      const isMoving = health.initializing_shards > 0 || health.number_of_pending_tasks > 0;
      if (health.status === "green" || (!isMoving && health.unassigned_shards > 0)) return;
      if (performance.now() > end) return;
      await setTimeout(COPIES_INTERVAL_MS);
    }
  }

  #send(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object | string): Promise<unknown> {
    const isMissingFine = method === "GET" || method === "DELETE";
    const request = { method, path, isMissingFine, timeoutMs: UPLOAD_TIMEOUT_MS };
    return this.#cluster.request(body === undefined ? request : { ...request, body });
  }
}

/** A cluster whose disks are full blocks the creation of indices, or their contents, without a word of disks. */
function hintFor(reason: string): string {
  return reason.includes("create-index blocked") || reason.includes("read-only-allow-delete")
    ? " (its disks are full: make room, or raise cluster.routing.allocation.disk.watermark)"
    : "";
}

function problemOf({ items = [] }: BulkAnswer): string {
  const error = items.find(({ index }) => index?.error !== undefined)?.index?.error;
  return error === undefined ? "it did not say why" : `${error.type}, ${error.reason}`;
}
