/** `thv run`. Source: cli.md 2. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { AUTHZ_FLAGS, OBSERVATION_FLAGS, OIDC_FLAGS } from "../shared/flags/access-flags.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { REMOTE_FLAGS } from "../shared/flags/remote-flags.ts";
import { ALLOW_FLAG } from "../shared/flags/yes-flag.ts";
import { RUN_SECTIONS } from "./sections.ts";

export const RUN = {
  path: ["run"],
  summary: "Run an MCP server in a container, or a remote one",
  description:
    "Runs a server from the registry by name, an image, or a package: npx://NAME, uvx://NAME, go://MODULE or go://./FOLDER, for which thv builds an image. Pulls a missing image, starts the server without Linux capabilities, and makes it available to MCP clients on this machine. Waits until the server answers; if the start fails, the command reports the reason and removes what it created. A URL, https://HOST/PATH, runs a remote server: this needs no container engine, and signs in at the server if necessary.",
  positionals: [
    {
      name: "SERVER_OR_IMAGE_OR_PACKAGE",
      summary: "Name of a server in the registry, an image, npx://, uvx:// or go:// and a package, or a remote URL",
      isOptional: true,
      completes: "registry-server",
    },
  ],
  takesRest: true,
  restSummary: "Arguments for the server, instead of the image's own",
  sections: RUN_SECTIONS,
  flags: {
    name: {
      kind: "string",
      summary:
        "Name of the server; by default its name in the registry, else the last part of the image or package name, or the host of a URL",
    },
    transport: {
      kind: "string",
      values: ["stdio", "sse", "streamable-http"],
      summary:
        "Transport of the server; by default the one in the registry, else stdio; for a remote server sse if its URL ends in /sse, else streamable-http",
    },
    "proxy-mode": {
      kind: "string",
      default: "streamable-http",
      values: ["sse", "streamable-http"],
      summary: "Transport that clients of a stdio server use",
    },
    "target-port": {
      kind: "port",
      summary: "Port the server listens on in its container, for sse and streamable-http; random by default",
    },
    "target-host": {
      kind: "string",
      default: "127.0.0.1",
      summary: "Loopback address at which the proxy reaches a server that speaks sse or streamable-http",
    },
    host: { kind: "string", default: "127.0.0.1", summary: "Address the proxy listens on" },
    "allowed-host": {
      kind: "stringArray",
      summary: "Host name that clients may use for the proxy, besides those of this machine; may be repeated",
    },
    "proxy-port": { kind: "port", summary: "Port the proxy listens on; a free one by default" },
    port: { kind: "port", summary: "Old name of --proxy-port", hidden: true },
    "base-image": {
      kind: "string",
      summary:
        "Base image of an npx://, uvx:// or go:// server, which must contain npm, uv or go; by default one with Debian",
    },
    with: {
      kind: "stringArray",
      summary: "Package to install with an npx:// or uvx:// server, such as 'mcp<2'; may be repeated",
    },
    "ca-cert": {
      kind: "path",
      summary:
        "Certificate to trust when an npx://, uvx:// or go:// image is built; by default the one in the settings",
    },
    "from-config": {
      kind: "path",
      mayBeStdin: true,
      summary:
        "File from thv export to run instead of a server; - is standard input. Flags override the file; its port is used only with the same name",
    },
    yes: ALLOW_FLAG,
    "dry-run": {
      kind: "bool",
      summary: "Show what would run and how client settings would change, without doing it",
    },
    format: FORMAT_FLAG,
    foreground: { short: "f", kind: "bool", summary: "Show the server's output until Ctrl-C, which stops the server" },
    env: {
      short: "e",
      kind: "stringArray",
      summary: "Environment variable for the server: KEY=VALUE, or KEY to pass on its current value; may be repeated",
    },
    "env-from": {
      kind: "stringArray",
      completes: "file",
      summary: "File with one environment variable per line; --env overrides it; may be repeated",
    },
    // Node.js searches all arguments for this name before thv begins: decision 0054.
    "env-file": { kind: "stringArray", completes: "file", summary: "Old name of --env-from", hidden: true },
    secret: {
      kind: "stringArray",
      summary: "Secret to pass as an environment variable: NAME,target=VARIABLE; may be repeated",
    },
    "permission-profile": {
      kind: "string",
      completes: "file",
      summary:
        "Permissions outside the container: none, network, or a JSON file; by default those in the registry, else network",
    },
    "isolate-network": {
      kind: "bool",
      summary: "Allow only the hosts in the permission profile, through a sidecar container",
    },
    learn: {
      kind: "bool",
      summary: "Allow every connection except to this machine, and record hosts and ports for thv permission learn",
    },
    volume: {
      short: "v",
      kind: "stringArray",
      summary: "File or folder to mount: HOST_PATH:CONTAINER_PATH, with :ro for read-only; may be repeated",
    },
    user: {
      kind: "string",
      summary:
        "User of the server as numbers, UID[:GID]; by default the image's user, or with mounted folders a user with your access to them",
    },
    memory: {
      kind: "memory",
      summary: "Memory limit, swap included, such as 512m or 2g; 2g by default, 0 for no limit",
    },
    cpus: { kind: "float", summary: "CPU limit; 2 by default, 0 for no limit" },
    "pids-limit": { kind: "int", summary: "Limit of processes and threads; 1024 by default, 0 for no limit" },
    "read-only": {
      kind: "bool",
      summary: "Mount the root filesystem read-only; /tmp stays writable, in memory",
    },
    tools: {
      kind: "strings",
      summary: "Tools that clients see and may call, separated by commas; all by default",
    },
    "tools-override": {
      kind: "path",
      summary: "JSON file with other names and descriptions of tools",
    },
    "find-tools": {
      kind: "bool",
      summary: "Let clients search tools with find_tool and call_tool instead of listing all",
    },
    "pin-tools": {
      kind: "string",
      default: "known",
      values: ["known", "all", "off"],
      summary: "Tools to hold back until thv tools accept: changed ones (known), also new ones (all), or none (off)",
    },
    "changed-tools": {
      kind: "string",
      default: "refuse",
      values: ["refuse", "allow"],
      summary: "Whether to refuse or allow calls of a changed tool until you accept the change",
    },
    "sleep-after": {
      kind: "duration",
      summary:
        "Stop the server after this time without a call, such as 10m; the next call starts it; by default the one in the settings, 0 for never",
    },
    pull: {
      kind: "string",
      default: "missing",
      values: ["never", "missing", "always"],
      summary: "When to pull the image: never, when the engine does not have it, or whenever a container is created",
    },
    "image-verification": {
      kind: "string",
      default: "warn",
      values: ["disabled", "warn", "enabled"],
      summary: "Unverified image: disabled = run, warn = run and warn, enabled = refuse",
    },
    group: {
      kind: "string",
      completes: "group",
      summary: "Group of the server; by default the group called default",
    },
    label: {
      short: "l",
      kind: "stringArray",
      summary: "Label of the server and its container: KEY=VALUE, in Kubernetes syntax; may be repeated",
    },
    ...REMOTE_FLAGS,
    "remote-auth-scopes": {
      kind: "strings",
      summary: "Scopes to request; by default those the remote server names",
    },
    "remote-auth-timeout": {
      kind: "duration",
      default: "5m",
      summary: "How long to wait for the sign-in; 0 is five minutes",
    },
    "remote-auth-callback-port": {
      kind: "port",
      min: 0,
      summary: "Local port of the OAuth callback; 8666 by default, 0 for a free one",
    },
    "remote-allow-http": {
      kind: "bool",
      summary: "Allow a remote server on another machine over http://, which others can read; no secret is sent then",
    },
    ...OIDC_FLAGS,
    ...AUTHZ_FLAGS,
    ...OBSERVATION_FLAGS,
  },
  examples: [
    { summary: "Run a server from the registry", command: "thv run everything" },
    { summary: "Run a server under a name of your choice", command: "thv run --name everything mcp/everything" },
    {
      summary: "Pass a stored secret to a server",
      command: "thv run --secret github-token,target=GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server",
    },
    { summary: "Run a server from npm", command: "thv run npx://@modelcontextprotocol/server-everything" },
    { summary: "Run from a file that thv export wrote", command: "thv run --from-config everything.json" },
    { summary: "Offer a remote server to the clients of this machine", command: "thv run https://mcp.example.com/mcp" },
    {
      summary: "Send a stored key to a remote server",
      command: "thv run --remote-forward-headers-secret 'X-API-Key: weather-key' https://mcp.example.com/mcp",
    },
    { summary: "Pass arguments to the server", command: "thv run --name files mcp/filesystem -- /tmp" },
  ],
} as const satisfies CommandDefinition;

export type RunInput = Input<typeof RUN>;

export const RUN_COMMAND: Command = defineCommand(
  RUN,
  async () => (await import("./run.ts")).run,
  async () => (await import("./request-body.ts")).checkFlags,
);
