/** Errors of clients' files, of the registry and of the settings. */
import type { ErrorEntries } from "./error-entry.ts";

const CLIENTS = ["guides-cli/client-configuration", "Configure clients"] as const;
const REGISTRY = ["guides-cli/registry", "Find servers"] as const;

export const SETTINGS = {
  CLIENT_UNKNOWN: {
    short: "no client with this name",
    what: "ToolHive cannot configure a client with this name automatically. You can still configure the client by hand.",
    why: [
      "The name is misspelled, or is the product's name instead of ToolHive's name for it.",
      "ToolHive does not support this client.",
    ],
    remedies: [
      { say: "List the supported names:", command: "thv client status" },
      {
        say: "Add the server to another client by hand, with an entry that most clients can read:",
        command: "thv list --format mcpservers",
      },
    ],
    guide: CLIENTS,
  },
  CLIENT_FILE_INVALID: {
    short: "the client's file is damaged",
    what: "The client's settings file cannot be parsed. It was not changed.",
    why: ["A bracket or a comma is missing after an edit by hand.", "The file is not UTF-8."],
    remedies: [
      { say: "Correct the file at the location in the message; the client itself often shows it, too." },
      { say: "Then register the client again:", command: "thv client register cursor" },
    ],
    guide: CLIENTS,
  },
  CLIENT_FILE_FAILED: {
    short: "no access to the client's file",
    what: "The client's settings file cannot be read or written. It was not changed.",
    why: [
      "The file or its folder belongs to another user, or is read-only.",
      "The disk is full.",
      "There is a folder where the file should be.",
    ],
    remedies: [
      { say: "Check the owner of the file in the message, and the free disk space." },
      { say: "Then register the client again:", command: "thv client register cursor" },
    ],
    guide: CLIENTS,
  },
  REGISTRY_NOT_FOUND: {
    short: "the only one is default",
    what: "A request names a registry that does not exist.",
    why: ["A program expects several registries. There is only one, and its name is always `default`."],
    remedies: [
      { say: "Use `default` in the request's path: `GET /api/v1beta/registry/default/servers`." },
      { say: "See which registry is in use:", command: "thv config get-registry-url" },
    ],
    guide: ["guides-cli/api-server", "Use the API server"],
  },
  REGISTRY_SERVER_NOT_FOUND: {
    short: "not in the registry",
    what: "The current registry has no server with this name.",
    why: [
      "The name is misspelled. Names are lowercase.",
      "The server is in the built-in registry, but you use another registry.",
      "The server is not in any registry. You can still run its image or package.",
      "The registry does not have the version behind the `@`. The hint lists those that it has.",
      "The entry of the server cannot be used. The hint, or `thv registry list --skipped`, says why.",
    ],
    remedies: [
      { say: "Search in names, descriptions and tags:", command: "thv search github" },
      { say: "Go back to the built-in registry:", command: "thv config unset-registry-url" },
      { say: "Or run it without a registry:", command: "thv run mcp/everything:latest" },
    ],
    guide: REGISTRY,
  },
  REGISTRY_UNAVAILABLE: {
    short: "the registry cannot be read",
    what: "The registry at the configured URL or path cannot be read, and there is no cached copy.",
    why: [
      "The URL or the path is misspelled.",
      "The server is down, or a firewall blocks the connection.",
      "The address is private, and you must allow it.",
    ],
    remedies: [
      { say: "Check the URL:", command: "thv config get-registry-url" },
      {
        say: "If the registry is your own, allow a private address:",
        command: "thv config set-registry-url --allow-private-ip https://registry.example.com/servers.json",
      },
      { say: "Or go back to the built-in registry:", command: "thv config unset-registry-url" },
    ],
    guide: REGISTRY,
  },
  REGISTRY_INVALID: {
    short: "the registry is not valid",
    what: "The file at the URL or path is not a valid registry, or none of its entries can be used. The message lists every problem and its location.",
    why: [
      "A required field is missing or has the wrong type.",
      "The URL leads to a web page instead of the file.",
      "Every entry is a package of a kind that does not run in a container. When only some are, they are left out, and the registry is used.",
    ],
    remedies: [
      { say: "Correct the problems in the message. The registry guide describes the formats." },
      { say: "Or go back to the built-in registry:", command: "thv config unset-registry-url" },
    ],
    guide: REGISTRY,
  },
  CONFIG_INVALID: {
    short: "config.yaml is not valid",
    what: "`thv` did not understand the settings file: it is not YAML, or a setting has a wrong value. The message lists every problem and its location, and the file was not changed.",
    why: [
      "It was edited by hand, and a value has the wrong type or the indentation is wrong.",
      "A variable such as `TOOLHIVE_SIDECAR_HOSTS` has an invalid value.",
    ],
    remedies: [
      { say: "Correct the file. Its path is in the message, and in the output of:", command: "thv help files" },
      { say: "Compare it with the list of settings, which has the type and the default of each setting." },
    ],
    guide: ["reference/configuration", "Configuration reference"],
  },
  CONFIG_LOCKED: {
    short: "the settings file is locked",
    what: "Another process is changing the settings file and did not finish in time. Nothing was changed.",
    why: [
      "Two commands that change settings run at the same time.",
      "One of them is suspended, for example with `Ctrl`+`Z`.",
    ],
    remedies: [
      { say: "Try again:", command: "thv config get-registry-url" },
      { say: "If this continues, look for a suspended `thv` process, and resume or end it." },
    ],
    guide: ["reference/configuration", "Configuration reference"],
  },
} as const satisfies ErrorEntries;
