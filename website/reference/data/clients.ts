/**
 * The six clients that the reference tool knows: where each keeps its servers and what an entry looks like.
 * Source: the compatibility facts of ToolHive v0.1.9.
 */
export interface ClientFacts {
  readonly name: string;
  /** Name on the wire and in settings. */
  readonly wireName: string;
  /** Below the home folder; `<settings>` differs by system. */
  readonly file: string;
  /** Members that lead to the map of servers. */
  readonly keys: readonly string[];
  /** `type` of a streamable HTTP entry; `undefined` when the client wants none. */
  readonly httpType: string | undefined;
  /** `type` of an SSE entry. */
  readonly sseType: string | undefined;
  readonly needsRestart: boolean;
  readonly note?: string;
}

export const SETTINGS_FOLDERS = [
  ["Linux", "~/.config"],
  ["macOS", "~/Library/Application Support"],
  ["Windows", "%APPDATA%"],
] as const;

export const CLIENTS: readonly ClientFacts[] = [
  {
    name: "Claude Code",
    wireName: "claude-code",
    file: "~/.claude.json",
    keys: ["mcpServers"],
    httpType: "http",
    sseType: "sse",
    needsRestart: true,
  },
  {
    name: "Cline",
    wireName: "cline",
    file: "<settings>/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    keys: ["mcpServers"],
    httpType: undefined,
    sseType: undefined,
    needsRestart: false,
    note: "Cline is a Visual Studio Code extension; entries have no type.",
  },
  {
    name: "Cursor",
    wireName: "cursor",
    file: "~/.cursor/mcp.json",
    keys: ["mcpServers"],
    httpType: "http",
    sseType: "sse",
    needsRestart: false,
  },
  {
    name: "Roo Code",
    wireName: "roo-code",
    file: "<settings>/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
    keys: ["mcpServers"],
    httpType: "streamable-http",
    sseType: "sse",
    needsRestart: false,
    note: "Roo Code is a Visual Studio Code extension.",
  },
  {
    name: "VS Code",
    wireName: "vscode",
    file: "<settings>/Code/User/settings.json",
    keys: ["mcp", "servers"],
    httpType: "http",
    sseType: "sse",
    needsRestart: false,
    note: "From version 1.102, VS Code keeps servers in a file of its own, `mcp.json`, and offers to move what it finds here.",
  },
  {
    name: "VS Code Insiders",
    wireName: "vscode-insider",
    file: "<settings>/Code - Insiders/User/settings.json",
    keys: ["mcp", "servers"],
    httpType: "http",
    sseType: "sse",
    needsRestart: false,
  },
];
