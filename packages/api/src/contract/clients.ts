/** The operations on MCP clients. Source: api-behaviour 2.3. */
import { CLIENTS } from "@toolhive/core";
import * as Type from "typebox";
import { DOCUMENTED } from "./parts/documented.ts";
import { operation } from "./parts/operation.ts";

const JSON_TYPE = "application/json";
const BAD_BODY = "Invalid request body";

const ClientName = Type.String({
  minLength: 1,
  description: `Name of the client: ${CLIENTS.map(({ id }) => id).join(", ")}.`,
  examples: ["vscode"],
  ...DOCUMENTED.client,
});

const ClientSchema = Type.Object(
  {
    name: ClientName,
    groups: Type.Array(Type.String(), {
      description: "Groups whose servers the client gets; `default` when it was registered without a group.",
      examples: [["work"]],
    }),
  },
  { $id: "Client" },
);
const ClientListSchema = Type.Array(ClientSchema);

const GROUPS_MEMBER = {
  groups: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: 100,
      description: "Groups whose servers the client gets; `default` when absent.",
      examples: [["work"]],
    }),
  ),
};
const RegisterClientSchema = Type.Object({ name: ClientName, ...GROUPS_MEMBER }, { $id: "CreateClientRequest" });

const ClientNamesSchema = Type.Object(
  { names: Type.Array(ClientName, { minItems: 1, description: "Names of the clients." }), ...GROUPS_MEMBER },
  { $id: "BulkClientRequest" },
);

const DiscoveredClientsSchema = Type.Object(
  {
    clients: Type.Array(
      Type.Object(
        {
          client_type: Type.Enum(CLIENTS.map(({ id }) => id)),
          title: Type.String({ description: "Display name of the client.", examples: ["Claude Code"] }),
          installed: Type.Boolean({ description: "Whether the client's settings are on this machine." }),
          registered: Type.Boolean({
            description: "Whether ToolHive updates the client's settings when workloads change.",
          }),
          failure: Type.Optional(
            Type.String({ description: "Reason, with the path, why the last update of the client's settings failed." }),
          ),
        },
        { $id: "ClientStatus" },
      ),
    ),
  },
  { $id: "ClientStatusList" },
);

export const FileChangeSchema = Type.Object(
  {
    client: Type.String(),
    path: Type.String(),
    before: Type.Optional(Type.String({ description: "Current text; absent if there is no file." })),
    after: Type.Optional(Type.String({ description: "Text after the change; absent if the file would be removed." })),
  },
  { $id: "FileChange", description: "Change of a client's file. The user's own text is shown as `…`." },
);

const PlanClientsSchema = Type.Object(
  {
    register: Type.Array(Type.String(DOCUMENTED.client), { description: "Names of clients to register." }),
    unregister: Type.Array(Type.String(DOCUMENTED.client), { description: "Names of clients to unregister." }),
    group: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          "Group that the clients would join or leave. Default: a registered client keeps its groups, another client joins `default`, and an unregistered client leaves all groups.",
        examples: ["work"],
      }),
    ),
  },
  { $id: "PlanClientsRequest" },
);
const ClientPlanSchema = Type.Object({ files: Type.Array(FileChangeSchema) }, { $id: "ClientPlan" });

const UndoClientSchema = Type.Object(
  { apply: Type.Boolean({ description: "`false` previews the change without making it." }) },
  { $id: "UndoClientRequest" },
);
const UndoneClientSchema = Type.Object(
  {
    file: Type.Optional(FileChangeSchema),
    only_ours: Type.Optional(Type.Boolean({ description: "Whether no other program has changed the file since." })),
    kept_at: Type.Optional(Type.String({ description: "Path of the copy of the previous text." })),
  },
  { $id: "UndoneClient", description: "Without `file` there is nothing to undo." },
);

const NO_GROUP = "Group not found";

function errors(text: string) {
  return {
    // Programs search messages for these words.
    CLIENT_UNKNOWN: `${text}: unsupported client type:`,
    CLIENT_FILE_INVALID: text,
    CLIENT_FILE_FAILED: text,
    CONFIG_INVALID: text,
    CONFIG_LOCKED: text,
  } as const;
}

function settingsErrors(text: string) {
  return { CONFIG_INVALID: text, CONFIG_LOCKED: text } as const;
}

export const CLIENTS_OPERATIONS = {
  listClients: operation({
    tag: "clients",
    summary: "List registered clients",
    success: {
      status: 200,
      description: "The clients, in the order of their registration.",
      contentType: JSON_TYPE,
      schema: ClientListSchema,
    },
    errors: { CONFIG_INVALID: "Failed to list clients" },
  }),
  registerClient: operation({
    tag: "clients",
    summary: "Register a client",
    description:
      "Adds the running workloads to the client's settings, and updates the settings as workloads come and go. A client that is not installed gets the workloads once it is installed. Registering twice is not an error.",
    body: RegisterClientSchema,
    decodeError: BAD_BODY,
    success: { status: 200, description: "The client is registered.", contentType: JSON_TYPE, schema: ClientSchema },
    errors: { ...errors("Failed to register client"), GROUP_NOT_FOUND: NO_GROUP },
  }),
  unregisterClient: operation({
    tag: "clients",
    summary: "Unregister a client",
    description: "Removes the workloads from the client's settings. A client that is not registered is not an error.",
    params: { name: Type.String({ minLength: 1, description: "Name of the client." }) },
    success: { status: 204, description: "The client is not registered." },
    errors: settingsErrors("Failed to unregister client"),
  }),
  registerClients: operation({
    tag: "clients",
    summary: "Register several clients",
    description: "Registers either all of the clients or none.",
    body: ClientNamesSchema,
    decodeError: BAD_BODY,
    missingError: "At least one client name is required",
    success: {
      status: 200,
      description: "The clients, in the order of the request.",
      contentType: JSON_TYPE,
      schema: ClientListSchema,
    },
    errors: { ...errors("Failed to register clients"), GROUP_NOT_FOUND: NO_GROUP },
  }),
  unregisterClients: operation({
    tag: "clients",
    summary: "Unregister several clients",
    body: ClientNamesSchema,
    decodeError: BAD_BODY,
    missingError: "At least one client name is required",
    success: { status: 204, description: "None of the clients is registered." },
    errors: settingsErrors("Failed to unregister clients"),
  }),
  planClients: operation({
    tag: "clients",
    summary: "Preview changes to clients",
    description:
      "Returns the files that registering and unregistering clients would change, and writes nothing. A client that is not installed has no file. Keys, and the URLs that ToolHive writes, are shown; every other value in a file is shown as `…`, because it may be a token.",
    body: PlanClientsSchema,
    decodeError: BAD_BODY,
    success: { status: 200, description: "The changes.", contentType: JSON_TYPE, schema: ClientPlanSchema },
    errors: { ...errors("Failed to plan clients"), GROUP_NOT_FOUND: NO_GROUP },
  }),
  undoClient: operation({
    tag: "clients",
    summary: "Restore a client's file",
    description:
      "Restores the file as it was before ToolHive changed it, keeps a copy of the current file, and unregisters the client.",
    params: { name: Type.String({ minLength: 1, description: "Name of the client." }) },
    body: UndoClientSchema,
    decodeError: BAD_BODY,
    success: {
      status: 200,
      description: "The change that is undone.",
      contentType: JSON_TYPE,
      schema: UndoneClientSchema,
    },
    errors: errors("Failed to undo client"),
  }),
  discoverClients: operation({
    tag: "discovery",
    summary: "Find MCP clients on this machine",
    success: {
      status: 200,
      description: "Every supported client, always in the same order.",
      contentType: JSON_TYPE,
      schema: DiscoveredClientsSchema,
    },
    errors: { CONFIG_INVALID: "Failed to get client status" },
  }),
};
