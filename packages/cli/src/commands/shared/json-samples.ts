/**
 * What `--format json` prints, by command: one example each. The reference shows them, and a test compares what the commands
 * really print with them. Not loaded when a command runs.
 */

export interface JsonSample {
  readonly value: unknown;
  /** Members that are not always there. */
  readonly optional?: readonly string[];
  /** What it prints with `--dry-run` instead. */
  readonly dryRun?: unknown;
}

const GROUP = {
  name: "work",
  registered_clients: ["vscode"],
  url: "http://127.0.0.1:18437/mcp",
  port: 18437,
  naming: "auto",
  tools: ["add"],
  tools_override: { "get-sum": { name: "add" } },
  find_tools: true,
  workloads: [
    {
      name: "everything",
      state: "unavailable",
      reason: "it has not told yet what it offers",
      tools: 0,
      hidden_tools: 3,
    },
  ],
  warnings: ['fetch has a tool "everything__echo", which reads as if it were one of everything.'],
};
const CHOICE_OPTIONAL = ["tools", "tools_override", "find_tools"];
const GROUP_OPTIONAL = ["url", "port", "naming", "reason", "tools", "hidden_tools", "warnings", ...CHOICE_OPTIONAL];

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

const SIGN_IN = {
  name: "calendar",
  server: "https://calendar.example.com/mcp",
  state: "valid",
  kind: "authorization_code",
  issuer: "https://login.example.com",
  client_id: "registered-1",
  scopes: ["calendar.read"],
  expires_at: "2026-01-28T12:00:00.000Z",
  renewed_at: "2026-01-28T11:00:00.000Z",
  kept_in: "secrets",
  renewable: true,
  error: {
    code: "UNAUTHENTICATED",
    message: "Nobody is signed in at https://calendar.example.com for calendar.",
    hint: "Sign in: thv auth login calendar",
  },
  login: {
    state: "done",
    address: "https://login.example.com/auth?response_type=code",
    callback_port: 8666,
    user_code: "ABCD-EFGH",
    expires_at: "2026-01-28T12:00:00.000Z",
  },
};
const SIGN_IN_OPTIONAL = [
  "issuer",
  "client_id",
  "expires_at",
  "renewed_at",
  "kept_in",
  "error",
  "login",
  "callback_port",
  "user_code",
];

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
  reach: "Nothing, because every connection is refused.",
  tools: ["echo"],
  env_vars: [
    { name: "TOKEN", description: "A token", required: true, secret: true, default: "none", choices: ["none"] },
  ],
  args: [],
  needed_args: [{ name: "directory", description: "Where to look" }],
  metadata: { stars: 100, pulls: 1000, last_updated: "2025-07-17T00:00:00Z" },
  repository_url: "https://github.com/modelcontextprotocol/servers",
  tags: ["testing"],
  docker_tags: ["latest"],
  provenance: { sigstore_url: "tuf-repo-cdn.sigstore.dev" },
  title: "Everything",
  version: "1.0.0",
  url: "https://mcp.example.com/mcp",
  headers: [{ name: "X-API-Key", description: "Key of the service", required: true, secret: true }],
  oauth_config: { issuer: "https://auth.example.com" },
};
const REGISTRY_OPTIONAL = [
  "image",
  "needed_args",
  "title",
  "version",
  "url",
  "headers",
  "oauth_config",
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
  "choices",
];

const WORKLOAD = {
  name: "everything",
  package: "mcp/everything:latest",
  url: "http://127.0.0.1:29182/mcp",
  port: 29182,
  tool_type: "mcp",
  transport_type: "stdio",
  status: "running",
  asleep: true,
  status_context: "pulling the image",
  error: { code: "SERVER_EXITED", message: "The server exited with code 1.", hint: "Read its output." },
  created_at: "2025-07-20T08:04:11.000Z",
  labels: { team: "maps" },
  warnings: ["The permission profile lists hosts (api.github.com), and that is not enforced."],
  missing_tools: ["ecoh"],
};
const WORKLOAD_OPTIONAL = ["status_context", "error", "labels", "warnings", "missing_tools", "asleep", "id"];

const PROFILE = {
  network: { outbound: { insecure_allow_all: false, allow_host: ["api.github.com"], allow_port: [443] } },
};

const RUN_PLAN = {
  name: "everything",
  image: "mcp/everything:latest",
  image_from: "engine",
  arguments: ["--verbose"],
  transport: "stdio",
  url: "http://127.0.0.1:29182/mcp",
  port_chosen: true,
  variables: ["REGION"],
  secrets: ["github-token,target=GITHUB_PERSONAL_ACCESS_TOKEN"],
  labels: { team: "maps" },
  mounts: [{ source: "/home/me/notes", target: "/projects", read_only: true }],
  user: { id: "1000:1000", groups: ["1000"], description: "1000:1000, which is you, because folders are mounted" },
  network: {
    reach: "Only api.github.com, on port 443.",
    access: "filtered",
    outbound: { allow_all: false, hosts: ["api.github.com"], ports: [443] },
  },
  limits: { memory_bytes: 2147483648, cpus: 2, pids: 1024 },
  read_only: false,
  switched_off: [],
  warnings: [],
};
/** One workload, with how it is run. */
const DETAILS = {
  ...WORKLOAD,
  run: RUN_PLAN,
  digests: ["mcp/everything@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"],
  container_id: "4f6b1d0c9a7e",
  clients: ["vscode"],
  clients_of_groups: [{ name: "cursor", group: "work" }],
};

const DETAILS_OPTIONAL = [...WORKLOAD_OPTIONAL, "clients_of_groups"];

/** What `--dry-run` says of clients' settings. */
const FILES = [
  {
    client: "vscode",
    path: "/home/me/.config/Code/User/mcp.json",
    diff: '--- /home/me/.config/Code/User/mcp.json\n+++ /home/me/.config/Code/User/mcp.json\n@@ -1 +1,3 @@\n-{}\n+{ "servers": { … } }\n',
  },
];
const CLIENT = { client_type: "vscode", title: "Visual Studio Code", installed: true, registered: true };
const SECRETS_PROVIDER = {
  name: "default",
  provider_type: "encrypted",
  capabilities: { can_read: true, can_write: true, can_delete: true, can_list: true, can_cleanup: true },
};
const REGISTRY_SETTINGS = { registry_url: "https://mcp.example.com/registry.json", allow_private_registry_ip: false };
const SERVICE = {
  installed: true,
  running: true,
  manager: "systemd",
  file: "/home/me/.config/systemd/user/toolhive.service",
};

const TOOL_SELECTION = {
  tools: ["add", "echo"],
  tools_override: { "get-sum": { name: "add" } },
  find_tools: false,
};

const TOOL_SHA256 = "5d2c0b6bb1b8a0cd5a0f3e6d4a3c1f7e9b8d7c6a5f4e3d2c1b0a9f8e7d6c5b4a";
const TOOL_DIFFERENCE = {
  name: "get-env",
  kind: "changed",
  sha256: TOOL_SHA256,
  before: { name: "get-env", description: "Shows the environment" },
  after: { name: "get-env", description: "Shows the environment of the server" },
};
const TOOL_DIFFERENCE_OPTIONAL = ["sha256", "before", "after", "description"];

/** Keys are the words after `thv`. */
export const JSON_SAMPLES: Readonly<Record<string, JsonSample>> = {
  docs: {
    value: {
      query: "isolate network",
      sections: [
        {
          title: "Limit permissions with the CLI > Understand network isolation",
          path: "/toolhive/guides-cli/custom-permissions#understand-network-isolation",
          url: "http://localhost:3000/toolhive/guides-cli/custom-permissions#understand-network-isolation",
          text: "An isolated server has no network of its own.",
          complete: false,
        },
      ],
    },
  },
  list: { value: [WORKLOAD], optional: WORKLOAD_OPTIONAL },
  "logs prune": {
    value: { removed: ["/home/me/.local/share/toolhive/logs/gone.log"], failed: [{ path: "", reason: "" }] },
  },
  "service status": { value: SERVICE },
  status: { value: DETAILS, optional: DETAILS_OPTIONAL },
  ui: {
    value: {
      address: "http://127.0.0.1:8484/",
      url: "http://127.0.0.1:8484/#token=QDHf33IHQTzAh-bUlGWilinHPkWScstJhPVfAEeMSN0",
    },
  },
  version: {
    value: {
      version: "v0.2.0",
      commit: "0123456789ab",
      build_date: "2025-07-20T08:04:11+00:00",
      go_version: "node v20.20.0",
      node_version: "v20.20.0",
      platform: "linux/x64",
      channel: "source",
    },
  },
  doctor: {
    value: [{ check: "engine", status: "ok", message: "Docker 20.10.24 answers.", fix: "Start Docker." }],
    optional: ["fix"],
  },
  "config get-ca-cert": { value: { ca_certificate_path: "/etc/ssl/corporate-ca.pem" } },
  "config get-registry-url": { value: REGISTRY_SETTINGS },
  "config otel get-endpoint": { value: { endpoint: "localhost:4318" } },
  "config otel get-env-vars": { value: { "env-vars": ["HOSTNAME"] } },
  "config otel get-insecure": { value: { insecure: true } },
  "config otel get-sampling-rate": { value: { "sampling-rate": 0.25 } },
  "registry list": { value: [REGISTRY_SERVER], optional: REGISTRY_OPTIONAL },
  "registry info": { value: REGISTRY_SERVER, optional: REGISTRY_OPTIONAL },
  search: { value: [REGISTRY_SERVER], optional: REGISTRY_OPTIONAL },
  "client list-registered": { value: [{ name: "vscode" }] },
  "client status": { value: [CLIENT] },
  "secret get": { value: { key: "github-token", value: "the value" } },
  "secret list": {
    value: [{ key: "github-token", description: "Vault :: Item :: Field", used_by: ["github"] }],
    optional: ["description"],
  },
  "auth login": { value: SIGN_IN, optional: SIGN_IN_OPTIONAL },
  "auth status": { value: [SIGN_IN], optional: SIGN_IN_OPTIONAL },
  "auth logout": { value: { name: "calendar", revoked: true } },
  "mcp list": { value: { prompts: [PROMPT], resources: [RESOURCE], tools: [TOOL] }, optional: MCP_OPTIONAL },
  "mcp list prompts": { value: { prompts: [PROMPT] }, optional: MCP_OPTIONAL },
  "mcp list resources": { value: { resources: [RESOURCE] }, optional: MCP_OPTIONAL },
  "mcp list tools": { value: { tools: [TOOL] }, optional: MCP_OPTIONAL },
  "mcp call": {
    value: { content: [{ type: "text", text: "Echo: hello" }], structuredContent: {}, isError: false },
    optional: ["structuredContent", "isError"],
  },
  "mcp get": {
    value: { description: "A greeting", messages: [{ role: "user", content: { type: "text", text: "Hello" } }] },
    optional: ["description"],
  },
  "mcp ping": {
    value: { server: { name: "mcp-servers/everything", version: "2.0.0" }, protocol_version: "2025-11-25", ms: 3.4 },
  },
  "mcp read": {
    value: { contents: [{ uri: "file:///a", mimeType: "text/plain", text: "hello" }] },
    optional: ["mimeType"],
  },
  "permission allow": { value: { profile: PROFILE, restarted: false } },
  "permission learn": {
    value: { applied: false, restarted: false, learned: [{ host: "api.github.com", port: 443 }], profile: PROFILE },
  },
  "permission show": {
    value: { access: "filtered", reach: "Only api.github.com, on port 443.", learning: false, profile: PROFILE },
  },
  "tools list": {
    value: {
      chosen: true,
      tools: [
        { name: "add", own_name: "get-sum", server: "everything", state: "offered", description: "Adds two numbers" },
      ],
      missing: ["echo"],
      warnings: [
        { tool: "add", kind: "hidden_characters", message: "description has 1 hidden character: U+200B (zero width)" },
      ],
    },
    optional: ["description", "server"],
  },
  "tools accept": {
    value: { accepted: ["get-sum"], differences: [TOOL_DIFFERENCE], warnings: [] },
    optional: TOOL_DIFFERENCE_OPTIONAL,
  },
  "tools pin": {
    value: {
      mode: "known",
      changed_tools: "refuse",
      pinned_at: "2026-01-15T09:30:00.000Z",
      tools: [{ name: "echo", sha256: TOOL_SHA256 }],
      hashed: 0,
      reordered: ["echo"],
      differences: [TOOL_DIFFERENCE],
      warnings: [],
      full: false,
      unsaved: "The file could not be written: no space left on device.",
    },
    optional: ["pinned_at", "changed_tools", "unsaved", ...TOOL_DIFFERENCE_OPTIONAL],
  },
  "tools allow": { value: TOOL_SELECTION },
  "tools deny": { value: TOOL_SELECTION },
  "tools rename": { value: TOOL_SELECTION },
  "tools find": { value: { ...TOOL_SELECTION, find_tools: true } },
  up: {
    value: {
      file: "/home/me/shop/thv.yaml",
      servers: [
        {
          name: "everything",
          action: "change",
          changes: [{ member: "image", before: "mcp/everything:1.0.0", after: "mcp/everything:1.1.0" }],
          url: "http://127.0.0.1:29182/mcp",
          grants: [
            { kind: "image", text: "mcp/everything:1.1.0" },
            { kind: "secret", text: "github-token as GITHUB_TOKEN" },
          ],
          allowed: false,
          warnings: ['The server gets "/etc", a folder of the whole machine and not of one program.'],
        },
      ],
      failed: [
        { name: "fetch", code: "SECRET_NOT_FOUND", message: 'secret "fetch-key": Secret "fetch-key" not found.' },
      ],
      unlisted: ["memory"],
    },
    optional: ["before", "after", "url", "grants", "allowed", "warnings"],
  },
  import: {
    value: {
      file: "/home/me/shop/thv.yaml",
      servers: ["github"],
      secrets: [{ name: "github-github-token", target: "GITHUB_TOKEN", server: "github" }],
      skipped: [
        { name: "local", reason: "it is started by node, and only npx, uvx, docker and podman can be imported" },
      ],
      notes: [
        { name: "git", note: "its argument /home/me/code is a path of this machine, which it sees only as a volume" },
      ],
    },
  },
  down: { value: [{ name: "everything", status: "removed" }] },
  "upgrade check": {
    value: [
      {
        name: "everything",
        image: "mcp/everything:1.0.0",
        available: true,
        server: "everything",
        new_image: "mcp/everything:1.1.0",
        new_variables: [{ name: "UNITS", description: "Units of measurement.", required: false }],
        reason: "it runs from the image that the registry lists",
      },
    ],
    optional: ["server", "new_image", "reason"],
  },
  "upgrade apply": {
    value: {
      name: "everything",
      image: "mcp/everything:1.1.0",
      before: "mcp/everything:1.0.0",
      tools: [{ name: "get-sum", kind: "changed" }],
    },
  },
  restart: { value: [{ name: "everything", status: "running", url: "http://127.0.0.1:29182/mcp" }] },
  stop: { value: [{ name: "everything", status: "stopped" }] },
  rm: { value: [{ name: "everything", status: "removed" }] },
  run: { value: DETAILS, optional: DETAILS_OPTIONAL, dryRun: { run: RUN_PLAN, files: FILES } },
  "k8s import": {
    value: DETAILS,
    optional: DETAILS_OPTIONAL,
    dryRun: { name: "everything", image: "mcp/everything:latest", transport: "stdio", read_only: true },
  },
  export: {
    value: {
      name: "everything",
      image: "mcp/everything:latest",
      host: "127.0.0.1",
      proxy_port: 29182,
      transport: "stdio",
      proxy_mode: "streamable-http",
      cmd_arguments: ["--verbose"],
      env_vars: ["REGION=eu"],
      secrets: [{ name: "github-token", target: "GITHUB_PERSONAL_ACCESS_TOKEN" }],
      labels: { team: "maps" },
    },
    optional: ["env_vars", "labels"],
  },
  "group create": {
    value: { ...GROUP, registered_clients: [], workloads: [] },
    optional: ["warnings", ...CHOICE_OPTIONAL],
  },
  "group list": { value: [GROUP], optional: GROUP_OPTIONAL },
  "group add": { value: GROUP, optional: GROUP_OPTIONAL },
  "group remove": { value: { ...GROUP, workloads: [] }, optional: GROUP_OPTIONAL },
  "group rm": { value: { name: "work", status: "removed" } },
  "client register": { value: CLIENT, dryRun: { files: FILES } },
  "client remove": { value: { ...CLIENT, registered: false }, dryRun: { files: FILES } },
  "client setup": { value: [CLIENT], dryRun: { files: FILES } },
  "client undo": {
    value: {
      client_type: "vscode",
      undone: true,
      path: "/home/me/.config/Code/User/mcp.json",
      kept_at: "/home/me/.local/state/toolhive/clients/vscode.json",
    },
    optional: ["path", "kept_at"],
    dryRun: { files: FILES },
  },
  "config get-engine": { value: { engine: "unix:///run/user/1000/docker.sock" } },
  "config set-engine": { value: { engine: "unix:///run/user/1000/docker.sock" } },
  "config get-sleep-after": { value: { sleep_after_seconds: 600 } },
  "config set-sleep-after": { value: { sleep_after_seconds: 600 } },
  "config set-ca-cert": { value: { ca_certificate_path: "/etc/ssl/corporate-ca.pem" } },
  "config unset-ca-cert": { value: { ca_certificate_path: "" } },
  "config set-registry-url": { value: REGISTRY_SETTINGS },
  "config unset-registry-url": { value: { registry_url: "", allow_private_registry_ip: false } },
  "config otel set-endpoint": { value: { endpoint: "localhost:4318" } },
  "config otel set-env-vars": { value: { "env-vars": ["HOSTNAME"] } },
  "config otel set-insecure": { value: { insecure: true } },
  "config otel set-sampling-rate": { value: { "sampling-rate": 0.25 } },
  "config otel unset-endpoint": { value: { endpoint: "" } },
  "config otel unset-env-vars": { value: { "env-vars": [] } },
  "config otel unset-insecure": { value: { insecure: null } },
  "config otel unset-sampling-rate": { value: { "sampling-rate": null } },
  "secret set": { value: { key: "github-token", status: "created" } },
  "secret delete": { value: { key: "github-token", status: "deleted" } },
  "secret provider": { value: SECRETS_PROVIDER },
  "secret setup": { value: SECRETS_PROVIDER },
  "secret change-password": { value: { status: "changed" } },
  "secret reset-keyring": { value: { status: "forgotten" } },
  "service install": {
    value: SERVICE,
    dryRun: { file: SERVICE.file, content: "[Unit]\n…", commands: [["systemctl", "--user", "daemon-reload"]] },
  },
  "service uninstall": { value: { ...SERVICE, installed: false, running: false } },
};
