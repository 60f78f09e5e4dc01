/**
 * The smallest MCP server on stdio that does real work: `echo-server [DELAY]`; `tools/call` returns its argument as text.
 * DELAY: milliseconds before each answer, default 0.
 */
const delayMs = Number(process.argv[2] ?? 0);
let rest = "";
const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "echo", version: "1.0.0" },
};
const TOOLS = [{ name: "echo", inputSchema: { type: "object", properties: { text: { type: "string" } } } }];

/** @param {{ method: string, params?: { protocolVersion?: string, arguments?: { text?: string } } }} request */
function createResult({ method, params }) {
  if (method === "initialize") return { ...INITIALIZE, protocolVersion: params?.protocolVersion };
  if (method === "tools/list") return { tools: TOOLS };
  if (method === "tools/call") return { content: [{ type: "text", text: params?.arguments?.text ?? "" }] };
  return {};
}

process.stdin.setEncoding("utf8");
process.stdin.on("data", (/** @type {string} */ chunk) => {
  if (!chunk.includes("\n")) {
    rest += chunk;
    return;
  }
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const request = JSON.parse(line);
    if (request.id === undefined || request.method === undefined) continue;
    const answer = `${JSON.stringify({ jsonrpc: "2.0", id: request.id, result: createResult(request) })}\n`;
    if (delayMs === 0) process.stdout.write(answer);
    else setTimeout(() => process.stdout.write(answer), delayMs);
  }
});
process.stdin.on("end", () => process.exit());
