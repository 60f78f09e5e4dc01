import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { TestIssuer } from "@toolhive/core/testing";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { HttpEndpoint } from "./http-endpoint.ts";
import { Replicas } from "./replicas.ts";

const KEY = randomBytes(32);
const ADDRESSES = ["127.0.0.1", "127.0.0.2", "127.0.0.3"] as const;

/** A replica: it knows its own sessions only, and says its address in every answer. */
function createReplica(address: string, kind: "streamable-http" | "sse"): Server {
  const sessions = new Set<string>();
  return createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    request.resume();
    if (pathname === "/") return response.writeHead(404).end();
    if (kind === "sse" && request.method === "GET") {
      const id = randomUUID();
      sessions.add(id);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: http://${address}/messages?id=${id}\n\n`);
      return response;
    }
    const given = kind === "sse" ? searchParams.get("id") : request.headers["mcp-session-id"];
    const json = { "content-type": "application/json" };
    if (kind === "streamable-http" && given === undefined) {
      const id = randomUUID();
      sessions.add(id);
      return response
        .writeHead(200, { ...json, "mcp-session-id": id })
        .end(`{"jsonrpc":"2.0","id":1,"result":"${address}"}`);
    }
    if (!sessions.has(String(given))) return response.writeHead(404, json).end('{"unknown":true}');
    return response.writeHead(200, json).end(`{"jsonrpc":"2.0","id":1,"result":"${address}"}`);
  });
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Replicas at the same port of several addresses, and proxies in front of them. */
async function start(kind: "streamable-http" | "sse", { proxies = 2, access = {} } = {}) {
  let port = 0;
  const servers = new Map<string, Server>();
  for (const address of ADDRESSES) {
    const server = createReplica(address, kind);
    await once(server.listen(port, address), "listening");
    port = (server.address() as AddressInfo).port;
    servers.set(address, server);
    closing.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
  }
  let addresses: readonly string[] = ADDRESSES;
  const open = async () => {
    const replicas = { key: KEY, scope: "ns/name", resolve: async () => addresses };
    const endpoint = await HttpEndpoint.open({
      name: "fake",
      host: "127.0.0.1",
      port: 0,
      transport: kind,
      replicas,
      ...access,
    });
    endpoint.connect({ host: "127.0.0.1", port });
    closing.push(() => endpoint.close());
    return { endpoint, url: `http://127.0.0.1:${endpoint.port}` };
  };
  const opened = await Promise.all(Array.from({ length: proxies }, open));
  const urls = opened.map(({ url }) => url);
  return { urls, servers, open, setAddresses: (now: readonly string[]) => (addresses = now) };
}

const post = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body: "{}", headers: { "content-type": "application/json", ...headers } });
const readResult = async (response: Response) => ((await response.json()) as { result?: string }).result;

describe("replicas of a server on streamable HTTP", () => {
  test("share new sessions, and every proxy finds the one that holds a session", async () => {
    const { urls } = await start("streamable-http");
    const opened = await Promise.all(Array.from({ length: 6 }, () => post(`${urls[0]}/mcp`)));
    const sessions = await Promise.all(
      opened.map(async (answer) => ({ at: await readResult(answer), id: answer.headers.get("mcp-session-id") ?? "" })),
    );

    expect(new Set(sessions.map(({ at }) => at)).size).toBe(3);
    for (const { at, id } of sessions) {
      for (const url of urls) expect(await readResult(await post(`${url}/mcp`, { "mcp-session-id": id }))).toBe(at);
    }
  });

  test("are reached by a proxy that started later, as after a rolling update", async () => {
    const { urls, open } = await start("streamable-http", { proxies: 1 });
    const opened = await post(`${urls[0]}/mcp`);
    const id = opened.headers.get("mcp-session-id") ?? "";
    const { url: later } = await open();

    expect(await readResult(await post(`${later}/mcp`, { "mcp-session-id": id }))).toBe(await readResult(opened));
  });

  test("that are gone end their sessions only: their clients receive the status that asks for a new session", async () => {
    const { urls, servers } = await start("streamable-http");
    const opened = await Promise.all(Array.from({ length: 3 }, () => post(`${urls[0]}/mcp`)));
    const [dead] = ADDRESSES;
    const server = servers.get(dead);
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));

    for (const answer of opened) {
      const at = await readResult(answer);
      const again = await post(`${urls[1]}/mcp`, { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "" });
      expect(again.status).toBe(at === dead ? 404 : 200);
    }
    // The name server still names it; nobody new is sent there.
    await expect
      .poll(async () => {
        const fresh = await Promise.all(Array.from({ length: 4 }, () => post(`${urls[0]}/mcp`)));
        return fresh.map(({ status }) => status);
      })
      .toEqual([200, 200, 200, 200]);
  });

  test("whose address is somebody else's now are not asked", async () => {
    const { urls, setAddresses } = await start("streamable-http");
    const opened = await post(`${urls[0]}/mcp`);
    const at = await readResult(opened);
    setAddresses(ADDRESSES.filter((address) => address !== at));
    const id = opened.headers.get("mcp-session-id") ?? "";

    await expect.poll(async () => (await post(`${urls[0]}/mcp`, { "mcp-session-id": id })).status).toBe(404);
  });

  test("are not reached with an id that somebody changed, made up, or took from another server", async () => {
    const { urls } = await start("streamable-http");
    const id = (await post(`${urls[0]}/mcp`)).headers.get("mcp-session-id") ?? "";
    const other = new Replicas({ key: KEY, scope: "ns/other", resolve: async () => ADDRESSES }, () => 0);
    const stranger = new Replicas({ key: randomBytes(32), scope: "ns/name", resolve: async () => ADDRESSES }, () => 0);
    const changed = `${id.slice(0, -2)}${id.endsWith("AA") ? "BB" : "AA"}`;

    for (const wrong of [
      changed,
      `${id}=`,
      randomUUID(),
      "x",
      "A".repeat(5_000),
      other.sealId("own", "127.0.0.1", ""),
      stranger.sealId("own", "127.0.0.1", ""),
    ]) {
      expect((await post(`${urls[0]}/mcp`, { "mcp-session-id": wrong })).status).toBe(404);
    }
  });

  test("give a session to its caller only, at every proxy", async () => {
    await using issuer = await TestIssuer.start();
    const oidc_config = { Issuer: issuer.url, AllowPrivateIP: true };
    const { urls } = await start("streamable-http", { access: { access: { oidc_config } } });
    const as = async (sub: string) => ({ authorization: `Bearer ${await issuer.sign({ claims: { sub } })}` });
    const opened = await post(`${urls[0]}/mcp`, await as("ada"));
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };

    for (const url of urls) {
      expect((await post(`${url}/mcp`, { ...session, ...(await as("ada")) })).status).toBe(200);
      expect((await post(`${url}/mcp`, { ...session, ...(await as("eve")) })).status).toBe(404);
    }
  });

  test("that are none are said to be none", async () => {
    const { urls, setAddresses } = await start("streamable-http");
    setAddresses([]);

    const refused = await post(`${urls[0]}/mcp`);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([502, "1"]);
    expect(await refused.text()).toContain("No replica");
  });
});

test("a proxy that leaves ends each connection with its answer, so that clients come back elsewhere", async () => {
  const { open } = await start("streamable-http", { proxies: 0 });
  const { url, endpoint } = await open();
  expect((await post(`${url}/mcp`)).headers.get("connection")).toBe("keep-alive");

  endpoint.leave();

  const answer = await post(`${url}/mcp`);
  expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
});

describe("replicas of a server on HTTP with SSE", () => {
  test("get what is posted to them through any proxy, whichever holds the stream", async () => {
    const { urls } = await start("sse");
    const abort = new AbortController();
    closing.push(() => abort.abort());
    for (const url of [...urls, ...urls]) {
      const stream = await fetch(`${url}/sse`, { signal: abort.signal });
      const { value } = (await stream.body?.getReader().read()) ?? {};
      const address = /data: (\S+)/.exec(Buffer.from(value ?? []).toString())?.[1] ?? "";
      expect(address).toMatch(/^\/messages\?session=[\w-]+$/);

      const answers = await Promise.all(urls.map(async (each) => readResult(await post(`${each}${address}`))));
      expect(new Set(answers).size).toBe(1);
      expect(ADDRESSES).toContain(answers[0]);
    }
    expect((await post(`${urls[0]}/messages?id=${randomUUID()}`)).status).toBe(404);
  });
});

describe("a sealed id", () => {
  const replicas = new Replicas({ key: KEY, scope: "s", resolve: async () => ADDRESSES }, () => 0);

  test("shows neither the address nor the server's own id, is different each time, and fits into a header", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\x21-\x7e]{1,200}$/), fc.constantFrom(...ADDRESSES), (own, address) => {
        const [one, two] = [replicas.sealId(own, address, ""), replicas.sealId(own, address, "")];
        expect(one).toMatch(/^[\w-]+$/);
        expect(one).not.toBe(two);
        expect(Buffer.from(one, "base64url").toString("latin1")).not.toContain(address);
      }),
    );
  });

  test("is refused for an own id of more characters than any server has", () => {
    expect(() => replicas.sealId("a".repeat(3_000), "127.0.0.1", "")).toThrow(RangeError);
  });

  test("needs a key of 32 bytes", () => {
    expect(() => new Replicas({ key: Buffer.alloc(16), scope: "s", resolve: async () => [] }, () => 0)).toThrow("32");
  });
});
