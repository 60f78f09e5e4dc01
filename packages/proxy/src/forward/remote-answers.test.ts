/** Answers of a server that runs elsewhere reach the client as they were sent. A server on loopback plays it. */
import { describe, expect, test } from "vitest";
import { startHttpServer } from "../testing/raw-http-server.ts";
import { CALL, formatMcpUrl, formatUrl, openRemote } from "../testing/remote-endpoint.ts";

describe("a client gets as it was sent", () => {
  const html = { "content-type": "text/html" };
  test.each<[string, string, number, Record<string, string>, string]>([
    ["a GET that is answered with 405 and nothing", "GET", 405, { allow: "POST" }, ""],
    ["a GET that is answered with 405 and a text", "GET", 405, { "content-type": "text/plain" }, "no"],
    ["a GET that is answered with 404 and a page", "GET", 404, html, "<html>"],
    ["a GET that is answered with 501", "GET", 501, {}, ""],
    ["a DELETE that is answered with 200 and a page", "DELETE", 200, html, "<html>"],
    ["a DELETE that is answered with 405", "DELETE", 405, {}, ""],
    ["a DELETE that is answered with 501 and a text", "DELETE", 501, { "content-type": "text/plain" }, "no"],
    [
      "a POST that is answered with 503 and a time",
      "POST",
      503,
      { "retry-after": "7", "content-type": "text/plain" },
      "later",
    ],
    ["a POST that is answered with 429 and a time", "POST", 429, { "retry-after": "7" }, ""],
    ["a POST that is answered with 404 and a page", "POST", 404, html, "<html>"],
    ["a POST that is answered with 500 and a page", "POST", 500, html, "<html>"],
  ])("%s", async (_what, method, status, headers, body) => {
    await using server = await startHttpServer((request, response) => {
      request.resume().once("end", () => response.writeHead(status, headers).end(body));
    });
    const outcomes: unknown[] = [];
    await using endpoint = await openRemote(formatUrl(server), {
      onOutcome: (problem) => void outcomes.push(problem?.code),
    });

    const response = await fetch(
      formatMcpUrl(endpoint),
      method === "POST" ? CALL : { method, headers: { accept: "text/event-stream" } },
    );

    expect([response.status, await response.text()]).toEqual([status, body]);
    expect(Object.fromEntries([...response.headers].filter(([name]) => name in headers))).toEqual(headers);
    expect(outcomes).toHaveLength(method === "POST" ? 1 : 0);
  });
});

describe("the address for messages of HTTP with SSE reaches the client", () => {
  test.each([
    ["after a comment", "/sse", ": hello\n\nevent: endpoint\ndata: /post?sid=1\n\n", "/post?sid=1"],
    ["after a pause to wait", "/sse", "retry: 3000\n\nevent: endpoint\ndata: /post\n\n", "/post"],
    ["in the event of a comment", "/sse", "event: endpoint\n: ok\nretry: 1\ndata: /post\n\n", "/post"],
    ["before its name", "/sse", "data: /post\nevent: endpoint\n\n", "/post"],
    ["absolute", "/sse", ": hello\r\n\r\nevent: endpoint\r\ndata: ORIGIN/post\r\n\r\n", "/post"],
    ["relative below a path", "/api/v1/sse", "event: endpoint\ndata: messages?sid=1\n\n", "/api/v1/messages?sid=1"],
    ["as a query only", "/api/v1/sse", "event: endpoint\ndata: ?sid=1\n\n", "/api/v1/sse?sid=1"],
  ])("%s", async (_what, path, opening, expected) => {
    const posted: (string | undefined)[] = [];
    await using server = await startHttpServer((request, response) => {
      if (request.method === "POST") {
        posted.push(request.url);
        return void response.writeHead(202).end();
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(opening.replace("ORIGIN", formatUrl(server, "")));
    });
    await using endpoint = await openRemote(formatUrl(server, path), {}, { transport: "sse" });
    const base = `http://127.0.0.1:${endpoint.port}/sse`;
    const leave = new AbortController();
    const stream = await fetch(base, { signal: leave.signal });
    const reader = new SseText(stream);

    const address = await reader.readAddress();
    const answer = await fetch(new URL(address, base), CALL);

    expect(new URL(address, base).origin).toBe(new URL(base).origin);
    expect([answer.status, posted]).toEqual([202, [expected]]);
    leave.abort();
  });
});

/** Reads a stream as a client does, until it has the address for messages. */
class SseText {
  readonly #stream: Response;

  constructor(stream: Response) {
    this.#stream = stream;
  }

  async readAddress(): Promise<string> {
    const reader = this.#stream.body?.getReader();
    let text = "";
    for (let chunk = await reader?.read(); chunk?.value !== undefined; chunk = await reader?.read()) {
      text += Buffer.from(chunk.value).toString("utf8");
      const address = /^event: endpoint\ndata: (.*)$/m.exec(text.replaceAll("\r", ""))?.[1];
      if (address) return address;
    }
    throw new Error("the stream has ended");
  }
}
