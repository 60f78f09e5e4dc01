/** A server on the official SDK that speaks revision 2026-07-28 on stdio and refuses older clients. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

serveStdio(
  () => {
    const server = new McpServer(
      { name: "modern", version: "1.0.0" },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.registerTool("echo-id", { description: "Answers with a text." }, async (context) => ({
      content: [
        { type: "text", text: `called by ${context.mcpReq.envelope?.["io.modelcontextprotocol/clientInfo"]?.name}` },
      ],
    }));
    server.registerTool("change", { description: "Announces that the tools changed." }, async () => {
      server.sendToolListChanged();
      return { content: [] };
    });
    return server;
  },
  { legacy: "reject" },
);
