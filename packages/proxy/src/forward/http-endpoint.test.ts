import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { startHttpServer } from "../testing/raw-http-server.ts";
import { HttpEndpoint } from "./http-endpoint.ts";

const OPTIONS = { name: "http", host: "127.0.0.1", port: 0, transport: "streamable-http" } as const;

function formatUrl(endpoint: HttpEndpoint, path: string): string {
  return `http://127.0.0.1:${endpoint.port}${path}`;
}

describe("the transparent proxy", () => {
  test("forwards method, path, query, headers and body, and the answer with the headers that MCP needs", async () => {
    await using server = await startHttpServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        response.writeHead(418, { "x-own": "1", "retry-after": "7", "content-type": "application/json" });
        response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
      });
    });
    await using endpoint = await HttpEndpoint.open(OPTIONS);
    endpoint.connect({ host: "127.0.0.1", port: server.port });

    const response = await fetch(formatUrl(endpoint, "/any/path?q=%20a"), {
      method: "POST",
      body: "päyload",
      headers: { "mcp-session-id": "s", "x-forwarded-for": "10.0.0.9" },
    });

    expect(response.status).toBe(418);
    expect([response.headers.get("retry-after"), response.headers.get("x-own")]).toEqual(["7", null]);
    expect(await response.json()).toMatchObject({
      method: "POST",
      url: "/any/path?q=%20a",
      body: "päyload",
      headers: {
        host: `127.0.0.1:${endpoint.port}`,
        "mcp-session-id": "s",
        "x-forwarded-for": expect.stringMatching(/^10\.0\.0\.9, .*127\.0\.0\.1$/),
      },
    });
  });

  test("counts a call whose answer is a stream as pending until it ends, and a stream of a client's own not at all", async () => {
    const ends: (() => void)[] = [];
    await using server = await startHttpServer((request, response) => {
      if (request.url === "/") return response.end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: progress\n\n");
      ends.push(() => response.end("data: answer\n\n"));
      return response;
    });
    await using endpoint = await HttpEndpoint.open(OPTIONS);
    endpoint.connect({ host: "127.0.0.1", port: server.port });
    const listening = await fetch(formatUrl(endpoint, "/mcp"));
    const called = await fetch(formatUrl(endpoint, "/mcp"), { method: "POST", body: "{}" });
    expect(endpoint.counts).toMatchObject({ streams: 1, pendingRequests: 1 });

    for (const end of ends) end();
    await Promise.all([called.text(), listening.text()]);

    await expect.poll(() => endpoint.counts).toMatchObject({ streams: 0, pendingRequests: 0 });
  });

  test("passes each event on at once, and ends the server's request when the client has gone", async () => {
    const gone = deferred();
    await using server = await startHttpServer((request, response) => {
      if (request.url === "/") return response.end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: one\n\n");
      response.on("close", gone.resolve);
      return response;
    });
    await using endpoint = await HttpEndpoint.open(OPTIONS);
    endpoint.connect({ host: "127.0.0.1", port: server.port });
    const abort = new AbortController();

    const response = await fetch(formatUrl(endpoint, "/mcp"), { signal: abort.signal });
    const chunk = await response.body?.getReader().read();
    expect(endpoint.counts.streams).toBe(1);
    abort.abort();
    await gone.promise;

    expect(Buffer.from(chunk?.value ?? []).toString()).toBe("data: one\n\n");
    await waitFor(() => endpoint.counts.streams === 0, { what: "the exchange to end" });
  });

  test("answers 502 with a reason when the server cannot be reached", async () => {
    await using server = await startHttpServer((_, response) => response.end());
    // Opened while the server still has its port: the endpoint could get it afterwards, and would forward to itself.
    await using endpoint = await HttpEndpoint.open(OPTIONS);
    endpoint.connect({ host: "127.0.0.1", port: server.port });
    await server[Symbol.asyncDispose]();

    const response = await fetch(formatUrl(endpoint, "/mcp"), { method: "POST", body: "{}" });

    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      error: { code: -32010, message: expect.stringContaining("ECONNREFUSED") },
    });
  });

  test("cuts the response when the server dies in the middle of it", async () => {
    await using server = await startHttpServer((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    });
    await using endpoint = await HttpEndpoint.open(OPTIONS);
    endpoint.connect({ host: "127.0.0.1", port: server.port });

    const response = await fetch(formatUrl(endpoint, "/mcp"));

    await expect(response.text()).rejects.toThrow();
  });

  test("keeps requests until a server is connected, and gives up after a bounded time", async () => {
    await using server = await startHttpServer((_, response) => response.end("here"));
    await using endpoint = await HttpEndpoint.open({ ...OPTIONS, limits: { queueWaitMs: 2000 } });
    const response = fetch(formatUrl(endpoint, "/mcp"));
    await waitFor(() => endpoint.counts.pendingRequests === 1, { what: "the request to wait" });
    endpoint.connect({ host: "127.0.0.1", port: server.port });
    expect(await (await response).text()).toBe("here");

    await using lonely = await HttpEndpoint.open({ ...OPTIONS, limits: { queueWaitMs: 20 } });
    expect((await fetch(formatUrl(lonely, "/mcp"))).status).toBe(502);
  });

  test("refuses a body above the bound, announced or not", async () => {
    await using server = await startHttpServer((request, response) => {
      request.resume();
      request.on("end", () => response.end());
    });
    await using endpoint = await HttpEndpoint.open({ ...OPTIONS, limits: { maxBodyBytes: 1000 } });
    endpoint.connect({ host: "127.0.0.1", port: server.port });
    const body = "x".repeat(5000);

    const announced = await fetch(formatUrl(endpoint, "/mcp"), { method: "POST", body });
    const stream = new Blob([body]).stream();
    const unannounced = await fetch(formatUrl(endpoint, "/mcp"), { method: "POST", body: stream, duplex: "half" });

    expect(announced.status).toBe(413);
    expect(unannounced.status).toBe(502);
  });

  test("refuses a foreign Origin before the request reaches the server", async () => {
    let heard = 0;
    await using server = await startHttpServer((request, response) => {
      if (request.url !== "/") heard++;
      response.end();
    });
    await using endpoint = await HttpEndpoint.open(OPTIONS);
    endpoint.connect({ host: "127.0.0.1", port: server.port });

    const response = await fetch(formatUrl(endpoint, "/mcp"), { headers: { origin: "https://evil.example" } });

    expect(response.status).toBe(403);
    expect(heard).toBe(0);
  });
});

describe("the health watch", () => {
  const limits = { watchMs: 5, watchGraceMs: 0, watchFailures: 3, probeMs: 1000 };

  test("becomes ready with the first answer, unhealthy after several failures, and healthy again", async () => {
    let status = 200;
    let looks = 0;
    const verdicts: boolean[] = [];
    await using server = await startHttpServer((_, response) => {
      looks++;
      response.writeHead(status).end();
    });
    await using endpoint = await HttpEndpoint.open({
      ...OPTIONS,
      limits,
      onHealth: (isHealthy) => verdicts.push(isHealthy),
    });
    endpoint.connect({ host: "127.0.0.1", port: server.port });

    await waitFor(() => endpoint.isReady, { what: "ready" });
    status = 500;
    const before = looks;
    await waitFor(() => !endpoint.isReady, { what: "unhealthy" });
    const failures = looks - before;
    status = 404;
    await waitFor(() => endpoint.isReady, { what: "healthy again" });

    expect(verdicts).toEqual([true, false, true]);
    expect(failures).toBeGreaterThanOrEqual(3);
  });

  test("ends what is under way once the server accepts no connections any more, however often it was asked", async () => {
    let asked = 0;
    await using server = await startHttpServer((request) => {
      if (request.method === "POST") asked += 1;
      else request.socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    });
    await using endpoint = await HttpEndpoint.open({ ...OPTIONS, limits });
    endpoint.connect({ host: "127.0.0.1", port: server.port });
    const url = `http://127.0.0.1:${endpoint.port}/mcp`;
    const calls = [1, 2].map(() => fetch(url, { method: "POST", body: "{}" }));
    await waitFor(() => asked === 2, { what: "the server to be asked" });

    // Connections that are open stay open, as with a container that has lost its network.
    server.server.close();

    for (const call of calls) {
      const response = await call;
      expect(response.status).toBe(502);
      expect(await response.text()).toContain("it accepts no connections");
    }
    server.server.closeAllConnections();
  });

  test("does not judge a server that is still starting", async () => {
    const verdicts: boolean[] = [];
    await using server = await startHttpServer((_, response) => response.end());
    await server[Symbol.asyncDispose]();
    await using endpoint = await HttpEndpoint.open({
      ...OPTIONS,
      limits: { ...limits, watchGraceMs: 60_000 },
      onHealth: (isHealthy) => verdicts.push(isHealthy),
    });
    endpoint.connect({ host: "127.0.0.1", port: server.port });
    await using late = await startHttpServer((_, response) => response.end(), server.port);

    await waitFor(() => endpoint.isReady, { what: "ready" });

    expect(late.port).toBe(server.port);
    expect(verdicts).toEqual([true]);
  });

  test("shows in /health", async () => {
    await using endpoint = await HttpEndpoint.open(OPTIONS);

    const response = await fetch(formatUrl(endpoint, "/health"));

    expect(await response.json()).toMatchObject({ status: "degraded", transport: "streamable-http" });
  });
});

describe("the endpoint event", () => {
  test("is rewritten in the stream however it is cut, and the rest passes unchanged", async () => {
    await using server = await startHttpServer((request, response) => {
      if (request.url === "/") return response.end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunks = ["event: endp", "oint\ndata: http://0.0", ".0.0:1/m?s=1\n", "\ndata: http://0.0.0.0:1/\n\n"];
      const next = (): void => {
        const chunk = chunks.shift();
        if (chunk === undefined) response.end();
        else response.write(chunk, () => setImmediate(next));
      };
      next();
      return response;
    });
    await using endpoint = await HttpEndpoint.open({ ...OPTIONS, transport: "sse" });
    endpoint.connect({ host: "127.0.0.1", port: server.port });

    const response = await fetch(formatUrl(endpoint, "/sse"));

    expect(await response.text()).toBe(
      `event: endpoint\ndata: http://127.0.0.1:${endpoint.port}/m?s=1\n\ndata: http://0.0.0.0:1/\n\n`,
    );
  });
});

describe("the official server over HTTP", () => {
  test.each([
    ["sse", "/sse"],
    ["streamableHttp", "/mcp"],
  ])("is reached by the official client through the proxy with %s", async (mode, path) => {
    await using reserved = await startHttpServer((_, response) => response.end());
    await reserved[Symbol.asyncDispose]();
    const require = createRequire(import.meta.url);
    const folder = dirname(require.resolve("@modelcontextprotocol/server-everything/package.json"));
    const child = spawn(process.execPath, [join(folder, "dist/index.js"), mode], {
      stdio: "ignore",
      env: { ...process.env, PORT: String(reserved.port) },
    });
    try {
      const transport = mode === "sse" ? "sse" : "streamable-http";
      await using endpoint = await HttpEndpoint.open({ ...OPTIONS, transport });
      endpoint.connect({ host: "127.0.0.1", port: reserved.port });
      await waitFor(() => endpoint.isReady, { what: "the server to listen" });
      const client = new ClientV1({ name: "test", version: "1" });
      const url = new URL(formatUrl(endpoint, path));

      await client.connect(mode === "sse" ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url));
      const answer = await client.callTool({ name: "echo", arguments: { message: "hello" } });
      await client.close();

      expect(answer.content).toEqual([{ type: "text", text: "Echo: hello" }]);
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
