/**
 * Requests to a cluster's API server. The official client library finds the server and signs requests; objects pass as the
 * JSON that they are, because its generated models would hold a second copy of each.
 */
import { request as requestPlain } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { setTimeout as delay, setImmediate as immediate } from "node:timers/promises";
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import type { JsonObject } from "../contract/index.ts";
import { ClusterError } from "./cluster-error.ts";

/** Bytes of one answer; a page of 500 objects of 1.5 MB at most, of which real ones have some kilobytes. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** Bytes of one object in a watch; etcd holds none that is larger than 1.5 MB. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
const MAX_CONNECTIONS = 32;
/** Milliseconds without a byte after which a request is given up. */
const IDLE_MS = 30_000;
/** The same for a watch that was begun, in which the API server sends a bookmark about every minute. */
const WATCH_IDLE_MS = 150_000;
/** Milliseconds without a byte in a watch after which the connection is probed. */
const KEEP_ALIVE_MS = 15_000;
/** Media types for answers with the metadata of objects and nothing else: of a list, and of the changes in a watch. */
const METADATA_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const METADATA_CHANGES = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
/** Milliseconds that one token from the credentials is used; kubelets renew those of pods on the disk. */
const CREDENTIALS_MS = 60_000;
/** Objects in one answer: ten collections are listed at once, and each answer is a text and its objects for a moment. */
const PAGE_SIZE = 150;
/** Context that the client library makes up where it finds none. */
const LAST_RESORT = "loaded-context";
/** Tries of a request that the API server is too busy for. */
const MAX_TRIES = 5;

export interface ClusterRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** For example `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Media type of the answer. Default: `application/json`. */
  readonly accept?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: JsonObject;
}

export class ClusterClient {
  readonly config: KubeConfig;
  readonly #agent: Agent;
  readonly #idleMs: number;
  #credentials: { readonly options: RequestOptions; readonly readAt: number } | undefined;
  /** Requests sent so far, by method. */
  readonly counts = { reads: 0, writes: 0 };

  private constructor(config: KubeConfig, idleMs: number) {
    this.config = config;
    this.#idleMs = idleMs;
    this.#agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  }

  /**
   * @param kubeconfig Path of a kubeconfig. Default: the pod's own account inside a cluster, otherwise `KUBECONFIG` or the
   * user's.
   * @param idleMs Milliseconds without a byte after which a request is given up, a watch only at its begin. Default: 30,000.
   * @throws {ClusterError} When there is none, or it names no cluster.
   */
  static load(kubeconfig?: string, idleMs = IDLE_MS): ClusterClient {
    const config = new KubeConfig();
    try {
      if (kubeconfig !== undefined) config.loadFromFile(kubeconfig);
      else config.loadFromDefault();
    } catch (error) {
      throw new ClusterError(`The kubeconfig cannot be read: ${error instanceof Error ? error.message : error}`, 0);
    }
    if (!config.getCurrentCluster()) throw new ClusterError("The kubeconfig names no cluster.", 0);
    // The library's last resort, which is no real cluster.
    if (kubeconfig === undefined && config.getCurrentContext() === LAST_RESORT) {
      throw new ClusterError("There is no kubeconfig, and this is no pod of a cluster.", 0);
    }
    return new ClusterClient(config, idleMs);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** @throws {ClusterError} For an answer other than 2xx, after tries again when the server is too busy. */
  async send(call: ClusterRequest): Promise<JsonObject> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return JSON.parse((await this.#read(await this.#open(call))).toString("utf8"));
      } catch (error) {
        if (!(error instanceof ClusterError) || !error.isBusy || attempt === MAX_TRIES) throw error;
        await delay((error.retryAfterSeconds ?? 2 ** (attempt - 1)) * 1_000, undefined, {
          ...(call.signal && { signal: call.signal }),
        });
      }
    }
  }

  /** All objects of a collection, page by page, so that no answer holds thousands. @returns The version to watch from. */
  async *list(
    path: string,
    query: ClusterRequest["query"] = {},
    { signal, isMetadataOnly = false }: { signal?: AbortSignal; isMetadataOnly?: boolean } = {},
  ): AsyncGenerator<JsonObject, string> {
    const read = (after?: string) => {
      const accept = isMetadataOnly ? METADATA_LIST : undefined;
      const page = this.send({ path, query: { ...query, limit: PAGE_SIZE, continue: after }, signal, accept });
      // Whoever reads the objects of the page before may end early.
      page.catch(() => undefined);
      return page;
    };
    for (let reading = read(); ; ) {
      const { items, metadata } = await reading;
      const next: string | undefined = metadata?.continue || undefined;
      if (next !== undefined) {
        reading = read(next);
        // The API server makes the next page while the objects of this one are taken: the request has to be on its way.
        await immediate();
      }
      // An empty list of metadata has `null`.
      yield* items ?? [];
      if (next === undefined) return metadata?.resourceVersion ?? "";
    }
  }

  /** Changes since a version; ends when the server ends the connection. @throws {ClusterError} 410 for a version that is too old. */
  async *watch(
    path: string,
    resourceVersion: string,
    {
      query = {},
      signal,
      isMetadataOnly = false,
    }: { query?: ClusterRequest["query"]; signal?: AbortSignal; isMetadataOnly?: boolean } = {},
  ): AsyncGenerator<WatchEvent> {
    const answer = await this.#open({
      path,
      query: { ...query, watch: true, allowWatchBookmarks: true, resourceVersion },
      signal,
      ...(isMetadataOnly && { accept: METADATA_CHANGES }),
      isEndless: true,
    });
    let begun = "";
    answer.setEncoding("utf8");
    for await (const text of answer) {
      const lines = (begun + text).split("\n");
      begun = lines.pop() ?? "";
      if (begun.length > MAX_EVENT_BYTES) throw new ClusterError(`An object of ${path} is too large to be watched.`, 0);
      for (const line of lines) {
        const event = JSON.parse(line);
        if (event.type === "ERROR") throw ClusterError.fromStatus(event.object, event.object?.code ?? 500);
        yield event;
      }
    }
  }

  /**
   * Server-side apply: the fields of the object become this manager's, and as they are given.
   * @param options.force Whether fields of other managers are taken from them. Default: true. @returns The object as stored.
   * @throws {ClusterError} 409 without force, when another manager has a field with another value.
   */
  async apply(
    path: string,
    object: JsonObject,
    { manager, force = true, signal }: { manager: string; force?: boolean; signal?: AbortSignal | undefined },
  ): Promise<JsonObject> {
    return await this.send({
      method: "PATCH",
      path,
      query: { fieldManager: manager, force },
      body: object,
      contentType: "application/apply-patch+yaml",
      signal,
    });
  }

  async #open({
    method = "GET",
    path,
    query = {},
    body,
    contentType = "application/json",
    accept = "application/json",
    signal,
    isEndless = false,
  }: ClusterRequest & { readonly isEndless?: boolean }) {
    const server = new URL(this.config.getCurrentCluster()?.server ?? "");
    const url = new URL(`${server.pathname.replace(/\/$/, "")}${path}`, server);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const { headers, ...credentials } = await this.#readCredentials();
    this.counts[method === "GET" ? "reads" : "writes"] += 1;
    return await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
      const send = url.protocol === "http:" ? requestPlain : request;
      const options: RequestOptions = {
        ...credentials,
        method,
        headers: {
          ...headers,
          accept,
          ...(payload && { "content-type": contentType, "content-length": payload.length }),
        },
        // A watch has a connection of its own: it would keep others waiting.
        agent: isEndless || url.protocol === "http:" ? false : this.#agent,
        ...(signal && { signal }),
      };
      const out = send(url, options, (answer) => {
        const { statusCode = 0 } = answer;
        if (statusCode >= 200 && statusCode < 300) {
          if (isEndless) out.setTimeout(WATCH_IDLE_MS);
          return resolve(answer);
        }
        this.#read(answer).then(
          (bytes) => reject(ClusterError.fromAnswer(bytes, statusCode, answer.headers["retry-after"])),
          reject,
        );
      });
      out.setTimeout(this.#idleMs, () => out.destroy(new Error("the API server does not answer")));
      // A machine that has failed sends nothing.
      if (isEndless) out.setSocketKeepAlive(true, KEEP_ALIVE_MS);
      out.on("error", (error) => reject(new ClusterError(`The API server at ${url.host}: ${error.message}`, 0, error)));
      out.end(payload);
    });
  }

  async #read(answer: import("node:http").IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) throw new ClusterError("The API server's answer is too large.", 0);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  async #readCredentials(): Promise<RequestOptions> {
    if (this.#credentials && Date.now() - this.#credentials.readAt < CREDENTIALS_MS) return this.#credentials.options;
    const options: RequestOptions = {};
    await this.config.applyToHTTPSOptions(options);
    const { agent: _, ...rest } = options;
    this.#credentials = { options: rest, readAt: Date.now() };
    return rest;
  }
}
