/** The operations on the registry. There is one, called `default`; which one it is, the settings say. Source: api-behaviour 2.4. */
import { Type } from "typebox";
import { operation } from "./parts/operation.ts";
import {
  ChooseRegistrySchema,
  RegistryAnswerSchema,
  RegistryInfoSchema,
  RegistryListSchema,
  ServerAnswerSchema,
  ServerListSchema,
} from "./parts/registry-entities.ts";

const JSON_TYPE = "application/json";
const NAME_PARAM = { name: Type.String({ minLength: 1, description: "Name of the registry: `default`." }) };
const NO_REGISTRY = "Registry not found";

/** What may be wrong with a registry that is somewhere else, each with the operation's own text. */
function loadErrors(text: string) {
  return { REGISTRY_UNAVAILABLE: text, REGISTRY_INVALID: text, CONFIG_INVALID: text } as const;
}

export const REGISTRY_OPERATIONS = {
  listRegistries: operation({
    tag: "registry",
    summary: "List registries",
    description: "There is always exactly one.",
    success: { status: 200, description: "The registry.", contentType: JSON_TYPE, schema: RegistryListSchema },
    errors: loadErrors("Failed to get registry"),
  }),
  addRegistry: operation({
    tag: "registry",
    summary: "Add a registry",
    description: "Not possible; the operation exists for compatibility. The body is ignored.",
    success: { status: 204, description: "Never returned." },
    errors: { NOT_SUPPORTED: "Adding custom registries is not currently supported" },
  }),
  getRegistry: operation({
    tag: "registry",
    summary: "Get a registry and its servers",
    params: NAME_PARAM,
    success: { status: 200, description: "The registry.", contentType: JSON_TYPE, schema: RegistryAnswerSchema },
    errors: { REGISTRY_NOT_FOUND: NO_REGISTRY, ...loadErrors("Failed to get registry") },
  }),
  chooseRegistry: operation({
    tag: "registry",
    summary: "Use another registry",
    description:
      "Sets the source of the registry: a file, the URL of a file, or the URL of a registry API. ToolHive reads the new source first; if that fails, nothing changes. With none of the three, ToolHive uses the built-in registry again.",
    params: NAME_PARAM,
    body: ChooseRegistrySchema,
    success: { status: 200, description: "The registry.", contentType: JSON_TYPE, schema: RegistryInfoSchema },
    errors: {
      INVALID_ARGUMENT: "Invalid registry source",
      REGISTRY_NOT_FOUND: NO_REGISTRY,
      CONFIG_LOCKED: "Failed to update registry",
      ...loadErrors("Failed to update registry"),
    },
  }),
  deleteRegistry: operation({
    tag: "registry",
    summary: "Remove a registry",
    description: "The default registry cannot be removed, and there is no other.",
    params: NAME_PARAM,
    success: { status: 204, description: "Never returned." },
    errors: { INVALID_ARGUMENT: "Cannot remove the default registry", REGISTRY_NOT_FOUND: NO_REGISTRY },
  }),
  refreshRegistry: operation({
    tag: "registry",
    summary: "Refresh a registry",
    description:
      "Reads a registry from its source at once instead of within the hour. While the source cannot be reached, ToolHive keeps its copy, and `stale_reason` gives the reason.",
    params: NAME_PARAM,
    success: { status: 200, description: "The registry.", contentType: JSON_TYPE, schema: RegistryInfoSchema },
    errors: { REGISTRY_NOT_FOUND: NO_REGISTRY, ...loadErrors("Failed to refresh registry") },
  }),
  listServers: operation({
    tag: "registry",
    summary: "List the servers of a registry",
    params: NAME_PARAM,
    success: {
      status: 200,
      description: "The servers, sorted by name.",
      contentType: JSON_TYPE,
      schema: ServerListSchema,
    },
    errors: { REGISTRY_NOT_FOUND: NO_REGISTRY, ...loadErrors("Failed to list servers") },
  }),
  getServer: operation({
    tag: "registry",
    summary: "Get a server of a registry",
    params: {
      ...NAME_PARAM,
      serverName: Type.String({
        minLength: 1,
        description:
          "Name of the server, with its slash written as `%2F`; the last part of a long name; `name@version`.",
      }),
    },
    success: { status: 200, description: "The server.", contentType: JSON_TYPE, schema: ServerAnswerSchema },
    errors: {
      INVALID_ARGUMENT: "Server name is ambiguous",
      REGISTRY_NOT_FOUND: NO_REGISTRY,
      REGISTRY_SERVER_NOT_FOUND: "ImageMetadata not found",
      ...loadErrors("Failed to get server"),
    },
  }),
};
