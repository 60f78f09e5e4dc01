/**
 * MCP clients as data: where each keeps its servers, how it is noticed, and what an entry looks like. The first six are
 * the specification's, in the reference's order (api-behaviour 2.3 and 8.1); the others follow their own documentation.
 * Nothing here needs Node: the documentation site takes install links of the same table into the browser.
 */

export type EntryTransport = "sse" | "streamable-http";
export type EntryFormat = "json" | "toml" | "yaml";

/** Folders of this machine. */
export interface ClientPlaces {
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

export interface ClientFile {
  /** Below home, with `/`. */
  readonly path: (places: ClientPlaces) => string;
  readonly format: EntryFormat;
  /** Members that lead to the servers. */
  readonly servers: readonly string[];
  /** Where older versions of the client kept servers: used only while there are any. Default: false. */
  readonly isFormer?: boolean;
}

/** How a client takes a server by its own means, without `thv`: it opens an address, or its command is called. */
export type ClientInstall =
  | { readonly kind: "link"; readonly address: string }
  | { readonly kind: "command"; readonly command: string };

/** A running server, as a client's entry names it. */
export interface ClientServer {
  readonly name: string;
  readonly url: string;
  readonly transport: EntryTransport;
  /** Program and arguments of a server on stdio that hands everything on to this one. */
  readonly bridge: readonly [program: string, ...args: string[]];
}

export interface ClientDefinition {
  /** Wire value. */
  readonly id: string;
  /** As its makers write it. */
  readonly name: string;
  /** The first one that exists is edited; when none does, the last one that is not a former one is made. */
  readonly files: readonly ClientFile[];
  /** The client counts as installed when this path exists. Below home. */
  readonly mark: (places: ClientPlaces) => string;
  /** @returns `undefined` when the client cannot use such a server. */
  readonly entry: (server: ClientServer) => object | undefined;
  /** For a server that speaks streamable HTTP. The name has neither spaces nor quotes. Missing when we know no such means. */
  readonly install?: (server: { name: string; url: string }) => ClientInstall;
}

/** The file that is made when there is none. */
export function findDefaultFile({ files }: ClientDefinition): ClientFile | undefined {
  return files.findLast(({ isFormer }) => !isFormer);
}

/** Where desktop programs keep settings. */
function getApplicationFolder({ platform }: ClientPlaces): string {
  if (platform === "darwin") return "Library/Application Support";
  return platform === "win32" ? "AppData/Roaming" : ".config";
}

const json = (path: ClientFile["path"], ...servers: string[]): ClientFile => ({ path, format: "json", servers });
const fixed = (path: string) => () => path;
const inApplication = (path: string) => (places: ClientPlaces) => `${getApplicationFolder(places)}/${path}`;
const typed = (http: string) => (server: { url: string; transport: EntryTransport }) => ({
  url: server.url,
  type: server.transport === "sse" ? "sse" : http,
});
const onlyHttp =
  (entry: (url: string) => object): ClientDefinition["entry"] =>
  ({ url, transport }) =>
    transport === "sse" ? undefined : entry(url);

const typedHttp = typed("http");

const ROO = "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings";
const CLINE = "Code/User/globalStorage/saoudrizwan.claude-dev/settings";

/** VS Code 1.102 and later keep servers in mcp.json (code.visualstudio.com/docs/copilot/reference/mcp-configuration). */
function defineVisualStudioCode(id: string, name: string, folder: string, scheme: string): ClientDefinition {
  return {
    id,
    name,
    files: [
      json(inApplication(`${folder}/User/mcp.json`), "servers"),
      { ...json(inApplication(`${folder}/User/settings.json`), "mcp", "servers"), isFormer: true },
    ],
    mark: inApplication(`${folder}/User`),
    entry: typedHttp,
    // code.visualstudio.com/docs/copilot/guides/mcp-developer-guide, "MCP URL handler"
    install: ({ name, url }) => {
      const server = { name, ...typedHttp({ url, transport: "streamable-http" }) };
      return { kind: "link", address: `${scheme}:mcp/install?${encodeURIComponent(JSON.stringify(server))}` };
    },
  };
}

export const CLIENTS: readonly ClientDefinition[] = [
  {
    id: "roo-code",
    name: "Roo Code",
    files: [json(inApplication(`${ROO}/mcp_settings.json`), "mcpServers")],
    mark: inApplication(ROO),
    entry: typed("streamable-http"),
  },
  {
    id: "cline",
    name: "Cline",
    files: [json(inApplication(`${CLINE}/cline_mcp_settings.json`), "mcpServers")],
    mark: inApplication(CLINE),
    // Without a type Cline takes a URL for SSE (docs.cline.bot/mcp), which made the reference's entries useless (O-53).
    entry: ({ url, transport }) => (transport === "sse" ? { url } : { url, type: "streamableHttp" }),
  },
  defineVisualStudioCode("vscode-insider", "Visual Studio Code Insiders", "Code - Insiders", "vscode-insiders"),
  defineVisualStudioCode("vscode", "Visual Studio Code", "Code", "vscode"),
  {
    id: "cursor",
    name: "Cursor",
    files: [json(fixed(".cursor/mcp.json"), "mcpServers")],
    mark: fixed(".cursor"),
    entry: typedHttp,
    // cursor.com/docs/mcp/install-links
    install: ({ name, url }) => {
      const config = btoa(JSON.stringify(typedHttp({ url, transport: "streamable-http" })));
      const query = new URLSearchParams({ name, config });
      return { kind: "link", address: `cursor://anysphere.cursor-deeplink/mcp/install?${query}` };
    },
  },
  {
    id: "claude-code",
    name: "Claude Code",
    files: [json(fixed(".claude.json"), "mcpServers")],
    mark: fixed(".claude.json"),
    entry: typedHttp,
    // docs.claude.com/en/docs/claude-code/mcp
    install: ({ name, url }) => ({ kind: "command", command: `claude mcp add --transport http ${name} ${url}` }),
  },
  {
    // docs.windsurf.com/windsurf/cascade/mcp
    id: "windsurf",
    name: "Windsurf",
    files: [json(fixed(".codeium/windsurf/mcp_config.json"), "mcpServers")],
    mark: fixed(".codeium/windsurf"),
    entry: ({ url }) => ({ serverUrl: url }),
  },
  {
    // zed.dev/docs/ai/mcp, zed.dev/docs/configuring-zed
    id: "zed",
    name: "Zed",
    files: [
      json(
        ({ platform }) => (platform === "win32" ? "AppData/Roaming/Zed/settings.json" : ".config/zed/settings.json"),
        "context_servers",
      ),
    ],
    mark: ({ platform }) => (platform === "win32" ? "AppData/Roaming/Zed" : ".config/zed"),
    entry: onlyHttp((url) => ({ url })),
  },
  {
    // github.com/google-gemini/gemini-cli, docs/tools/mcp-server.md
    id: "gemini-cli",
    name: "Gemini CLI",
    files: [json(fixed(".gemini/settings.json"), "mcpServers")],
    mark: fixed(".gemini"),
    entry: ({ url, transport }) => (transport === "sse" ? { url } : { httpUrl: url }),
  },
  {
    // github.com/openai/codex, docs/config.md
    id: "codex",
    name: "Codex CLI",
    files: [{ path: fixed(".codex/config.toml"), format: "toml", servers: ["mcp_servers"] }],
    mark: fixed(".codex"),
    entry: onlyHttp((url) => ({ url })),
  },
  {
    // lmstudio.ai/docs/app/mcp
    id: "lm-studio",
    name: "LM Studio",
    files: [json(fixed(".lmstudio/mcp.json"), "mcpServers")],
    mark: fixed(".lmstudio"),
    entry: ({ url }) => ({ url }),
  },
  {
    // block.github.io/goose/docs/guides/config-files
    id: "goose",
    name: "Goose",
    files: [
      {
        path: ({ platform }) =>
          platform === "win32" ? "AppData/Roaming/Block/goose/config/config.yaml" : ".config/goose/config.yaml",
        format: "yaml",
        servers: ["extensions"],
      },
    ],
    mark: ({ platform }) => (platform === "win32" ? "AppData/Roaming/Block/goose" : ".config/goose"),
    entry: ({ name, url, transport }) => ({
      enabled: true,
      type: transport === "sse" ? "sse" : "streamable_http",
      name,
      uri: url,
      timeout: 300,
    }),
  },
  {
    // opencode.ai/docs/mcp-servers
    id: "opencode",
    name: "OpenCode",
    files: [
      json(fixed(".config/opencode/opencode.jsonc"), "mcp"),
      json(fixed(".config/opencode/opencode.json"), "mcp"),
    ],
    mark: fixed(".config/opencode"),
    entry: onlyHttp((url) => ({ type: "remote", url, enabled: true })),
  },
  {
    // modelcontextprotocol.io/docs/develop/connect-local-servers: its file takes programs to start, and no addresses.
    id: "claude-desktop",
    name: "Claude Desktop",
    files: [json(inApplication("Claude/claude_desktop_config.json"), "mcpServers")],
    mark: inApplication("Claude"),
    entry: ({ bridge: [command, ...args] }) => ({ command, args }),
  },
];

/** Names of the specification (D6), accepted as well: `RooCode`, `VSCodeInsider`, … */
export function findClient(name: string): ClientDefinition | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll("-", "");
  return CLIENTS.find(({ id }) => id === name) ?? CLIENTS.find(({ id }) => plain(id) === plain(name) && name !== "");
}
