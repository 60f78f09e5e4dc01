/** `thv run`. Source: cli.md 2. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { AUTHZ_FLAGS, OBSERVATION_FLAGS, OIDC_FLAGS } from "../shared/access-flags.ts";
import { FORMAT_FLAG } from "../shared/format-flag.ts";

export const RUN = {
  path: ["run"],
  summary: "Run an MCP server in a container",
  description:
    "Takes the name of a server in the registry, which then says how to run it, an image, or a package: npx://NAME, uvx://NAME, go://MODULE or go://./FOLDER, for which an image is built. Pulls the image when it is not there, starts the server without any Linux capability, and offers it to MCP clients on this machine. Waits until the server answers; when it does not come up, says why and leaves nothing behind.",
  positionals: [
    {
      name: "SERVER_OR_IMAGE_OR_PACKAGE",
      summary: "Name of a server in the registry, an image, or npx://, uvx:// or go:// and a package",
      isOptional: true,
      completes: "registry-server",
    },
  ],
  takesRest: true,
  flags: {
    name: {
      kind: "string",
      summary:
        "Name of the workload; when absent, the server's name in the registry, else the last part of the image's or the package's",
    },
    transport: {
      kind: "string",
      values: ["stdio", "sse", "streamable-http"],
      summary: "How the server in the container talks; when absent, what the registry says, else stdio",
    },
    "proxy-mode": {
      kind: "string",
      default: "streamable-http",
      values: ["sse", "streamable-http"],
      summary: "How a stdio server is offered to clients",
    },
    "target-port": {
      kind: "port",
      summary: "Port the server listens on in its container, for sse and streamable-http; a random one when absent",
    },
    "target-host": {
      kind: "string",
      default: "127.0.0.1",
      summary: "Loopback address at which the proxy reaches a server that speaks sse or streamable-http",
    },
    host: { kind: "string", default: "127.0.0.1", summary: "Address the proxy listens on" },
    "allowed-host": {
      kind: "stringArray",
      summary: "Name by which clients may call the proxy, besides those of this machine; may be repeated",
    },
    "proxy-port": { kind: "port", summary: "Port the proxy listens on; a free one when absent" },
    port: { kind: "port", summary: "Old name of --proxy-port", hidden: true },
    "ca-cert": {
      kind: "path",
      summary:
        "Certificate that the build of an npx://, uvx:// or go:// image trusts; default: the one in the settings",
    },
    "from-config": {
      kind: "path",
      mayBeStdin: true,
      summary:
        "File of thv export to run from, instead of a server; - is standard input; flags take precedence; its port is used only when the name stays the same",
    },
    "dry-run": {
      kind: "bool",
      summary: "Show what would be run and what would become of clients' settings, and do nothing",
    },
    format: FORMAT_FLAG,
    foreground: { short: "f", kind: "bool", summary: "Stay, show the server's output, and stop the server on Ctrl-C" },
    env: {
      short: "e",
      kind: "stringArray",
      summary: "Environment variable for the server, KEY=VALUE, or KEY for the value it has here; may be repeated",
    },
    "env-file": {
      kind: "stringArray",
      completes: "file",
      summary: "File with an environment variable on each line, like --env, which takes precedence; may be repeated",
    },
    secret: {
      kind: "stringArray",
      summary: "Secret that the server gets as a variable, NAME,target=VARIABLE; may be repeated",
    },
    "permission-profile": {
      kind: "string",
      completes: "file",
      summary:
        "What the server may do outside its container: none, network, or a JSON file; when absent, what the registry says, else network",
    },
    "isolate-network": {
      kind: "bool",
      summary: "Let the server reach only the hosts that its permission profile allows, through a sidecar container",
    },
    volume: {
      short: "v",
      kind: "stringArray",
      summary: "File or folder for the server, HOST_PATH:CONTAINER_PATH, :ro at the end for read-only; may be repeated",
    },
    memory: {
      kind: "memory",
      summary: "Memory the server may take, swap included, as 512m or 2g; 2g when absent, 0: no limit",
    },
    cpus: { kind: "float", summary: "Processors the server may take; 2 when absent, 0: no limit" },
    "pids-limit": { kind: "int", summary: "Processes and threads the server may have; 1024 when absent, 0: no limit" },
    "read-only": {
      kind: "bool",
      summary: "Let the server change nothing of its image; /tmp stays writable, in memory",
    },
    pull: {
      kind: "string",
      default: "missing",
      values: ["never", "missing", "always"],
      summary:
        "When the image is pulled: never, when the engine does not have it, or each time a container is made from it",
    },
    "image-verification": {
      kind: "string",
      default: "warn",
      values: ["disabled", "warn", "enabled"],
      summary: "What to do with an image that cannot prove the origin its registry entry names: not look, warn, refuse",
    },
    label: {
      short: "l",
      kind: "stringArray",
      summary: "Label of the workload and its container, KEY=VALUE in Kubernetes' syntax; may be repeated",
    },
    ...OIDC_FLAGS,
    ...AUTHZ_FLAGS,
    ...OBSERVATION_FLAGS,
  },
  examples: [
    { summary: "Run a server of the registry", command: "thv run everything" },
    { summary: "Run a server under a name of your choice", command: "thv run --name everything mcp/everything" },
    {
      summary: "Give a server a secret that was stored before",
      command: "thv run --secret github-token,target=GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server",
    },
    { summary: "Run a server from npm", command: "thv run npx://@modelcontextprotocol/server-everything" },
    { summary: "Run from a file that thv export wrote", command: "thv run --from-config everything.json" },
    { summary: "Hand arguments to the server", command: "thv run --name files mcp/filesystem -- /tmp" },
  ],
} as const satisfies CommandDefinition;

export type RunInput = Input<typeof RUN>;

export const RUN_COMMAND: Command = defineCommand(
  RUN,
  async () => (await import("./run.ts")).run,
  async () => (await import("./request-body.ts")).checkFlags,
);
