/** Every command of thv. Names, flags and defaults follow the reference's command line; the words are ours. */
import type { Command, CommandGroup } from "./command.ts";
import { CLIENT_COMMANDS, CLIENT_GROUP } from "./definitions/client.ts";
import { CONFIG_COMMANDS, CONFIG_GROUP } from "./definitions/config.ts";
import { FORMAT_FLAG } from "./definitions/format-flag.ts";
import { REGISTRY_COMMANDS, REGISTRY_GROUP } from "./definitions/registry.ts";
import { SECRET_COMMANDS, SECRET_GROUP } from "./definitions/secret.ts";

const WORKLOAD = { name: "WORKLOAD" } as const;

/** Words that gather commands. A group and its commands are declared together, in `definitions/`. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [CONFIG_GROUP, REGISTRY_GROUP, SECRET_GROUP, CLIENT_GROUP];

export const COMMANDS: readonly Command[] = [
  {
    path: ["list"],
    summary: "List the running MCP servers",
    description:
      "Shows the workloads that run, with the address that MCP clients use. With --all, also those that do not run.",
    positionals: [],
    flags: [
      { name: "all", short: "a", kind: "bool", summary: "Include workloads that are not running" },
      {
        name: "label",
        short: "l",
        kind: "stringArray",
        summary: "Show workloads with this label only, KEY=VALUE; when repeated, all have to match",
      },
      FORMAT_FLAG,
    ],
    examples: [
      { summary: "Show what runs", command: "thv list" },
      { summary: "Show what one team runs", command: "thv list --label team=maps" },
      { summary: "Read every address in a script", command: "thv list --format json" },
    ],
    load: async () => (await import("./commands/list.ts")).list,
  },
  {
    path: ["logs"],
    summary: "Show the output of an MCP server",
    description:
      "Prints the newest 100 lines that the server wrote. With --follow, goes on until the server ends or Ctrl-C.",
    positionals: [WORKLOAD],
    flags: [{ name: "follow", short: "f", kind: "bool", summary: "Go on with new lines as they are written" }],
    examples: [{ summary: "Watch a server work", command: "thv logs everything --follow" }],
    load: async () => (await import("./commands/logs.ts")).logs,
  },
  {
    path: ["restart"],
    summary: "Restart an MCP server",
    description: "Stops it when it runs, then starts it from its saved configuration. The address stays the same.",
    positionals: [WORKLOAD],
    flags: [],
    examples: [{ summary: "Restart a server", command: "thv restart everything" }],
    load: async () => (await import("./commands/lifecycle.ts")).restart,
  },
  {
    path: ["rm"],
    summary: "Remove an MCP server",
    description: "Stops it when it runs, then removes its container and its configuration.",
    positionals: [WORKLOAD],
    flags: [],
    examples: [{ summary: "Remove a server", command: "thv rm everything" }],
    load: async () => (await import("./commands/lifecycle.ts")).remove,
  },
  {
    path: ["run"],
    summary: "Run an MCP server in a container",
    description:
      "Takes the name of a server in the registry, which then says how to run it, an image, or a package: npx://NAME, uvx://NAME, go://MODULE or go://./FOLDER, for which an image is built. Pulls the image when it is not there, starts the server without any Linux capability, and offers it to MCP clients on this machine. Waits until the server answers; when it does not come up, says why and leaves nothing behind.",
    positionals: [{ name: "SERVER_OR_IMAGE_OR_PACKAGE" }],
    takesRest: true,
    flags: [
      {
        name: "name",
        kind: "string",
        summary: "Name of the workload; when absent, the server's name in the registry, else made from the image",
      },
      {
        name: "transport",
        kind: "string",
        values: ["stdio", "sse", "streamable-http"],
        summary: "How the server in the container talks; when absent, what the registry says, else stdio",
      },
      {
        name: "proxy-mode",
        kind: "string",
        default: "streamable-http",
        values: ["sse", "streamable-http"],
        summary: "How a stdio server is offered to clients",
      },
      {
        name: "target-port",
        kind: "int",
        summary: "Port the server listens on in its container, for sse and streamable-http; a random one when absent",
      },
      { name: "host", kind: "string", default: "127.0.0.1", summary: "Address the proxy listens on" },
      { name: "proxy-port", kind: "int", summary: "Port the proxy listens on; a free one when absent" },
      {
        name: "env",
        short: "e",
        kind: "stringArray",
        summary: "Environment variable for the server, KEY=VALUE; may be repeated",
      },
      {
        name: "secret",
        kind: "stringArray",
        summary: "Secret that the server gets as a variable, NAME,target=VARIABLE; may be repeated",
      },
      {
        name: "label",
        short: "l",
        kind: "stringArray",
        summary: "Label of the workload and its container, KEY=VALUE in Kubernetes' syntax; may be repeated",
      },
    ],
    examples: [
      { summary: "Run a server of the registry", command: "thv run everything" },
      { summary: "Run a server under a name of your choice", command: "thv run --name everything mcp/everything" },
      {
        summary: "Give a server a secret that was stored before",
        command: "thv run --secret github-token,target=GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server",
      },
      { summary: "Run a server from npm", command: "thv run npx://@modelcontextprotocol/server-everything" },
      { summary: "Hand arguments to the server", command: "thv run --name files mcp/filesystem -- /tmp" },
    ],
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    path: ["serve"],
    summary: "Start the supervisor and its API in the foreground",
    description:
      "Serves the local API for scripts and graphical interfaces, and takes over the workloads of a supervisor that runs in the background. Ctrl-C stops the servers; the next start brings them back. With an OIDC issuer or its keys, every request over the port needs a bearer token, except for /health; thv itself uses a private socket and needs none.",
    positionals: [],
    flags: [
      { name: "host", kind: "string", default: "127.0.0.1", summary: "Address the API listens on" },
      { name: "port", kind: "int", default: 8080, summary: "Port the API listens on" },
      {
        name: "oidc-issuer",
        kind: "string",
        summary: "Issuer whose tokens the API asks for, https://…; its keys are found through its discovery document",
      },
      {
        name: "oidc-audience",
        kind: "string",
        summary: "Audience that tokens have to be for; any when absent",
      },
      {
        name: "oidc-jwks-url",
        kind: "string",
        summary: "Address of the issuer's keys, instead of the one in its discovery document",
      },
      {
        name: "oidc-client-id",
        kind: "string",
        summary: "Client id at the issuer; tokens are not checked against it",
      },
      {
        name: "background",
        kind: "bool",
        summary: "Serve the private socket only, and end when nothing is left to do",
        hidden: true,
      },
    ],
    examples: [
      { summary: "Serve the API on another port", command: "thv serve --port 8081" },
      {
        summary: "Ask every caller for a token",
        command: "thv serve --oidc-issuer https://login.example.com --oidc-audience toolhive",
      },
    ],
    load: async () => (await import("./supervisor/serve.ts")).serve,
  },
  {
    path: ["stop"],
    summary: "Stop an MCP server",
    description: "Stops the server and closes its address. Its configuration stays: thv restart brings it back.",
    positionals: [WORKLOAD],
    flags: [],
    examples: [{ summary: "Stop a server", command: "thv stop everything" }],
    load: async () => (await import("./commands/lifecycle.ts")).stop,
  },
  {
    path: ["version"],
    summary: "Show the version of thv",
    positionals: [],
    flags: [FORMAT_FLAG, { name: "json", kind: "bool", summary: "The same as --format json" }],
    examples: [{ summary: "Show the version", command: "thv version" }],
    load: async () => (await import("./commands/version.ts")).version,
  },
  ...CONFIG_COMMANDS,
  ...REGISTRY_COMMANDS,
  ...CLIENT_COMMANDS,
  ...SECRET_COMMANDS,
];
