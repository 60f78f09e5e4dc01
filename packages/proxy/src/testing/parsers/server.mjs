/** An MCP server on stdio that reads messages as servers in JavaScript do: objects, in which the last of two wins. */
import { createInterface } from "node:readline";

const held = [];
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const say = (id, text) => send({ id, result: { content: [{ type: "text", text }] } });

function call(id, { name, arguments: args, _meta: meta }) {
  const token = meta?.progressToken;
  if (token !== undefined) {
    const params = { progressToken: token, progress: 1, message: `of ${name}` };
    send({ method: "notifications/progress", params });
  }
  if (name === "hold") held.push(id);
  else if (name === "release") {
    for (const waiting of held.splice(0)) say(waiting, "held");
    say(id, "released");
  } else if (name === "requests") say(id, JSON.stringify(held));
  else say(id, `${name} paid ${args?.amount}`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "javascript", version: "1" };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/call") call(id, params);
  else send({ id, result: {} });
}
