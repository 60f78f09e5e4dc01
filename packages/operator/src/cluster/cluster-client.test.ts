import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ClusterClient } from "./cluster-client.ts";

const PAGES = [["one", "two"], ["three"], ["four"]];
/** What the API server was asked for, and what was taken of its answers, in their order. */
let events: string[];
let failing: number | undefined;
let isEmpty: boolean;
let folder: string;
let client: ClusterClient;
const server = createServer((request, response) => {
  const page = Number(new URL(request.url ?? "", "http://localhost").searchParams.get("continue") ?? 0);
  events.push(`page ${page}`);
  const items = (PAGES[page] ?? []).map((name) => ({ metadata: { name } }));
  const metadata = { resourceVersion: "7", ...(!isEmpty && page + 1 < PAGES.length && { continue: String(page + 1) }) };
  response.writeHead(page === failing ? 410 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify({ items: isEmpty ? null : items, metadata }));
});

beforeEach(async () => {
  events = [];
  failing = undefined;
  isEmpty = false;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  folder = mkdtempSync(join(tmpdir(), "thv-client-"));
  const { port } = server.address() as AddressInfo;
  const context = { name: "test", context: { cluster: "test", user: "test" } };
  const cluster = { name: "test", cluster: { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } };
  const users = [{ name: "test", user: {} }];
  writeFileSync(
    join(folder, "config"),
    JSON.stringify({ clusters: [cluster], contexts: [context], users, "current-context": "test" }),
  );
  client = ClusterClient.load(join(folder, "config"));
});
afterEach(async () => {
  client.close();
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  rmSync(folder, { recursive: true, force: true });
});

/** Takes objects until the list ends, or has given `most`. @returns The version to watch from. */
async function take(most = Number.POSITIVE_INFINITY): Promise<string | undefined> {
  const list = client.list("/api/v1/pods");
  for (let count = 0; count < most; count += 1) {
    const { done, value } = await list.next();
    if (done) return value;
    events.push(value.metadata.name);
  }
  await list.return("");
  return undefined;
}

test("a list gives all objects of all pages in their order, and the version to watch from", async () => {
  expect(await take()).toBe("7");

  expect(events.filter((event) => !event.startsWith("page"))).toEqual(["one", "two", "three", "four"]);
  expect(events.filter((event) => event.startsWith("page"))).toEqual(["page 0", "page 1", "page 2"]);
});

test("an empty list may have null in the place of its objects", async () => {
  isEmpty = true;

  expect(await take()).toBe("7");
  expect(events).toEqual(["page 0"]);
});

test("the next page is asked for before the objects of the one before are taken", async () => {
  const list = client.list("/api/v1/pods");
  await list.next();

  await expect.poll(() => events).toEqual(["page 0", "page 1"]);
  await list.return("");
});

test("a page that fails ends the list after the objects of the pages before it", async () => {
  failing = 2;

  await expect(take()).rejects.toMatchObject({ status: 410 });
  expect(events.filter((event) => !event.startsWith("page"))).toEqual(["one", "two", "three"]);
});

test("a page that fails after the list was left is nobody's failure", async () => {
  failing = 1;
  await take(1);

  await expect.poll(() => events).toContain("page 1");
});
