/** Nodes that refuse, hang or are lost: doubles, because a real node does none of that when asked. */
import { once } from "node:events";
import { createServer } from "node:http";
import { listen } from "@toolhive/http";
import { expect, test } from "vitest";
import { Cluster } from "./cluster.ts";

type Answer = { readonly status?: number; readonly body: string } | "hang";

interface Double extends AsyncDisposable {
  readonly url: string;
  readonly paths: string[];
  readonly credentials: (string | undefined)[];
}

async function startDouble(createAnswer: () => Answer): Promise<Double> {
  const paths: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    request.resume();
    paths.push(request.url ?? "");
    credentials.push(request.headers.authorization);
    const answer = createAnswer();
    if (answer !== "hang") response.writeHead(answer.status ?? 200).end(answer.body);
  });
  const port = await listen(server);
  const url = `http://127.0.0.1:${port}`;
  const end = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url, paths, credentials, [Symbol.asyncDispose]: end };
}

const OK = { body: '{"ok":true}' };
const GET = { method: "GET", path: "/docs" } as const;

test.each<[string, Answer, string, number]>([
  ["refuses", { status: 403, body: "no" }, "GET /docs with 403: no", 30_000],
  ["fails", { status: 500, body: "oops" }, "GET /docs with 500: oops", 30_000],
  ["answers no JSON", { body: "<html>" }, "GET /docs with something that is not JSON", 30_000],
  ["hangs", "hang", "does not answer GET /docs", 200],
])("a node that %s is an error with the request's name", async (_, answer, message, deadlineMs) => {
  await using node = await startDouble(() => answer);

  await expect(new Cluster({ urls: [node.url], deadlineMs }).request(GET)).rejects.toMatchObject({
    name: "OpenSearchError",
    message: expect.stringContaining(message),
  });
});

test.each<[string, Answer]>([
  ["hangs", "hang"],
  ["is overloaded", { status: 429, body: "later" }],
  ["is behind a gateway that lost it", { status: 502, body: "bad gateway" }],
])("when a node %s, the next one is asked within the deadline, and the first is left alone", async (_, answer) => {
  await using lost = await startDouble(() => answer);
  await using other = await startDouble(() => OK);
  const cluster = new Cluster({ urls: [lost.url, other.url], deadlineMs: 900 });

  const answers = [await cluster.request(GET), await cluster.request(GET), await cluster.request(GET)];

  expect(answers).toEqual([{ ok: true }, { ok: true }, { ok: true }]);
  expect([lost.paths.length, other.paths.length]).toEqual([1, 3]);
});

test("a node that rested is asked again", async () => {
  let now = 0;
  let isLost = true;
  await using node = await startDouble(() => (isLost ? { status: 503, body: "starting" } : OK));
  await using other = await startDouble(() => OK);
  const cluster = new Cluster({ urls: [node.url, other.url], now: () => now });
  await cluster.request(GET);
  isLost = false;
  now += 1_001;

  await cluster.request(GET);

  expect([node.paths.length, other.paths.length]).toEqual([2, 1]);
});

test("a node at rest is asked when no other is left", async () => {
  let isLost = true;
  await using node = await startDouble(() => (isLost ? { status: 503, body: "starting" } : OK));
  const cluster = new Cluster({ urls: [node.url], now: () => 0 });
  await expect(cluster.request(GET)).rejects.toThrow("with 503: starting");
  isLost = false;

  expect(await cluster.request(GET)).toEqual({ ok: true });
});

test("credentials of an address are sent as such, and the path before ours is kept", async () => {
  await using node = await startDouble(() => OK);
  const url = `${node.url.replace("//", "//us%40er:p%3Aw@")}/search/`;

  await new Cluster({ urls: [url] }).request(GET);

  expect([node.paths, node.credentials]).toEqual([["/search/docs"], [`Basic ${btoa("us@er:p:w")}`]]);
});

test("an address that is none is refused without its password", () => {
  const make = () => new Cluster({ urls: ["https://user:secret@search.example.com:notaport"] });

  expect(make).toThrow('"search.example.com:notaport" is not an address of OpenSearch');
  expect(() => new Cluster({ urls: ["user:secret@nowhere"] })).toThrow('"nowhere" is not an address of OpenSearch');
  expect(() => new Cluster({ urls: [] })).toThrow("at least one address");
});
