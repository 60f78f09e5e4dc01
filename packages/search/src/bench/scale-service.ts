/** A site's search service in a process of its own: what readers wait for it, what it answers, and what memory it takes. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, createServer } from "node:http";
import { listen } from "@toolhive/http";
import { OpenSearchEngine } from "../engine/opensearch/opensearch-engine.ts";
import { createSearchService } from "../service/search-service.ts";
import { FIXTURE_SEGMENT } from "../testing/fixture-site.ts";
import { modalRequest } from "../testing/search-server.ts";
import { askFor } from "./http-load.ts";
import { percentile } from "./measure.ts";
import type { ClientsMeasurement } from "./scale-row.ts";

/** Longer than readers wait: what is measured is how long a cluster takes, not that the service gives up. */
const DEADLINE_MS = 60_000;
/** Hits that two engines should have in common. */
export const FIRST_HITS = 5;
const WARM_UP_QUERIES = 100;
const WARM_UP_CLIENTS = 4;
/** A slow engine is asked fewer of the queries, the first ones, in this many seconds. */
const MAX_SECONDS = 60;

export interface SearchAnswer {
  readonly ms: number;
  /** Of the first hits, best first. */
  readonly first: readonly string[];
}

/** What a process of its own serves: an index file, or what an alias of a cluster leads to. */
export type ServedIndex =
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "cluster"; readonly urls: readonly string[]; readonly alias: string };

/** The process itself: serves until it is ended. Nothing is remembered of answers, and nobody is limited. */
export async function serveIndex(served: ServedIndex): Promise<void> {
  const engine =
    served.kind === "file"
      ? undefined
      : new OpenSearchEngine({ urls: served.urls, alias: served.alias, deadlineMs: DEADLINE_MS });
  const service = createSearchService({
    // A service of a cluster has no index of its own here, so that its memory is that of a server that needs none.
    indexFile: served.kind === "file" ? served.file : "/nowhere/search-index",
    indexName: FIXTURE_SEGMENT,
    rateLimit: false,
    cacheBytes: 0,
    ...(engine !== undefined && { engine }),
  });
  const server = createServer((request, response) => void service.handle(request, response));
  process.send?.({ port: await listen(server) });
}

export class ScaleService implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
  }

  /** Resolves when the first search is answered. @param script The bundled bench, run again as the server. */
  static async start(script: string, served: ServedIndex): Promise<ScaleService> {
    const child = fork(script, ["serve", JSON.stringify(served)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const [{ port }] = (await once(child, "message")) as [{ port: number }];
    const service = new ScaleService(child, port);
    await service.search("server");
    return service;
  }

  /** @throws {Error} for any other status than 200. */
  async search(query: string): Promise<SearchAnswer> {
    const asked = JSON.stringify({ requests: [modalRequest(query)] });
    const { status, ms, body } = await askFor(this.#agent, this.#port, asked, "identity");
    const text = body.toString("utf8");
    if (status !== 200) throw new Error(`${query}: status ${status} ${text.slice(0, 200)}`);
    return { ms, first: readFirst(text) };
  }

  /** So that the code of all processes is compiled before anything is measured. */
  async warmUp(queries: readonly string[]): Promise<void> {
    await this.#askAll(queries.slice(0, WARM_UP_QUERIES), WARM_UP_CLIENTS);
  }

  /** Every query once, each client asking when its last question is answered. */
  async measure(
    queries: readonly string[],
    clients: number,
  ): Promise<{ readonly times: ClientsMeasurement; readonly answers: ReadonlyMap<string, SearchAnswer> }> {
    const started = performance.now();
    const answers = await this.#askAll(queries, clients);
    const seconds = (performance.now() - started) / 1_000;
    const times = answers.map(([, { ms }]) => ms);
    return {
      times: {
        clients,
        searches: times.length,
        perSecond: times.length / seconds,
        p50Ms: percentile(times, 0.5),
        p99Ms: percentile(times, 0.99),
      },
      answers: new Map(answers),
    };
  }

  async readMemory(): Promise<number> {
    return await readResidentMemory(this.#child.pid as number);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    this.#child.kill();
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
  }

  async #askAll(queries: readonly string[], clients: number): Promise<(readonly [string, SearchAnswer])[]> {
    const end = performance.now() + MAX_SECONDS * 1_000;
    const answers: (readonly [string, SearchAnswer])[] = [];
    let next = 0;
    const askOn = async (): Promise<void> => {
      while (next < queries.length && performance.now() < end) {
        const query = queries[next++] as string;
        answers.push([query, await this.search(query)]);
      }
    };
    await Promise.all(Array.from({ length: clients }, askOn));
    return answers;
  }
}

/** Bytes of a process that are in memory. */
export async function readResidentMemory(pid: number): Promise<number> {
  const [, kibibytes] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) * 1_024;
}

/** Share of the queries that both answered with the same first hits in the same order. */
export function compareFirst(
  left: ReadonlyMap<string, SearchAnswer>,
  right: ReadonlyMap<string, SearchAnswer>,
): { readonly share: number; readonly others: readonly string[] } {
  const both = [...left.keys()].filter((query) => right.has(query));
  const listFirst = (answers: ReadonlyMap<string, SearchAnswer>, query: string): string =>
    (answers.get(query)?.first ?? []).join(" ");
  const others = both.filter((query) => listFirst(left, query) !== listFirst(right, query));
  return { share: 1 - others.length / both.length, others };
}

function readFirst(text: string): string[] {
  const { results }: { results: readonly { hits: readonly { objectID: string }[] }[] } = JSON.parse(text);
  return (results[0]?.hits ?? []).slice(0, FIRST_HITS).map(({ objectID }) => objectID);
}
