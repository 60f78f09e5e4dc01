/** Filling a cluster whose answers are lost: doubles, because a real node loses none when asked. Two addresses of one state. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "@toolhive/http";
import { expect, test } from "vitest";
import { toSearchRecord } from "../../records/search-record.ts";
import { buildIndexData } from "../index/build-index-data.ts";
import { replaceOpenSearchIndex } from "./index-upload.ts";

const DATA = buildIndexData({
  indexName: "docs",
  records: [
    toSearchRecord({
      objectID: "1",
      url: "https://docs.test/1",
      type: "lvl1",
      hierarchy: { lvl1: "A page" },
      docusaurus_tag: "default",
      language: "en",
    }),
  ],
});

interface Answer {
  readonly status: number;
  readonly body: object;
}

const OK: Answer = { status: 200, body: {} };
const refuse = (status: number, type: string, reason: string): Answer => ({
  status,
  body: { error: { type, reason }, status },
});

/** What a cluster knows of indices and one alias. */
class State {
  readonly indices = new Set(["docs-old"]);
  aliased = "docs-old";
  /** Requests in order, as `PUT /docs-NEW`. */
  readonly asked: string[] = [];
  /** Of the shards of the new index. */
  health: object = { status: "green", initializing_shards: 0, unassigned_shards: 0, number_of_pending_tasks: 0 };

  answer(method: string, path: string, body: string): Answer {
    const [name = ""] = path.slice(1).split(/[/?]/);
    this.asked.push(`${method} ${path.replace(/docs-[\da-f]{8}[-\da-f]+/, "docs-NEW")}`);
    if (path.startsWith("/_cluster/health/")) return { status: 200, body: this.health };
    if (path.startsWith("/_cluster/allocation/explain")) return { status: 200, body: {} };
    if (path.startsWith("/_alias/")) return { status: 200, body: { [this.aliased]: {} } };
    if (path === "/_aliases") return this.#move(JSON.parse(body));
    if (path.endsWith("/_bulk")) return { status: 200, body: { errors: false } };
    if (method === "DELETE") return this.indices.delete(name) ? OK : refuse(404, "index_not_found_exception", name);
    if (method !== "PUT" || path.includes("/_settings")) return OK;
    if (this.indices.has(name))
      return refuse(400, "resource_already_exists_exception", `index [${name}] already exists`);
    this.indices.add(name);
    return OK;
  }

  #move({ actions }: { actions: { add?: { index: string }; remove_index?: { index: string } }[] }): Answer {
    const removed = actions.flatMap(({ remove_index }) => (remove_index ? [remove_index.index] : []));
    const missing = removed.find((index) => !this.indices.has(index));
    if (missing !== undefined) return refuse(404, "index_not_found_exception", `no such index [${missing}]`);
    for (const index of removed) this.indices.delete(index);
    this.aliased = actions.find(({ add }) => add)?.add?.index ?? this.aliased;
    return OK;
  }
}

/** How a node treats a request: it answers, does what it is asked for and is lost, or is lost before. */
type Fate = "answered" | "done and lost" | "lost" | Answer;

async function startNode(state: State, decideFate: (request: string) => Fate) {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url = "" } = request;
    const body = await text(request);
    const fate = decideFate(`${method} ${url}`);
    if (fate === "lost") return void request.socket.destroy();
    const answer = typeof fate === "string" ? state.answer(method, url, body) : fate;
    if (fate === "done and lost") return void request.socket.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
  };
  const server = createServer((request, response) => void handle(request, response));
  const url = `http://127.0.0.1:${await listen(server)}`;
  const end = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url, [Symbol.asyncDispose]: end };
}

async function replaceWith(state: State, ...fates: ((request: string) => Fate)[]): Promise<string> {
  const nodes = await Promise.all(fates.map((fate) => startNode(state, fate)));
  try {
    const target = { urls: nodes.map(({ url }) => url), alias: "docs", shards: 1, replicas: 0 };
    return await replaceOpenSearchIndex(DATA, target).then(() => "done", String);
  } finally {
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
  }
}

const answered = (): Fate => "answered";
const isMove = (request: string) => request === "POST /_aliases";
const isCreation = (request: string) => /^PUT \/docs-[^/]+\?/.test(request);

test("a node that has made the index and is lost before it says so costs nothing", async () => {
  const state = new State();

  const result = await replaceWith(state, (request) => (isCreation(request) ? "done and lost" : "answered"), answered);

  expect(result).toBe("done");
  expect([...state.indices]).toEqual([state.aliased]);
  expect(state.aliased).not.toBe("docs-old");
  expect(state.asked.filter((request) => request.startsWith("PUT /docs-NEW?"))).toHaveLength(2);
});

test("a node that has moved the alias and is lost before it says so costs nothing, and the new index stays", async () => {
  const state = new State();

  const result = await replaceWith(state, (request) => (isMove(request) ? "done and lost" : "answered"), answered);

  expect(result).toBe("done");
  expect([...state.indices]).toEqual([state.aliased]);
  expect(state.asked.filter(isMove)).toHaveLength(2);
  expect(state.asked.filter((request) => request.startsWith("DELETE"))).toEqual([]);
});

test("where no answer says whether the alias moved, no index is deleted, and the error names the request that shows it", async () => {
  const state = new State();

  const result = await replaceWith(state, (request) => (isMove(request) ? "lost" : "answered"));

  const made = [...state.indices].find((name) => name !== "docs-old");
  expect(result).toContain(`The alias docs may still move to ${made}: see GET /_alias/docs`);
  expect(state.indices.size).toBe(2);
});

test.each<[string, Answer, string]>([
  ["is refused", refuse(403, "security_exception", "no permissions"), "no permissions. The alias docs is as it was"],
  [
    "meets full disks",
    refuse(429, "cluster_block_exception", "index [docs] blocked by: [12/index has read-only-allow-delete block]"),
    "block] (its disks are full: make room, or raise cluster.routing.allocation.disk.watermark). The alias docs is as it was",
  ],
])("a move that %s takes the new index back", async (_, refusal, end) => {
  const state = new State();

  const result = await replaceWith(state, (request) => (isMove(request) ? refusal : "answered"));

  expect(result.endsWith(end), result).toBe(true);
  expect([...state.indices]).toEqual(["docs-old"]);
});

test("shards that are still being made are waited for", async () => {
  const state = new State();
  const ready = state.health;
  let looks = 0;
  state.health = { status: "red", initializing_shards: 1, unassigned_shards: 0, number_of_pending_tasks: 1 };
  const lookAt = (request: string): Fate => {
    if (request.startsWith("GET /_cluster/health") && ++looks === 3) state.health = ready;
    return "answered";
  };

  expect(await replaceWith(state, lookAt)).toBe("done");
  expect(state.asked.some((request) => request.includes("explain"))).toBe(false);
});
