/** What MCP clients show. */
import type { SeenMessage } from "./seen-message.ts";

export const CLIENT_MESSAGES: readonly SeenMessage[] = [
  {
    message: "spawn npx ENOENT",
    program: "Claude Desktop, Cline",
    means:
      "The client cannot find `npx` in its `PATH`: Node.js is not installed, or the client does not read your shell's settings.",
    remedy:
      "Run the package in a container with `thv run npx://PACKAGE` and give the client the URL; then it needs no Node.js.",
    guide: "packages",
    source: "cline/cline#1948",
  },
  {
    message: "spawn uvx ENOENT",
    program: "Claude Desktop",
    means: "The client cannot find `uvx` in its `PATH`.",
    remedy:
      "Run the package in a container with `thv run uvx://PACKAGE` and give the client the URL; then it needs no Python.",
    guide: "packages",
    source: "modelcontextprotocol/servers#760",
  },
  {
    message: "spawn uv ENOENT",
    program: "Claude Desktop",
    means: "The client cannot find `uv` in its `PATH`.",
    remedy: "Run a published package with `thv run uvx://PACKAGE`, or give the client the full path of `uv`.",
    guide: "packages",
    source: "neka-nat/freecad-mcp#1",
  },
  {
    message: "env: node: No such file or directory",
    program: "Claude Desktop",
    means:
      "The client starts `npx`, which does not find Node.js in the client's short `PATH`, as with a version manager such as nvm.",
    remedy: "Run the package in a container with `thv run npx://PACKAGE` and give the client the URL.",
    guide: "packages",
    source: "anyproto/anytype-mcp#34",
  },
  {
    message: "Could not attach to MCP server …",
    program: "Claude Desktop",
    means: "The program in the client's settings could not be started, or ended before it answered.",
    remedy:
      "Check the server without the client: `thv list` shows its status and `thv logs NAME` what it wrote. Then check the entry.",
    guide: "claudeDesktop",
    source: "modelcontextprotocol/servers#2729",
  },
  {
    message: "Server disconnected. For troubleshooting guidance, please visit our debugging documentation",
    program: "Claude Desktop",
    means: "The program behind the entry ended, often because a key or an argument is missing.",
    remedy:
      "Read the client's log of that server. For a server of ToolHive, read `thv logs NAME`, and set what is missing with `--env` or `--secret`.",
    guide: "logs",
    source: "juehang/vscode-mcp-server#6",
  },
  {
    message: "Server transport closed unexpectedly, this is likely due to the process exiting early",
    program: "Claude Desktop",
    means: "The program ended before or during `initialize`.",
    remedy:
      "Start the server with `thv run`, which waits for its first answer and shows its last lines when it ends instead.",
    guide: "logs",
    source: "elevenlabs/elevenlabs-mcp#23",
  },
  {
    message: "Localhost URLs cannot be used because our servers cannot reach your local machine",
    program: "Claude Desktop, claude.ai",
    means: "A custom connector is called from the provider's servers and not from your machine.",
    remedy: "Use a bridge on this machine, or put the server on a public `https://` address and require a token.",
    guide: "claudeDesktop",
    source: "anthropics/claude-ai-mcp#9",
  },
  {
    message: "Error sending message to http://localhost:…/mcp: TypeError: fetch failed",
    program: "VS Code",
    means: "Nothing answers at the URL, or the client sends the request to a proxy.",
    remedy: "Compare the port with `thv list`, and add `127.0.0.1` to `NO_PROXY`.",
    guide: "clients",
    source: "microsoft/vscode#252388",
  },
  {
    message: "Server exited before responding to initialize request",
    program: "VS Code",
    means: "The connection closed before the server's first answer.",
    remedy: "Check that the status in `thv list` is `running` and that the URL in the entry ends in `/mcp`.",
    guide: "clients",
    source: "microsoft/vscode#252388",
  },
  {
    message: "Error connecting to file:///undefined: TypeError: fetch failed",
    program: "VS Code",
    means: "The entry has no URL where the client expects one, for example because the key has another name.",
    remedy: "Let `thv client register vscode` write the entry, or compare it with the example.",
    guide: "clients",
    source: "microsoft/vscode#246572",
  },
  {
    message: 'Connection to MCP server "…" timed out after 30000ms',
    program: "Claude Code",
    means: "The server did not answer the client's first request in the client's time limit.",
    remedy: "Start the server before the client, with `thv run`, so that no image is pulled while the client waits.",
    guide: "clients",
    source: "docker/mcp-gateway#336",
  },
  {
    message: "MCP client for … failed to start: request timed out",
    program: "Codex",
    means: "The server started too slowly for the client.",
    remedy:
      "Start the server before the client, and check with `thv mcp list tools --server NAME` how long an answer needs.",
    guide: "clients",
    source: "mcp-router/mcp-router#57",
  },
  {
    message: "tools.…: String should have at most 64 characters",
    program: "Claude, through its API",
    means:
      "The name of the client's entry and the name of a tool are longer than the 64 characters that the model's API accepts.",
    remedy: "Give the server a shorter name with `--name`: clients put it before each tool's name.",
    source: "mims-harvard/ToolUniverse#35",
  },
  {
    message: "Error listing offerings: MCP error -32601: Method 'prompts/list' not found",
    program: "Cursor",
    means: "The client asks for prompts, and the server has none.",
    remedy: "Ignore it when the tools are listed. If the client refuses the server, update both.",
    source: "FreePeak/db-mcp-server#35",
  },
  {
    message: "Error loading resources for MCP Server …: MCP error -32601: Method not found",
    program: "Continue",
    means: "The client asks for resources, and the server offers only tools.",
    remedy: "Ignore it: the tools work.",
    source: "zcaceres/fetch-mcp#26",
  },
  {
    message: "Failed to connect to MCP server using SSE transport",
    program: "Clients that speak the older SSE transport",
    means: "The client uses SSE, and the URL is one for streamable HTTP.",
    remedy: "Use the same URL with `/sse` instead of `/mcp`, or set the entry's type to HTTP.",
    guide: "clients",
    source: "apify/apify-mcp-server#475",
  },
  {
    message: "Remote MCP URL must use https",
    program: "Clients that refuse plain HTTP",
    means: "The client accepts no `http://` address, not even of this machine.",
    remedy:
      "Start `thv proxy stdio` with the name of the server in the place of the address, or use a reverse proxy with a certificate.",
    guide: "claudeDesktop",
    source: "mcp-router/mcp-router#196",
  },
  {
    message: "Non-HTTPS URLs are only allowed for localhost or when --allow-http flag is provided",
    program: "mcp-remote",
    means: "The bridge refuses a plain `http://` address of another machine.",
    remedy: "Add `--allow-http` in a network that you trust, or use `https://`.",
    guide: "claudeDesktop",
    source: "punkpeye/mcp-remote#28",
  },
  {
    message: "Access to fetch at 'http://localhost:…/mcp' from origin '…' has been blocked by CORS policy",
    program: "A browser, with the MCP Inspector",
    means: "A web page calls the server directly, and the server does not allow that page.",
    remedy: "Use `thv inspector NAME`, which calls the server from your machine and not from the page.",
    source: "mcp-use/mcp-use#1416",
  },
];
