/** How the SDK's examples join servers and transports to requests over HTTP. */

/** A server and a transport for each session. */
export class Sessions {
  #transports = new Map();

  handle = async ({ create, createTransport }, request, response, body) => {
    const known = this.#transports.get(request.headers["mcp-session-id"]);
    if (known !== undefined) return await known.handleRequest(request, response, body);
    if (request.method !== "POST" || body?.method !== "initialize") {
      const error = { code: -32000, message: "Session not found" };
      response.writeHead(404, { "content-type": "application/json" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
    }
    const transport = createTransport({ onsessioninitialized: (id) => this.#transports.set(id, transport) });
    await create().connect(transport);
    const { onclose } = transport;
    transport.onclose = () => {
      this.#transports.delete(transport.sessionId);
      onclose?.();
    };
    await transport.handleRequest(request, response, body);
  };
}

/** A server and a transport for each request; nothing else than POST is served. */
export async function answerAlone({ create, createTransport }, request, response, body) {
  if (request.method !== "POST") return response.writeHead(405).end();
  const server = create();
  const transport = createTransport({});
  response.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, body);
}
