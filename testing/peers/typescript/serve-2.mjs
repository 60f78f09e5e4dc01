/** Servers on a 2.x of the SDK, on each web framework that it has a package for. */
import { randomUUID } from "node:crypto";
import { createMcpExpressApp } from "@modelcontextprotocol/express";
import { createMcpFastifyApp } from "@modelcontextprotocol/fastify";
import { createMcpHonoApp } from "@modelcontextprotocol/hono";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { EventStore } from "./event-store.mjs";
import { startHono, startOnExpress, startOnFastify, startOnNode } from "./hosts.mjs";
import { answerAlone, Sessions } from "./sessions.mjs";

const say = (text) => ({ content: [{ type: "text", text }] });
const TEXT = fromJsonSchema({ type: "object", properties: { text: { type: "string" } }, required: ["text"] });

/**
 * @param notifies Whether it can send what belongs to no call.
 * @param polls Whether it can end a stream before the answer, which a later one brings.
 * @param era Of the protocol: since 2026-07-28, log messages belong to a request.
 * @param publish Notifies all who listen that the tools have changed.
 */
function createServer({ notifies = false, polls = false, publish, era = "legacy" } = {}) {
  const mcp = new McpServer({ name: "sdk-2", version: "1.0.0" }, { capabilities: { logging: {} } });
  mcp.registerTool("echo", { description: "Says it again", inputSchema: TEXT }, async ({ text }) => say(text));
  mcp.registerTool("count", { description: "Counts to three" }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [1, 2, 3]) {
      const params = { progressToken, progress, total: 3 };
      if (progressToken !== undefined) await mcpReq.notify({ method: "notifications/progress", params });
    }
    return say("counted");
  });
  mcp.registerTool("notify", { description: "Sends a log message" }, async ({ mcpReq }) => {
    if (era === "modern") await mcpReq.log("info", "noticed");
    else if (!notifies) return say("none");
    else await mcp.server.sendLoggingMessage({ level: "info", data: "noticed" });
    return say("sent");
  });
  let hasGrown = false;
  mcp.registerTool("grow", { description: "Adds a tool" }, async () => {
    publish?.();
    if (publish) return say("sent");
    if (!notifies) return say("none");
    if (hasGrown) mcp.sendToolListChanged();
    else mcp.registerTool("grown", { description: "Was added" }, async () => say("grown"));
    hasGrown = true;
    return say("sent");
  });
  if (polls)
    mcp.registerTool("poll", { description: "Ends its stream before it answers" }, async ({ http }) => {
      // Not there for clients of revisions without it.
      http?.closeSSE?.();
      return say("answered later");
    });
  const messages = [{ role: "user", content: { type: "text", text: "Hello." } }];
  mcp.registerPrompt("greet", { description: "Greets" }, async () => ({ messages }));
  const contents = [{ uri: "memo://one", mimeType: "text/plain", text: "one" }];
  mcp.registerResource("memo", "memo://one", { mimeType: "text/plain" }, async () => ({ contents }));
  return mcp;
}

export async function serveOnStdio() {
  serveStdio(({ era }) => createServer({ era, notifies: true }));
  process.stdin.on("end", () => process.exit(0));
}

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
