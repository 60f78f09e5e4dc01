/** A server of HTTP that answers each request as a test says, and keeps what has reached it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "@toolhive/http";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface ScriptedServer extends AsyncDisposable {
  readonly url: URL;
  readonly seen: readonly SeenRequest[];
}

export type Script = (request: SeenRequest, response: ServerResponse) => void;

/** @param path Of the address that clients are given. */
export async function startScripted(script: Script, path = "/mcp"): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, path: url, headers, body: Buffer.concat(chunks).toString("utf8") };
      seen.push(request);
      script(request, response);
    });
  });
  const port = await listen(server, { port: 0 });
  return {
    url: new URL(`http://127.0.0.1:${port}${path}`),
    seen,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Begins a stream of events. */
export function stream(response: ServerResponse, text = "", headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  response.flushHeaders();
  if (text !== "") response.write(text);
}

export function json(response: ServerResponse, body: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
}

export function status(response: ServerResponse, code: number, body = ""): void {
  response.writeHead(code).end(body);
}
