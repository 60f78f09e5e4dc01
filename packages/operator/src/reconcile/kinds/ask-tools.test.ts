/** The operator asks proxies for their choice of tools, here over real HTTP at addresses of this machine's loopback network. */
import { createServer, type Server } from "node:http";
import { listen } from "@toolhive/http";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ClusterClient, ClusterRequest } from "../../cluster/index.ts";
import { RUNNER_HEALTH_PORT } from "../../contract/index.ts";
import type { PodSummary } from "../status/pod-summary.ts";
import { askTools, isLate } from "./ask-tools.ts";

const { signal } = new AbortController();
/** Of this file alone: the port is fixed. */
const ADDRESS = "127.37.0.1";
const POD = { isReady: true, isEnding: false, address: ADDRESS, hasSidecar: false, side: "proxy" as const };

let server: Server;
let version: string;
let questions: number;
let patched: ClusterRequest[];
let client: ClusterClient;
let record: Parameters<typeof askTools>[0];
beforeEach(async () => {
  version = "1";
  questions = 0;
  patched = [];
  const send = async (request: ClusterRequest) => {
    patched.push(request);
    return {};
  };
  client = { send } as unknown as ClusterClient;
  record = createRecord({ "proxy-1": POD });
  server = createServer((_request, response) => {
    questions += 1;
    const text = JSON.stringify({ version });
    response.writeHead(200, { "content-length": Buffer.byteLength(text) }).end(text);
  });
  await listen(server, { host: ADDRESS, port: RUNNER_HEALTH_PORT });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function createRecord(pods: Record<string, PodSummary & { side: "server" | "proxy" }>): typeof record {
  const server = { metadata: { name: "echo", namespace: "tools" } } as never;
  return { server, pods: new Map(Object.entries(pods)), refreshedPods: new Map(), askedTools: new Map() };
}

const ask = async (wanted: string, { now = 0, isEverything = false } = {}) =>
  await askTools(record, { client, tools: { version: wanted, isEverything }, signal, now });
const hasLate = () => [...record.askedTools.values()].some(isLate);

test("a proxy with the newest choice is asked once, and nothing is written", async () => {
  expect(await ask("1")).toBeUndefined();
  expect(await ask("1")).toBeUndefined();

  expect([questions, patched, hasLate()]).toEqual([1, [], false]);
});

test("a proxy with an earlier choice gets an annotation, and is asked again until it has the newest", async () => {
  expect(await ask("2")).toBe(500);
  expect(hasLate()).toBe(true);
  expect(patched).toEqual([
    expect.objectContaining({
      method: "PATCH",
      path: "/api/v1/namespaces/tools/pods/proxy-1",
      body: { metadata: { annotations: { "toolhive.stacklok.dev/refreshed": "2.1" } } },
    }),
  ]);

  version = "2";
  expect(await ask("2", { now: 500 })).toBeUndefined();
  expect([patched.length, hasLate()]).toEqual([1, false]);
});

test("a proxy that stays with an earlier choice is asked more seldom after half a minute", async () => {
  await ask("2");
  expect(await ask("2", { now: 29_000 })).toBe(500);
  expect(await ask("2", { now: 31_000 })).toBe(5_000);
});

test("a proxy without a choice is not asked before it gets one, and is asked when it loses it", async () => {
  expect(await ask("none", { isEverything: true })).toBeUndefined();
  expect(questions).toBe(0);

  await ask("1");
  expect(await ask("none", { isEverything: true })).toBe(500);
  expect(patched).toHaveLength(1);
});

test("a proxy that does not answer is given up after five questions, until there is another choice", async () => {
  record = createRecord({ "proxy-1": { ...POD, address: "127.37.0.2" } });
  for (let tried = 0; tried < 4; tried += 1) expect(await ask("1")).toBe(5_000);
  await ask("1");

  expect(await ask("1")).toBeUndefined();
  expect([patched, hasLate()]).toEqual([[], false]);
  expect(await ask("2")).toBe(5_000);
});

test("only pods of the proxy that serve are asked, and what is known of others is forgotten", async () => {
  await ask("1");
  const pods = new Map([
    ["server-0", { ...POD, side: "server" as const }],
    ["proxy-2", { ...POD, isReady: false }],
    ["proxy-3", { ...POD, isEnding: true }],
  ]);
  record = { ...record, pods };

  expect(await ask("2")).toBeUndefined();
  expect([questions, record.askedTools.size]).toEqual([1, 0]);
});
