/** `thv config` and its commands. Source: cli.md 3.9. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { PRIVATE_IP_FLAG } from "../shared/flags/private-ip-flag.ts";

export const CONFIG_GROUP: CommandGroup = {
  path: ["config"],
  summary: "Show and change settings",
  description:
    "The settings are in config.yaml, which you can also edit by hand: thv keeps comments and other members. A change takes effect immediately, in a running supervisor as well.",
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
    "For networks whose proxy inspects TLS connections. The command checks the file and stores its absolute path. thv uses the file to build images for npx://, uvx:// and go:// servers and to sign in at remote servers. A remote server uses it from its next start.",
  positionals: [{ name: "PATH", summary: "PEM file with the certificate", completes: "file" }],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Trust the company's proxy", command: "thv config set-ca-cert corporate-ca.pem" }],
} as const satisfies CommandDefinition;

export const CONFIG_UNSET_CA_CERT = {
  path: ["config", "unset-ca-cert"],
  summary: "Remove the certificate that image builds and connections to remote servers trust",
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
    "Accepts unix:///path/to.sock, npipe:////./pipe/NAME, tcp://host:port and ssh://[user@]host[:port]. thv then uses this engine and ignores DOCKER_HOST. For TLS, set DOCKER_TLS_VERIFY and DOCKER_CERT_PATH as for Docker's own client. With auto, thv searches for an engine again. A running supervisor keeps its engine until it ends.",
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
  summary: "Show the time without calls after which new servers sleep",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Show the time", command: "thv config get-sleep-after" }],
} as const satisfies CommandDefinition;

export const CONFIG_SET_SLEEP_AFTER = {
  path: ["config", "set-sleep-after"],
  summary: "Set the time without calls after which new servers sleep",
  description:
    "Applies to servers that you start from now on without --sleep-after; existing servers keep their own time. With 0, servers do not sleep.",
  positionals: [{ name: "DURATION", summary: "Whole seconds, such as 90s, 10m or 1h30m; 0 for never" }],
  flags: { format: FORMAT_FLAG },
  examples: [
    { summary: "Stop new servers after ten idle minutes", command: "thv config set-sleep-after 10m" },
    { summary: "Keep new servers running", command: "thv config set-sleep-after 0" },
  ],
} as const satisfies CommandDefinition;

export const CONFIG_GET_USAGE = {
  path: ["config", "get-usage"],
  summary: "Show whether calls of servers are counted",
  positionals: [],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Show the setting", command: "thv config get-usage" }],
} as const satisfies CommandDefinition;

export const CONFIG_SET_USAGE = {
  path: ["config", "set-usage"],
  summary: "Choose whether calls of servers are counted",
  description:
    "With on, as by default, thv counts calls, failures and durations by server, tool and client for 30 days, in private files on this machine. It keeps numbers, dates, and names of tools and clients, and neither arguments nor results. With off, it stops counting and deletes these files.",
  positionals: [{ name: "VALUE", summary: "on or off", values: ["on", "off"] }],
  flags: { format: FORMAT_FLAG },
  examples: [{ summary: "Count nothing, and delete what was counted", command: "thv config set-usage off" }],
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
    "Accepts an https URL, a file:// URL or a path. The command reads and checks the registry first; if it finds an error, it changes nothing. thv keeps a copy of a registry at a URL, refreshes it every hour, and uses the copy while the registry is unreachable.",
  positionals: [{ name: "URL", summary: "URL or path of the registry's JSON file", completes: "file" }],
  flags: {
    "allow-private-ip": PRIVATE_IP_FLAG,
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
  defineCommand(CONFIG_GET_USAGE, async () => (await import("./usage.ts")).getUsage),
  defineCommand(CONFIG_SET_USAGE, async () => (await import("./usage.ts")).setUsage),
  defineCommand(CONFIG_GET_REGISTRY_URL, async () => (await import("./registry-url.ts")).getRegistryUrl),
  defineCommand(CONFIG_SET_REGISTRY_URL, async () => (await import("./registry-url.ts")).setRegistryUrl),
  defineCommand(CONFIG_UNSET_REGISTRY_URL, async () => (await import("./registry-url.ts")).unsetRegistryUrl),
];
