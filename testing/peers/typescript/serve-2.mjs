/** Servers over HTTP on a 2.x of the SDK, on each web framework that it has a package for. */
import { randomUUID } from "node:crypto";
import { createMcpExpressApp } from "@modelcontextprotocol/express";
import { createMcpFastifyApp } from "@modelcontextprotocol/fastify";
import { createMcpHonoApp } from "@modelcontextprotocol/hono";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { EventStore } from "./event-store.mjs";
import { startHono, startOnExpress, startOnFastify, startOnNode } from "./hosts.mjs";
import { createServer } from "./offers-2.mjs";
import { answerAlone, Sessions } from "./sessions.mjs";

/** @returns Their addresses, by kind. */
export async function startServers() {
  const join = (peer, handle) => (request, response, body) => handle(peer, request, response, body);
  const createTransport = (options) => (more) => new NodeStreamableHTTPServerTransport({ ...options, ...more });
  const withSessions = (more) => createTransport({ sessionIdGenerator: randomUUID, ...more });
  const polling = withSessions({ eventStore: new EventStore(), retryInterval: 50 });
  const create = () => createServer({ notifies: true });
  return {
    "express-sessions": await startOnExpress(
      createMcpExpressApp(),
      join({ create, createTransport: withSessions({}) }, new Sessions().handle),
    ),
    "express-events": await startOnExpress(
      createMcpExpressApp(),
      join(
        { create: () => createServer({ notifies: true, polls: true }), createTransport: polling },
        new Sessions().handle,
      ),
    ),
    "fastify-stateless": await startOnFastify(
      createMcpFastifyApp(),
      join({ create: createServer, createTransport: createTransport({}) }, answerAlone),
    ),
    "hono-stateless": await startOnHono(),
    // Both generations of the protocol, and the later one alone.
    "node-both": await startOnNode(toNodeHandler(createPublisher())),
    "node-modern": await startOnNode(toNodeHandler(createPublisher({ legacy: "reject" }))),
  };
}

/** A server for each request, and one for all who listen. */
function createPublisher(options) {
  const publish = (era) => (era === "modern" ? () => handler.notify.toolsChanged() : undefined);
  const handler = createMcpHandler(({ era }) => createServer({ era, publish: publish(era) }), options);
  return handler;
}

/** As on the package's page: all methods, a server and a transport for each request. */
async function startOnHono() {
  const app = createMcpHonoApp();
  app.all("/mcp", async (context) => {
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await createServer().connect(transport);
    return await transport.handleRequest(context.req.raw, { parsedBody: context.get("parsedBody") });
  });
  return await startHono(app);
}
