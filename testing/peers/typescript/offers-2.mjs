/** What each server on a 2.x of the SDK offers. */
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";

const say = (text) => ({ content: [{ type: "text", text }] });
const TEXT = fromJsonSchema({ type: "object", properties: { text: { type: "string" } }, required: ["text"] });

/**
 * @param notifies Whether it can send what belongs to no call.
 * @param polls Whether it can end a stream before the answer, which a later one brings.
 * @param era Of the protocol: since 2026-07-28, log messages belong to a request.
 * @param publish Notifies all who listen that the tools have changed.
 */
export function createServer({ notifies = false, polls = false, publish, era = "legacy" } = {}) {
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
