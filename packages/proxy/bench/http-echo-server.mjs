/** The smallest MCP server over streamable HTTP that does real work: `http-echo-server PORT`; `tools/call` returns its argument as text. */
import { createServer } from "node:http";

const RESULTS = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "echo", version: "1.0.0" },
  },
  "tools/list": {
    tools: [{ name: "echo", inputSchema: { type: "object", properties: { text: { type: "string" } } } }],
  },
};

/** @param {{ method: string, params?: { arguments?: { text?: string } } }} request */
function createResult({ method, params }) {
  if (method === "initialize" || method === "tools/list") return RESULTS[method];
  return { content: [{ type: "text", text: params?.arguments?.text ?? "" }] };
}

createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("data", (/** @type {Buffer} */ chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(Buffer.concat(chunks).toString());
    if (message.id === undefined) return void response.writeHead(202).end();
    const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: createResult(message) });
    response
      .writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) })
      .end(text);
  });
}).listen(Number(process.argv[2]), "127.0.0.1");
