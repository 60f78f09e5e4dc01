/** Servers over HTTP on a 1.x of the SDK, of each kind that the version can be, written as its own examples are. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import express from "express";
import { EventStore } from "./event-store.mjs";
import { listen, startHono, startOnExpress, startOnFastify, startOnNode } from "./hosts.mjs";
import { createOffers } from "./offers-1.mjs";
import { answerAlone, Sessions } from "./sessions.mjs";

const NEWEST = "sdk-1.32";

/** @returns Their addresses, by kind. */
export async function startServers(sdk) {
  const sse = { sse: await startSse(sdk) };
  if (sdk === "sdk-1.0") return sse;
  const kinds = {
    sessions: { sessionIdGenerator: randomUUID },
    json: { sessionIdGenerator: randomUUID, enableJsonResponse: true },
    ...(sdk === NEWEST && {
      events: { sessionIdGenerator: randomUUID, eventStore: new EventStore(), retryInterval: 50 },
    }),
    stateless: { sessionIdGenerator: undefined },
  };
  const { StreamableHTTPServerTransport } = await import(`${sdk}/server/streamableHttp.js`);
  const started = { ...sse };
  for (const [kind, options] of Object.entries(kinds)) {
    const create = await createOffers(sdk, { notifies: kind !== "stateless", polls: kind === "events" });
    const peer = { create, createTransport: (more) => new StreamableHTTPServerTransport({ ...options, ...more }) };
    const frameworks = sdk === NEWEST && kind === "sessions" ? ["express", "fastify", "hono", "node"] : ["express"];
    for (const framework of frameworks) {
      const handle = kind === "stateless" ? answerAlone : new Sessions().handle;
      const answer = (request, response, body) => handle(peer, request, response, body);
      started[`${framework}-${kind}`] = await STARTS[framework](answer, sdk);
    }
  }
  return started;
}

const STARTS = {
  async express(handle, sdk) {
    if (sdk !== NEWEST) return await startOnExpress(express().use(express.json()), handle);
    // With the SDK's own guards on it.
    const { createMcpExpressApp } = await import(`${sdk}/server/express.js`);
    return await startOnExpress(createMcpExpressApp(), handle);
  },

  async fastify(handle) {
    const { default: fastify } = await import("fastify");
    return await startOnFastify(fastify(), handle);
  },

  async hono(handle) {
    const { Hono } = await import("hono");
    const { RESPONSE_ALREADY_SENT } = await import("@hono/node-server/utils/response");
    const app = new Hono();
    app.all("/mcp", async ({ env, req }) => {
      const body = req.method === "POST" ? await req.json() : undefined;
      await handle(env.incoming, env.outgoing, body);
      return RESPONSE_ALREADY_SENT;
    });
    return await startHono(app);
  },

  node: startOnNode,
};

async function startSse(sdk) {
  const { SSEServerTransport } = await import(`${sdk}/server/sse.js`);
  const create = await createOffers(sdk, { notifies: true });
  const transports = new Map();
  return await listen(
    createServer(async (request, response) => {
      const url = new URL(request.url, "http://localhost");
      if (url.pathname === "/messages") {
        const transport = transports.get(url.searchParams.get("sessionId"));
        return transport === undefined
          ? response.writeHead(404).end()
          : await transport.handlePostMessage(request, response);
      }
      if (url.pathname !== "/sse") return response.writeHead(404).end();
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      await create().connect(transport);
    }),
    "/sse",
  );
}
