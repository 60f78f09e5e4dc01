/** `thv config` and its commands. Source: cli.md 3.9. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const CONFIG_GROUP: CommandGroup = {
  path: ["config"],
  summary: "Show and change settings",
  description:
    "Settings are in config.yaml, which you may edit by hand: comments and everything else in it stay. A change holds at once, also for a supervisor that runs.",
};

export const CONFIG_GET_CA_CERT = {
  path: ["config", "get-ca-cert"],
  summary: "Show the certificate that image builds and connections to remote servers trust",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Show the path", command: "thv config get-ca-cert" }],
} as const satisfies CommandDefinition;

export const CONFIG_SET_CA_CERT = {
  path: ["config", "set-ca-cert"],
  summary: "Set the certificate that image builds and connections to remote servers trust",
  description:
    "For networks whose proxy opens TLS connections. The file is checked now. It is used when an image is built for an npx://, uvx:// or go:// server, for sign-ins at remote servers, and by remote servers from their next start on. The absolute path is kept.",
  positionals: [{ name: "PATH", summary: "PEM file with the certificate", completes: "file" }],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Trust the company's proxy", command: "thv config set-ca-cert corporate-ca.pem" }],
} as const satisfies CommandDefinition;

export const CONFIG_UNSET_CA_CERT = {
  path: ["config", "unset-ca-cert"],
  summary: "Forget the certificate that image builds and connections to remote servers trust",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Trust the usual certificates only", command: "thv config unset-ca-cert" }],
} as const satisfies CommandDefinition;

export const CONFIG_GET_ENGINE = {
  path: ["config", "get-engine"],
  summary: "Show which container engine is configured",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Show the address", command: "thv config get-engine" }],
} as const satisfies CommandDefinition;

export const CONFIG_SET_ENGINE = {
  path: ["config", "set-engine"],
  summary: "Choose the container engine",
  description:
    "Accepts unix:///path/to.sock, npipe:////./pipe/NAME, tcp://host:port and ssh://[user@]host[:port]. The engine replaces the search, and DOCKER_HOST. For TLS, set DOCKER_TLS_VERIFY and DOCKER_CERT_PATH as for Docker's own client. With auto, thv searches for an engine again. A supervisor that runs keeps its engine until it ends.",
  positionals: [{ name: "ADDRESS", summary: "Address of the engine, or auto" }],
  flags: { format: FORMAT_FLAG },
  examples: [
    {
      summary: "Use Colima's second profile",
      command: "thv config set-engine unix:///Users/ada/.colima/work/docker.sock",
    },
    { summary: "Use the engine of another machine", command: "thv config set-engine ssh://ada@build.example.com" },
    { summary: "Search for an engine again", command: "thv config set-engine auto" },
  ],
} as const satisfies CommandDefinition;

export const CONFIG_GET_SLEEP_AFTER = {
  path: ["config", "get-sleep-after"],
  summary: "Show after which time without a call new servers sleep",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Show the time", command: "thv config get-sleep-after" }],
} as const satisfies CommandDefinition;

export const CONFIG_SET_SLEEP_AFTER = {
  path: ["config", "set-sleep-after"],
  summary: "Set after which time without a call new servers sleep",
  description:
    "For servers that are started from now on without --sleep-after; those that exist keep their own time. With 0, they do not sleep.",
  positionals: [{ name: "DURATION", summary: "Whole seconds, such as 90s, 10m or 1h30m; 0 for never" }],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "Stop new servers after ten idle minutes", command: "thv config set-sleep-after 10m" },
    { summary: "Keep new servers running", command: "thv config set-sleep-after 0" },
  ],
} as const satisfies CommandDefinition;

export const CONFIG_GET_REGISTRY_URL = {
  path: ["config", "get-registry-url"],
  summary: "Show which registry is in use",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Show the URL or path", command: "thv config get-registry-url" }],
} as const satisfies CommandDefinition;

export const CONFIG_SET_REGISTRY_URL = {
  path: ["config", "set-registry-url"],
  summary: "Use another registry",
  description:
    "Takes an https URL, a file:// URL or a path. The registry is read and checked first; when it cannot be used, nothing changes. thv keeps a copy of a registry at a URL and refreshes it every hour; while the registry cannot be reached, thv uses the copy.",
  positionals: [{ name: "URL", summary: "URL or path of the registry's JSON file", completes: "file" }],
  flags: {
    "allow-private-ip": {
      short: "p",
      kind: "bool",
      summary: "Allow addresses of this machine and of private networks",
    },
    format: FORMAT_FLAG,
  },
  examples: [
    {
      summary: "Use a registry on the web",
      command: "thv config set-registry-url https://mcp.example.com/registry.json",
    },
    { summary: "Use a file", command: "thv config set-registry-url ./registry.json" },
  ],
} as const satisfies CommandDefinition;

export const CONFIG_UNSET_REGISTRY_URL = {
  path: ["config", "unset-registry-url"],
  summary: "Use the registry that comes with thv",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Go back to the built-in registry", command: "thv config unset-registry-url" }],
} as const satisfies CommandDefinition;

export const CONFIG_COMMANDS: readonly Command[] = [
  defineCommand(CONFIG_GET_CA_CERT, async () => (await import("./ca-cert.ts")).getCaCert),
  defineCommand(CONFIG_SET_CA_CERT, async () => (await import("./ca-cert.ts")).setCaCert),
  defineCommand(CONFIG_UNSET_CA_CERT, async () => (await import("./ca-cert.ts")).unsetCaCert),
  defineCommand(CONFIG_GET_ENGINE, async () => (await import("./engine.ts")).getEngine),
  defineCommand(CONFIG_SET_ENGINE, async () => (await import("./engine.ts")).setEngine),
  defineCommand(CONFIG_GET_SLEEP_AFTER, async () => (await import("./sleep-after.ts")).getSleepAfter),
  defineCommand(CONFIG_SET_SLEEP_AFTER, async () => (await import("./sleep-after.ts")).setSleepAfter),
  defineCommand(CONFIG_GET_REGISTRY_URL, async () => (await import("./registry-url.ts")).getRegistryUrl),
  defineCommand(CONFIG_SET_REGISTRY_URL, async () => (await import("./registry-url.ts")).setRegistryUrl),
  defineCommand(CONFIG_UNSET_REGISTRY_URL, async () => (await import("./registry-url.ts")).unsetRegistryUrl),
];
