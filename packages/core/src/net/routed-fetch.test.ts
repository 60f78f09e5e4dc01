/** Requests through a proxy, past it, and to a server with a certificate of a company. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { listen } from "@toolhive/http";
import { afterEach, expect, test, vi } from "vitest";
import { createRoutedFetch } from "./routed-fetch.ts";

const toClose: Server[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of toClose.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

async function start(server: Server): Promise<string> {
  await listen(server);
  toClose.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const routedFetch = createRoutedFetch(async () => undefined);

async function startEcho(): Promise<string> {
  return await start(
    createServer((request, response) => {
      void (async () => {
        let body = "";
        for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
        const type = request.headers["content-type"] ?? "";
        response.writeHead(201, { "X-Type": type }).end(`${request.method} ${request.url} ${body}`);
      })();
    }),
  );
}

/** @returns Its address, and the hosts that it was asked to connect to. */
async function startProxy(): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((_request, response) => response.writeHead(400).end());
  server.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    const [host = "", port = ""] = (request.url ?? "").split(":");
    const upstream = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  return { address: await start(server), asked };
}

test("sends a form, and gives status, headers and body back", async () => {
  const echo = await startEcho();

  const response = await routedFetch(`${echo}/token`, { method: "POST", body: new URLSearchParams({ a: "1 2" }) });

  expect([response.status, await response.text()]).toEqual([201, "POST /token a=1+2"]);
  expect(response.headers.get("x-type")).toBe("application/x-www-form-urlencoded");
});

test("goes through the proxy of the environment, and past it where that says so", async () => {
  const echo = await startEcho();
  const proxy = await startProxy();
  vi.stubEnv("http_proxy", proxy.address);
  vi.stubEnv("no_proxy", "");

  expect(await (await routedFetch(`${echo}/one`)).text()).toBe("GET /one ");
  vi.stubEnv("no_proxy", "127.0.0.1");
  expect(await (await routedFetch(`${echo}/two`)).text()).toBe("GET /two ");

  expect(proxy.asked).toEqual([new URL(echo).host]);
});

test("ends with its signal, and follows no redirect", async () => {
  const silent = await start(createServer(() => undefined));
  const moved = await start(createServer((_request, response) => response.writeHead(302, { Location: silent }).end()));

  await expect(routedFetch(silent, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
  expect((await routedFetch(moved)).status).toBe(302);
});
