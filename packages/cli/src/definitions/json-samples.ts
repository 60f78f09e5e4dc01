/**
 * What `--format json` prints, by command: one example each. The reference shows them, and a test compares what the commands
 * really print with them. Not loaded when a command runs.
 */

export interface JsonSample {
  readonly value: unknown;
  /** Members that are not always there. */
  readonly optional?: readonly string[];
}

const TOOL = {
  name: "echo",
  title: "Echo Tool",
  description: "Echoes back the input string",
  inputSchema: { type: "object", properties: { message: { type: "string" } } },
};
const RESOURCE = {
  name: "architecture.md",
  uri: "demo://resource/static/document/architecture.md",
  mimeType: "text/markdown",
};
const PROMPT = {
  name: "args-prompt",
  description: "A prompt with arguments",
  arguments: [{ name: "city", required: true }],
};

/** Whatever the server says about each is handed on as it is. */
const MCP_OPTIONAL = ["title", "description", "inputSchema", "mimeType", "arguments"];

const REGISTRY_SERVER = {
  name: "everything",
  image: "mcp/everything:latest",
  description: "A test server that has one of each",
  tier: "Community",
  status: "Active",
  transport: "stdio",
  target_port: 8080,
  permissions: { network: { outbound: { insecure_allow_all: false, allow_host: [], allow_port: [] } } },
  tools: ["echo"],
  env_vars: [{ name: "TOKEN", description: "A token", required: true, secret: true, default: "none" }],
  args: [],
  metadata: { stars: 100, pulls: 1000, last_updated: "2025-07-17T00:00:00Z" },
  repository_url: "https://github.com/modelcontextprotocol/servers",
  tags: ["testing"],
  docker_tags: ["latest"],
  provenance: { sigstore_url: "tuf-repo-cdn.sigstore.dev" },
};
const REGISTRY_OPTIONAL = [
  "target_port",
  "permissions",
  "env_vars",
  "args",
  "metadata",
  "repository_url",
  "tags",
  "docker_tags",
  "provenance",
  "secret",
  "default",
];

/** Keys are the words after `thv`. */
export const JSON_SAMPLES: Readonly<Record<string, JsonSample>> = {
  list: {
    value: [
      {
        name: "everything",
        package: "mcp/everything:latest",
        url: "http://127.0.0.1:29182/mcp",
        port: 29182,
        tool_type: "mcp",
        transport_type: "stdio",
        status: "running",
        status_context: "pulling the image",
        error: { code: "SERVER_EXITED", message: "The server exited with code 1.", hint: "Read its output." },
        created_at: "2025-07-20T08:04:11.000Z",
        labels: { team: "maps" },
      },
    ],
    optional: ["status_context", "error", "labels"],
  },
  "logs prune": {
    value: { removed: ["/home/me/.local/share/toolhive/logs/gone.log"], failed: [{ path: "", reason: "" }] },
  },
  "service status": {
    value: {
      installed: true,
      running: true,
      manager: "systemd",
      file: "/home/me/.config/systemd/user/toolhive.service",
    },
  },
  status: {
    value: {
      name: "everything",
      package: "mcp/everything:latest",
      url: "http://127.0.0.1:29182/mcp",
      port: 29182,
      tool_type: "mcp",
      transport_type: "stdio",
      status: "running",
      status_context: "pulling the image",
      error: { code: "SERVER_EXITED", message: "The server exited with code 1.", hint: "Read its output." },
      created_at: "2025-07-20T08:04:11.000Z",
      labels: { team: "maps" },
      run: {
        name: "everything",
        image: "mcp/everything:latest",
        imageFrom: "engine",
        arguments: ["--verbose"],
        transport: "stdio",
        url: "http://127.0.0.1:29182/mcp",
        isPortChosen: true,
        variables: ["REGION"],
        secrets: ["github-token,target=GITHUB_PERSONAL_ACCESS_TOKEN"],
        labels: { team: "maps" },
        mounts: [{ source: "/home/me/notes", target: "/projects", readOnly: true }],
        network: { access: "open", outbound: { allowAll: true, hosts: ["api.github.com"], ports: [443] } },
        limits: { memoryBytes: 2147483648, cpus: 2, pids: 1024 },
        isReadOnly: false,
        warnings: [],
      },
      digests: ["mcp/everything@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"],
      container_id: "4f6b1d0c9a7e",
      clients: ["vscode"],
    },
    optional: ["status_context", "error", "labels"],
  },
  version: {
    value: {
      version: "v0.1.0",
      commit: "0123456789ab",
      build_date: "2025-07-20T08:04:11+00:00",
      go_version: "node v20.20.0",
      node_version: "v20.20.0",
      platform: "linux/x64",
    },
  },
  doctor: {
    value: [{ check: "engine", status: "ok", message: "Docker 20.10.24 answers.", fix: "Start Docker." }],
    optional: ["fix"],
  },
  "config get-ca-cert": { value: { ca_certificate_path: "/etc/ssl/corporate-ca.pem" } },
  "config get-registry-url": {
    value: { registry_url: "https://mcp.example.com/registry.json", allow_private_registry_ip: false },
  },
  "config otel get-endpoint": { value: { endpoint: "localhost:4318" } },
  "config otel get-env-vars": { value: { "env-vars": ["HOSTNAME"] } },
  "config otel get-insecure": { value: { insecure: true } },
  "config otel get-sampling-rate": { value: { "sampling-rate": 0.25 } },
  "registry list": { value: [REGISTRY_SERVER], optional: REGISTRY_OPTIONAL },
  "registry info": { value: REGISTRY_SERVER, optional: REGISTRY_OPTIONAL },
  search: { value: [REGISTRY_SERVER], optional: REGISTRY_OPTIONAL },
  "client list-registered": { value: [{ name: "vscode" }] },
  "client status": { value: [{ client_type: "vscode", installed: true, registered: false }] },
  "secret get": { value: { key: "github-token", value: "the value" } },
  "secret list": { value: [{ key: "github-token", description: "Vault :: Item :: Field" }], optional: ["description"] },
  "mcp list": { value: { prompts: [PROMPT], resources: [RESOURCE], tools: [TOOL] }, optional: MCP_OPTIONAL },
  "mcp list prompts": { value: { prompts: [PROMPT] }, optional: MCP_OPTIONAL },
  "mcp list resources": { value: { resources: [RESOURCE] }, optional: MCP_OPTIONAL },
  "mcp list tools": { value: { tools: [TOOL] }, optional: MCP_OPTIONAL },
  restart: { value: [{ name: "everything", status: "running", url: "http://127.0.0.1:29182/mcp" }] },
  stop: { value: [{ name: "everything", status: "stopped" }] },
  rm: { value: [{ name: "everything", status: "removed" }] },
};
