/**
 * The operations on registries: the one called `default`, which is always there, and further sources. Source: api-behaviour 2.4. The
 * catalogue is all of them together.
 */
import * as Type from "typebox";
import { operation } from "./parts/operation.ts";
import {
  CatalogEntrySchema,
  CatalogIconSchema,
  CatalogSchema,
  ChooseRegistrySchema,
  RegistryAnswerSchema,
  RegistryInfoSchema,
  RegistryListSchema,
  ServerAnswerSchema,
  ServerListSchema,
} from "./parts/registry-entities.ts";

const JSON_TYPE = "application/json";
const NAME_PARAM = {
  name: Type.String({ minLength: 1, description: "Name of the registry: `default`, or another source." }),
};
const NO_REGISTRY = "Registry not found";

/** What may be wrong with a registry that is somewhere else, each with the operation's own text. */
function loadErrors(text: string) {
  return { REGISTRY_UNAVAILABLE: text, REGISTRY_INVALID: text, CONFIG_INVALID: text } as const;
}

export const REGISTRY_OPERATIONS = {
  listRegistries: operation({
    tag: "registry",
    summary: "List registries",
    description:
      "Returns the default registry first, then the other sources in the order in which names are looked up. A source that cannot be read has a `problem`.",
    success: { status: 200, description: "The registries.", contentType: JSON_TYPE, schema: RegistryListSchema },
    errors: loadErrors("Failed to get registry"),
  }),
  addRegistry: operation({
    tag: "registry",
    summary: "Add a registry",
    description:
      "Not possible; the operation exists for compatibility. The body is ignored. To add a registry, use `PUT /registry/{name}`.",
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
    summary: "Use another registry, or add one",
    description:
      "Sets the source of the registry: a file, the URL of a file, or the URL of a registry API. ToolHive reads the new source first; if that fails, nothing changes. For `default`, with none of the three, ToolHive uses the built-in registry again. Any other name adds or changes another source.",
    params: NAME_PARAM,
    body: ChooseRegistrySchema,
    success: { status: 200, description: "The registry.", contentType: JSON_TYPE, schema: RegistryInfoSchema },
    errors: {
      INVALID_ARGUMENT: "Invalid registry source",
      CONFIG_LOCKED: "Failed to update registry",
      ...loadErrors("Failed to update registry"),
    },
  }),
  deleteRegistry: operation({
    tag: "registry",
    summary: "Remove a registry",
    description: "Removes a source. The default registry cannot be removed.",
    params: NAME_PARAM,
    success: { status: 204, description: "The source is removed." },
    errors: {
      INVALID_ARGUMENT: "Cannot remove the default registry",
      REGISTRY_NOT_FOUND: NO_REGISTRY,
      CONFIG_LOCKED: "Failed to update registry",
      CONFIG_INVALID: "Failed to update registry",
    },
  }),
  refreshRegistry: operation({
    tag: "registry",
    summary: "Refresh a registry",
    description:
      "Reads a registry from its source immediately instead of within the hour. While the source cannot be reached, ToolHive keeps its copy, and `stale_reason` gives the reason.",
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
  listCatalog: operation({
    tag: "registry",
    summary: "List the servers of all registries",
    description:
      "Returns the servers of the default registry and of all other sources, each with the name that creates a workload from it. If a source cannot be read, the response contains the others, and `sources` has the problem.",
    query: {
      search: Type.Optional(
        Type.String({
          maxLength: 400,
          description: "Words to search for: a part of a name, or a task such as `read a database`.",
        }),
      ),
      source: Type.Optional(Type.String({ description: "Returns only the servers of this source." })),
    },
    success: { status: 200, description: "The servers.", contentType: JSON_TYPE, schema: CatalogSchema },
    errors: { CONFIG_INVALID: "Failed to list servers" },
  }),
  getCatalogIcon: operation({
    tag: "registry",
    summary: "Get the icon of a server of a registry",
    description:
      "Returns the image that the entry names, in base64. ToolHive fetches it over https, keeps it for a week, and answers only with PNG, JPEG and WebP images of at most 128 KiB and 1024 pixels on a side.",
    params: { reference: Type.String({ minLength: 1, description: "Name, as for the creation of a workload." }) },
    success: { status: 200, description: "The image.", contentType: JSON_TYPE, schema: CatalogIconSchema },
    errors: {
      INVALID_ARGUMENT: "Server name is ambiguous",
      REGISTRY_SERVER_NOT_FOUND: "Icon not found",
      ...loadErrors("Failed to get icon"),
    },
  }),
  getCatalogEntry: operation({
    tag: "registry",
    summary: "Get the server that a name means",
    description:
      "Returns the entry from which a workload with this `image` would be created. A plain name is looked up in each source in order; `source/name` chooses the source.",
    params: {
      reference: Type.String({
        minLength: 1,
        description: "Name, as for the creation of a workload, with slashes written as `%2F`.",
      }),
    },
    success: { status: 200, description: "The server.", contentType: JSON_TYPE, schema: CatalogEntrySchema },
    errors: {
      INVALID_ARGUMENT: "Server name is ambiguous",
      REGISTRY_SERVER_NOT_FOUND: "Server not found",
      ...loadErrors("Failed to get server"),
    },
  }),
};
