/** Errors of clients' files, of the registry and of the settings. */
import type { ErrorEntries } from "./error-entry.ts";

const CLIENTS = ["guides-cli/client-configuration", "Configure clients"] as const;
const REGISTRY = ["guides-cli/registry", "Find servers"] as const;

export const SETTINGS = {
  CLIENT_UNKNOWN: {
    short: "no client of this name",
    what: "ToolHive cannot configure a client of this name by itself. You can still use it.",
    why: [
      "The name has a typing mistake, or is the product's and not ToolHive's name for it.",
      "The client is not among those that are configured for you.",
    ],
    remedies: [
      { say: "See the names:", command: "thv client status" },
      {
        say: "Add the server to another client by hand, with an entry that most of them read:",
        command: "thv list --format mcpservers",
      },
    ],
    guide: CLIENTS,
  },
  CLIENT_FILE_INVALID: {
    short: "the client's file is damaged",
    what: "The client's settings file holds something that cannot be understood. It was left as it is.",
    why: ["A bracket or a comma is missing after an edit by hand.", "The file is not UTF-8."],
    remedies: [
      { say: "Correct the place that the message names; the client itself often shows it, too." },
      { say: "Then register the client again:", command: "thv client register cursor" },
    ],
    guide: CLIENTS,
  },
  CLIENT_FILE_FAILED: {
    short: "the client's file stays closed",
    what: "The client's settings file cannot be read or written. It is as it was.",
    why: [
      "The file or its folder belongs to another user, or may only be read.",
      "The disk is full.",
      "A folder is where the file should be.",
    ],
    remedies: [
      { say: "Look at who owns the file that the message names, and at the space left." },
      { say: "Then register the client again:", command: "thv client register cursor" },
    ],
    guide: CLIENTS,
  },
  REGISTRY_NOT_FOUND: {
    short: "there is one, called default",
    what: "A request names a registry that does not exist.",
    why: [
      "A program was written for several registries. There is one, and its name is `default`, whatever its address.",
    ],
    remedies: [
      { say: "Use `default` in the request's path: `GET /api/v1beta/registry/default/servers`." },
      { say: "See which registry that is:", command: "thv config get-registry-url" },
    ],
    guide: ["guides-cli/api-server", "Use the API server"],
  },
  REGISTRY_SERVER_NOT_FOUND: {
    short: "not in the registry",
    what: "The registry in use lists no server of this name.",
    why: [
      "The name has a typing mistake. Names are lower-case.",
      "The server is in the built-in registry, and another one is in use.",
      "The server is in no registry. You can still run its image or package.",
    ],
    remedies: [
      { say: "Search in names, descriptions and tags:", command: "thv search github" },
      { say: "Go back to the built-in registry:", command: "thv config unset-registry-url" },
      { say: "Or run it without a registry:", command: "thv run mcp/everything:latest" },
    ],
    guide: REGISTRY,
  },
  REGISTRY_UNAVAILABLE: {
    short: "it cannot be read",
    what: "The registry at the configured address or path cannot be read, and there is no earlier copy of it.",
    why: [
      "The address or the path has a typing mistake.",
      "The server is down, or a firewall is in between.",
      "The address is a private one, which has to be allowed.",
    ],
    remedies: [
      { say: "Check the address:", command: "thv config get-registry-url" },
      {
        say: "Allow a private address when the registry is yours:",
        command: "thv config set-registry-url --allow-private-ip https://registry.example.com/servers.json",
      },
      { say: "Or go back to the built-in registry:", command: "thv config unset-registry-url" },
    ],
    guide: REGISTRY,
  },
  REGISTRY_INVALID: {
    short: "it is not a registry",
    what: "What the address or the path holds is not what a registry has to look like. The message lists every problem with its place.",
    why: ["A required member is missing, or has another type.", "The address leads to a web page instead of the file."],
    remedies: [
      { say: "Correct what the message lists. The form is described in the guide on registries." },
      { say: "Or go back to the built-in registry:", command: "thv config unset-registry-url" },
    ],
    guide: REGISTRY,
  },
  CONFIG_INVALID: {
    short: "config.yaml is not understood",
    what: "The settings file cannot be understood. The message lists every problem with its place, and the file is left as it is.",
    why: [
      "It was edited by hand, and a value has another type or the indentation is off.",
      "A variable such as `TOOLHIVE_SIDECAR_HOSTS` holds something else than expected.",
    ],
    remedies: [
      { say: "Correct the file. Its path stands in the message, and in:", command: "thv help files" },
      { say: "Compare with the list of settings; each has its type and its default there." },
    ],
    guide: ["reference/configuration", "Configuration reference"],
  },
  CONFIG_LOCKED: {
    short: "somebody else is writing",
    what: "Another process is changing the settings file and has not finished in time. Nothing was changed.",
    why: [
      "Two commands that change settings run at the same moment.",
      "One of them is stopped, for example with `Ctrl`+`Z`.",
    ],
    remedies: [
      { say: "Try again:", command: "thv config get-registry-url" },
      { say: "When it stays so, look for a `thv` process that was stopped, and let it go on or end it." },
    ],
    guide: ["reference/configuration", "Configuration reference"],
  },
} as const satisfies ErrorEntries;
