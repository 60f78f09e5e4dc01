/**
 * A small MCP server that speaks HTTP itself, with sessions: streamable HTTP at `/mcp`, or HTTP with SSE at `/sse` and
 * `/messages`. Its answers are scripted, and it records what reached it.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isRecord } from "@toolhive/http/values";
import { DEFAULT_CAPABILITIES, INITIALIZE_RESULT } from "./fake-server.ts";
import { type RawHttpServer, startHttpServer } from "./raw-http-server.ts";

export interface McpHttpServer extends RawHttpServer {
  readonly requests: readonly IncomingMessage[];
}

type Answer = ((method: string, params: Readonly<Record<string, unknown>>) => string | undefined) | undefined;

/** @param capabilities Raw JSON of what it declares. Default: tools and logging. */
export async function startMcpHttpServer(
  kind: "sse" | "streamable-http",
  onRequest: Answer,
  capabilities = DEFAULT_CAPABILITIES,
): Promise<McpHttpServer> {
  const requests: IncomingMessage[] = [];
  const streams = new Map<string, ServerResponse>();
  const server = await startHttpServer((request, response) => {
    requests.push(request);
    const url = new URL(request.url ?? "/", "http://localhost");
    if (kind === "sse" && request.method === "GET" && url.pathname === "/sse") {
      const id = randomUUID();
      streams.set(id, response);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`);
      return;
    }
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      return;
    }
    if (request.method !== "POST") {
      response.writeHead(200).end();
      return;
    }
    void readBody(request).then((text) => {
      const answers = listAnswers(text, onRequest, capabilities);
      if (kind === "sse") {
        const stream = streams.get(url.searchParams.get("sessionId") ?? "");
        for (const answer of answers) stream?.write(`event: message\ndata: ${answer}\n\n`);
        response.writeHead(202).end("Accepted");
        return;
      }
      const session = text.includes('"initialize"') ? { "mcp-session-id": randomUUID() } : {};
      if (answers.length === 0) response.writeHead(202, session).end();
      else {
        response.writeHead(200, { "content-type": "application/json", ...session });
        response.end(text.trimStart().startsWith("[") ? `[${answers.join(",")}]` : answers[0]);
      }
    });
  });
  return { ...server, requests };
}

function listAnswers(text: string, onRequest: Answer, capabilities: string): string[] {
  const parsed: unknown = JSON.parse(text);
  return [parsed].flat().flatMap((message: unknown) => {
    if (!isRecord(message) || message.id === undefined || typeof message.method !== "string") return [];
    const params = isRecord(message.params) ? message.params : {};
    const result =
      message.method === "initialize"
        ? INITIALIZE_RESULT.replace("2025-06-18", String(params.protocolVersion)).replace(
            DEFAULT_CAPABILITIES,
            capabilities,
          )
        : (onRequest?.(message.method, params) ?? "{}");
    return [`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`];
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
