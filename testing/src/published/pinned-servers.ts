/**
 * MCP servers of npm, PyPI and Go as their publishers made them, at versions that never change, for tests that start them as a
 * user would. They are a part of those that `npm run bench -- servers` tries.
 */

export type PackageManager = "npm" | "PyPI" | "Go";

export interface PinnedServer {
  /** As `thv run` takes it. */
  readonly target: string;
  readonly manager: PackageManager;
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** With the same answer each time. */
  readonly call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
  /** How many tools, prompts and resources it listed without a container, as `npx`, `uvx` or `go run` started it. */
  readonly counts: readonly [tools: number, prompts: number, resources: number];
}

const THOUGHT = { thought: "one", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false } as const;

export const PINNED_SERVERS: readonly PinnedServer[] = [
  {
    target: "npx://@modelcontextprotocol/server-filesystem@2026.8.31",
    manager: "npm",
    arguments: ["/tmp"],
    call: { name: "list_allowed_directories", arguments: {} },
    counts: [14, 0, 0],
  },
  {
    target: "npx://@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    manager: "npm",
    call: { name: "sequentialthinking", arguments: THOUGHT },
    counts: [1, 0, 0],
  },
  {
    target: "npx://mcp-hello-world@1.1.2",
    manager: "npm",
    call: { name: "echo", arguments: { message: "one" } },
    counts: [3, 1, 1],
  },
  {
    target: "uvx://mcp-server-time@2026.10.19",
    manager: "PyPI",
    call: { name: "get_current_time", arguments: { timezone: "Nowhere/Nothing" } },
    counts: [2, 0, 0],
  },
  {
    target: "uvx://mcp-server-fetch@2026.10.24",
    manager: "PyPI",
    call: { name: "fetch", arguments: { url: "not an address" } },
    counts: [1, 1, 0],
  },
  {
    // A wheel that holds a program in Go.
    target: "uvx://mcp-grafana@2.1.1",
    manager: "PyPI",
    environment: { GRAFANA_URL: "http://127.0.0.1:1", GRAFANA_SERVICE_ACCOUNT_TOKEN: "none" },
    call: { name: "search_dashboards", arguments: { query: 1 } },
    counts: [79, 0, 3],
  },
  {
    target: "go://github.com/mark3labs/mcp-go/examples/everything@v1.2.1",
    manager: "Go",
    call: { name: "echo", arguments: { message: "one" } },
    counts: [6, 2, 101],
  },
  {
    target: "go://github.com/modelcontextprotocol/go-sdk/examples/server/hello@v1.8.0",
    manager: "Go",
    call: { name: "greet", arguments: { name: "one" } },
    counts: [1, 0, 0],
  },
];
