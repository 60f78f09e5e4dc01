/** What each server on a 1.x of the SDK offers. The earliest has no `McpServer`. */

const GREETING = { messages: [{ role: "user", content: { type: "text", text: "Hello." } }] };
const MEMO = { contents: [{ uri: "memo://one", mimeType: "text/plain", text: "one" }] };
const say = (text) => ({ content: [{ type: "text", text }] });

/**
 * @param notifies Whether it can send what belongs to no call.
 * @param polls Whether it can end a stream before the answer, which a later one brings.
 * @returns A function that makes one for a session.
 */
export async function createOffers(sdk, { notifies, polls = false }) {
  if (sdk === "sdk-1.0") return await createEarlyOffers(sdk);
  const { McpServer } = await import(`${sdk}/server/mcp.js`);
  // A string in the version of the schema library that this SDK reads.
  const text = (await import(`${sdk}/types.js`)).TextContentSchema.shape.text;
  return () => {
    const mcp = new McpServer({ name: sdk, version: "1.0.0" }, { capabilities: { logging: {} } });
    mcp.tool("echo", "Says it again", { text }, async (args) => say(args.text));
    mcp.tool("count", "Counts to three", async (extra) => {
      const progressToken = extra._meta?.progressToken;
      for (const progress of [1, 2, 3]) {
        const params = { progressToken, progress, total: 3 };
        if (progressToken !== undefined) await extra.sendNotification({ method: "notifications/progress", params });
      }
      return say("counted");
    });
    mcp.tool("notify", "Sends a log message", async () => {
      if (!notifies) return say("none");
      await mcp.server.sendLoggingMessage({ level: "info", data: "noticed" });
      return say("sent");
    });
    let hasGrown = false;
    mcp.tool("grow", "Adds a tool", async () => {
      if (!notifies) return say("none");
      if (hasGrown) mcp.sendToolListChanged();
      else mcp.tool("grown", "Was added", async () => say("grown"));
      hasGrown = true;
      return say("sent");
    });
    if (polls)
      mcp.tool("poll", "Ends its stream before it answers", async (extra) => {
        // Not there for clients of revisions without it.
        extra.closeSSEStream?.();
        return say("answered later");
      });
    mcp.prompt("greet", "Greets", async () => GREETING);
    mcp.resource("memo", "memo://one", { mimeType: "text/plain" }, async () => MEMO);
    return mcp;
  };
}

async function createEarlyOffers(sdk) {
  const { Server } = await import(`${sdk}/server/index.js`);
  const types = await import(`${sdk}/types.js`);
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  const tools = ["echo", "count", "notify"].map((name) => ({ name, inputSchema }));
  return () => {
    const capabilities = { tools: {}, prompts: {}, resources: {}, logging: {} };
    const server = new Server({ name: sdk, version: "1.0.0" }, { capabilities });
    const calls = {
      echo: ({ arguments: args }) => say(args.text),
      count: async ({ _meta }) => {
        const progressToken = _meta?.progressToken;
        for (const progress of [1, 2, 3]) {
          const params = { progressToken, progress, total: 3 };
          if (progressToken !== undefined) await server.notification({ method: "notifications/progress", params });
        }
        return say("counted");
      },
      notify: async () => {
        await server.sendLoggingMessage({ level: "info", data: "noticed" });
        return say("sent");
      },
    };
    server.setRequestHandler(types.ListToolsRequestSchema, async () => ({ tools }));
    server.setRequestHandler(types.ListPromptsRequestSchema, async () => ({ prompts: [{ name: "greet" }] }));
    server.setRequestHandler(types.ListResourcesRequestSchema, async () => ({
      resources: [{ uri: "memo://one", name: "memo" }],
    }));
    server.setRequestHandler(types.GetPromptRequestSchema, async () => GREETING);
    server.setRequestHandler(types.ReadResourceRequestSchema, async () => MEMO);
    server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => await calls[params.name](params));
    return server;
  };
}
