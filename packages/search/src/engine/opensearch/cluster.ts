/**
 * Requests to a cluster by any of its nodes: a node that does not answer gets no requests for a while, and the next one is asked
 * within the same deadline, so that a lost or slow node delays one reader for a moment and the others not at all.
 */
import { NoAnswerError, OpenSearchError } from "./open-search-error.ts";

export interface ClusterOptions {
  /** Addresses of nodes, `https://user:password@host:9200` or without credentials; at least one. */
  readonly urls: readonly string[];
  /** For one search with all its attempts, in milliseconds. Default 2000: the site's client gives up then. */
  readonly deadlineMs?: number;
  /** Milliseconds, monotonic; for tests. */
  readonly now?: () => number;
}

export interface ClusterRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** JSON, or lines of it for a bulk request. */
  readonly body?: object | string;
  /** Answer `undefined` to 404. Default: an error. */
  readonly isMissingFine?: boolean;
  /**
   * Answer `undefined` where it exists already: a node that was asked before may have created it without an answer. Default: an
   * error.
   */
  readonly isExistingFine?: boolean;
  /** Writes may take longer than a search, in milliseconds. Default: the deadline of a search. */
  readonly timeoutMs?: number;
}

interface Node {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  failures: number;
  /** Not asked before this time, unless no other remains. */
  restUntil: number;
}

/** After the first failure, in milliseconds; doubled with each further one up to the maximum. */
const FIRST_REST_MS = 1_000;
const MAX_REST_MS = 30_000;
/** What a node of a cluster that is starting, overloaded or behind a gateway answers; another one may do better. */
const ELSEWHERE = new Set([429, 502, 503, 504]);
/** Of these, what a gateway answers that has lost the answer of the node behind it. */
const GATEWAYS = new Set([502, 504]);

export class Cluster {
  readonly #nodes: readonly Node[];
  readonly #deadlineMs: number;
  readonly #now: () => number;

  /** @throws {OpenSearchError} when an address is none. */
  constructor({ urls, deadlineMs = 2_000, now = () => performance.now() }: ClusterOptions) {
    if (urls.length === 0) throw new OpenSearchError("OpenSearch needs at least one address");
    this.#nodes = urls.map(readNode);
    this.#deadlineMs = deadlineMs;
    this.#now = now;
  }

  /**
   * Asks one node after the other until one answers or the deadline is over.
   *
   * @returns The parsed answer; undefined for a missing thing that may be missing.
   * @throws {OpenSearchError} `NoAnswerError` when a node may have done it all the same.
   */
  async request(request: ClusterRequest): Promise<unknown> {
    const end = this.#now() + (request.timeoutMs ?? this.#deadlineMs);
    const nodes = this.#inOrder();
    let last: unknown;
    let isAnyLost = false;
    for (const [at, node] of nodes.entries()) {
      const left = end - this.#now();
      if (left <= 0) break;
      // The others need time as well: a node that hangs may use up its share only.
      const share = at === nodes.length - 1 ? left : Math.max(left / (nodes.length - at), left / 3);
      try {
        const answer = await this.#ask(node, request, share);
        node.failures = 0;
        node.restUntil = 0;
        return answer;
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        node.failures += 1;
        node.restUntil = this.#now() + Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** (node.failures - 1));
        last = error.cause ?? error;
        isAnyLost ||= error.isLost;
      }
    }
    const { method, path } = request;
    const Problem = isAnyLost ? NoAnswerError : OpenSearchError;
    throw new Problem(`OpenSearch does not answer ${method} ${path}${describeReason(last)}`, { cause: last });
  }

  /** Nodes that answered last are first; those at rest are last, the one that has rested longest first. */
  #inOrder(): Node[] {
    const now = this.#now();
    const rank = (node: Node): number => (node.restUntil > now ? node.restUntil : 0);
    return [...this.#nodes].sort((a, b) => rank(a) - rank(b));
  }

  async #ask(node: Node, request: ClusterRequest, timeoutMs: number): Promise<unknown> {
    const { method, path, body, isMissingFine = false, isExistingFine = false } = request;
    const type = typeof body === "string" ? "application/x-ndjson" : "application/json";
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${node.origin}${path}`, {
        method,
        headers: { ...node.headers, ...(body === undefined ? {} : { "content-type": type }) },
        signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      throw new Unavailable({ isLost: true, cause: error });
    }
    const said = `OpenSearch answered ${method} ${path} with`;
    if (status === 404 && isMissingFine) return undefined;
    if (status === 400 && isExistingFine && text.includes("resource_already_exists_exception")) return undefined;
    if (ELSEWHERE.has(status)) {
      const cause = new OpenSearchError(`${said} ${status}: ${readReason(text)}`);
      throw new Unavailable({ isLost: GATEWAYS.has(status), cause });
    }
    if (status >= 300) throw new OpenSearchError(`${said} ${status}: ${readReason(text)}`);
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new OpenSearchError(`${said} something that is not JSON`, { cause: error });
    }
  }
}

/** Of an answer that is an error; what OpenSearch gives as the reason where it is one of OpenSearch's. */
function readReason(text: string): string {
  let reason: unknown;
  try {
    const answer = JSON.parse(text) as {
      error?: { reason?: unknown; root_cause?: readonly { reason?: unknown }[] };
    } | null;
    reason = answer?.error?.root_cause?.[0]?.reason ?? answer?.error?.reason;
  } catch {
    // A gateway's answer is a page.
  }
  return (typeof reason === "string" ? reason : text).slice(0, 300);
}

function describeReason(error: unknown): string {
  return error instanceof Error ? `: ${error.message}` : "";
}

/** A node that could not be asked; another one may be. */
class Unavailable extends Error {
  /** Whether it may do all the same what it was asked for. */
  readonly isLost: boolean;

  constructor({ isLost, cause }: { readonly isLost: boolean; readonly cause: unknown }) {
    super("unavailable", { cause });
    this.isLost = isLost;
  }
}

function readNode(url: string): Node {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  // `user:secret@host` is an address, too, of the scheme `user`.
  if (address === undefined || !["http:", "https:"].includes(address.protocol)) {
    // The text before @ may be a password.
    const shown = url.slice(url.lastIndexOf("@") + 1);
    throw new OpenSearchError(
      `"${shown}" is not an address of OpenSearch: use one such as https://search.example.com:9200`,
    );
  }
  const { username, password, origin, pathname } = address;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  return {
    origin: `${origin}${pathname.replace(/\/+$/, "")}`,
    headers: username === "" ? {} : { authorization: `Basic ${credentials}` },
    failures: 0,
    restUntil: 0,
  };
}
