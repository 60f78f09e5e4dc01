/** A server without sessions that sends what belongs to a call on whatever stream is open, as one of mcp-go does. */
import type { ServerResponse } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isRecord, parseJson } from "@toolhive/http/values";
import { waitFor } from "@toolhive/testing/wait-for";
import { expect, test } from "vitest";
import { openGroup, untilMember } from "../testing/open-group.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";

const RESULTS: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "streams", version: "1" },
  },
  "tools/list": { tools: [{ name: "count", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "counted" }] },
};

/**
 * Sends one step of a call's progress on each stream that is open.
 *
 * @param received Steps that a client got: the call is answered when it got all of them.
 */
async function startStreamsServer(received: readonly number[]) {
  const streams: ServerResponse[] = [];
  const send = (stream: ServerResponse, message: object) =>
    stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  const server = await startHttpServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const message = parseJson(body);
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      streams.push(response);
      return;
    }
    if (!isRecord(message) || message.id === undefined || typeof message.method !== "string") {
      response.writeHead(202).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (message.method === "tools/call" && isRecord(message.params)) {
      const { _meta: meta } = message.params;
      const progressToken = isRecord(meta) ? meta.progressToken : undefined;
      const open = [...streams, response];
      for (const [index, stream] of open.entries())
        send(stream, { method: "notifications/progress", params: { progressToken, progress: index + 1 } });
      await waitFor(() => received.length >= open.length, { what: "the progress of the call" });
    }
    send(response, { id: message.id, result: RESULTS[message.method] ?? {} });
    response.end();
  });
  return { server, streams };
}

test("progress reaches the client of its call, whichever stream of the server it comes on, and no other client", async () => {
  const received: number[] = [];
  const { server, streams } = await startStreamsServer(received);
  await using _server = server;
  const member = { name: "streams", url: `http://127.0.0.1:${server.port}/mcp`, isRunning: true, run: "1" };
  await using group = await openGroup([{ member, [Symbol.asyncDispose]: async () => undefined }]);
  await untilMember(group, "streams");
  const url = new URL(`http://127.0.0.1:${group.port}/mcp`);
  const [mine, other] = [new Client({ name: "mine", version: "1" }), new Client({ name: "other", version: "1" })];
  const ofOther: unknown[] = [];
  // The SDK reports progress of calls that a client has not made.
  other.onerror = (error) => void ofOther.push(error);
  await mine.connect(new StreamableHTTPClientTransport(url));
  await other.connect(new StreamableHTTPClientTransport(url));
  await waitFor(() => streams.length > 0, { what: "the stream of the group" });

  const call = { name: "count", arguments: {} };
  await mine.callTool(call, undefined, { onprogress: ({ progress }) => void received.push(progress) });

  expect(received.length).toBeGreaterThan(1);
  expect(received.sort()).toEqual(received.map((_, index) => index + 1));
  expect(ofOther).toEqual([]);
  await mine.close();
  await other.close();
});
