/** The registry on the wire: entities in the order of api-behaviour 3.2, made from the schemas that check registry files. */
import {
  DEFAULT_SOURCE,
  describePublisher,
  describeReach,
  EnvVarSchema,
  HeaderSchema,
  isRemoteServer,
  type JoinedEntry,
  listEntries,
  MetadataSchema,
  NeededArgumentSchema,
  OAuthHintsSchema,
  type PermissionProfile,
  PermissionProfileSchema,
  ProvenanceSchema,
  type Registry,
  type RegistryEntry,
  type RegistryGroup,
  type RegistryRemoteServer,
  RegistryRemoteServerSchema,
  type RegistryServer,
  RegistryServerSchema,
  type SourceState,
} from "@toolhive/core";
import { resolveProfile } from "@toolhive/core/permissions";
import * as Type from "typebox";

const {
  image,
  title,
  version,
  description,
  tier,
  status,
  transport,
  target_port,
  tools,
  args,
  repository_url,
  tags,
  docker_tags,
} = RegistryServerSchema.properties;

export const ServerSchema = Type.Object(
  {
    name: Type.String({ description: "Name to create a workload with." }),
    image,
    description,
    tier,
    status,
    transport,
    target_port,
    permissions: Type.Optional(PermissionProfileSchema),
    reach: Type.Optional(
      Type.String({
        description:
          "A sentence that describes what the server may reach if its network is limited to the entry's hosts and ports; absent if the entry has no `permissions`.",
        examples: ["Only api.github.com, on port 443."],
      }),
    ),
    tools,
    env_vars: Type.Array(EnvVarSchema, { description: "Environment variables it reads." }),
    args: Type.Array(args.items, { description: "Arguments of the server, before those of the caller." }),
    needed_args: Type.Optional(
      Type.Array(NeededArgumentSchema, { description: "Arguments that the caller must provide, in order." }),
    ),
    metadata: Type.Optional(MetadataSchema),
    repository_url,
    tags,
    docker_tags,
    provenance: Type.Optional(ProvenanceSchema),
    title,
    version,
  },
  { $id: "Server", description: "Entry of a server in the registry." },
);
export type ServerBody = Type.Static<typeof ServerSchema>;

export const RemoteServerSchema = Type.Object(
  {
    name: ServerSchema.properties.name,
    url: RegistryRemoteServerSchema.properties.url,
    description,
    tier,
    status,
    transport: RegistryRemoteServerSchema.properties.transport,
    tools,
    headers: Type.Array(HeaderSchema, { description: "Headers that the server reads." }),
    oauth_config: Type.Optional(OAuthHintsSchema),
    env_vars: Type.Array(EnvVarSchema, { description: "Variables of clients; ToolHive does not use them." }),
    metadata: Type.Optional(MetadataSchema),
    repository_url,
    tags,
    title,
    version,
  },
  { $id: "RemoteServer", description: "Entry of a remote server in the registry." },
);
export type RemoteServerBody = Type.Static<typeof RemoteServerSchema>;

const SkippedSchema = Type.Object(
  {
    name: Type.String({ description: "Name of the entry, if it has one." }),
    reason: Type.String({ description: "Why it cannot be used." }),
  },
  { $id: "SkippedEntry", description: "An entry that is left out; the others are not." },
);

const RegistryInfoMembers = {
  name: Type.String({ description: "`default`, or the name of another source." }),
  version: Type.String({ description: "Version of the list; empty for a source that cannot be read." }),
  last_updated: Type.String({
    format: "date-time",
    description: "Time of the last change of the list; the beginning of 1970 if it has no date.",
  }),
  server_count: Type.Integer({ minimum: 0, description: "Number of servers, including remote ones." }),
  skipped_count: Type.Optional(
    Type.Integer({ minimum: 1, description: "Number of entries that cannot be used; absent if there are none." }),
  ),
  source: Type.String({ description: "Source of the registry: `embedded`, a URL or a path." }),
  problem: Type.Optional(
    Type.String({
      description: "Reason why a source cannot be read; the others are not affected. Absent if it can be read.",
    }),
  ),
  stale_reason: Type.Optional(
    Type.String({ description: "Reason why ToolHive uses an earlier copy; absent while the registry can be reached." }),
  ),
  checked_at: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Time at which its source last confirmed it; absent for a registry on this machine.",
    }),
  ),
  type: Type.Enum(["default", "file", "url"], {
    description:
      "Origin of the registry: `default` comes with the tool, `file` is a file, and `url` is read from a URL.",
  }),
  auth_status: Type.Literal("none", {
    description: "Registries require no sign-in. This field and `auth_type` exist for clients of the reference.",
  }),
  auth_type: Type.Literal(""),
};

export const RegistryInfoSchema = Type.Object(RegistryInfoMembers, { $id: "RegistryInfo" });
export type RegistryInfoBody = Type.Static<typeof RegistryInfoSchema>;

/** As clients of the reference send it: one of the three addresses, or none for the registry of the program itself. */
export const ChooseRegistrySchema = Type.Object(
  {
    url: Type.Optional(Type.String({ maxLength: 2048, description: "URL of a registry's file, with https." })),
    api_url: Type.Optional(
      Type.String({ maxLength: 2048, description: "URL of a registry's API; ToolHive reads its `/v0.1/servers`." }),
    ),
    local_path: Type.Optional(Type.String({ maxLength: 4096, description: "Absolute path of a registry's file." })),
    allow_private_ip: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether to allow an address of this machine or of a private network.",
      }),
    ),
    auth: Type.Optional(Type.Unknown({ description: "Refused if it names an issuer: registries require no sign-in." })),
  },
  { $id: "UpdateRegistryRequest", additionalProperties: false },
);

export const RegistryListSchema = Type.Object(
  { registries: Type.Array(RegistryInfoSchema) },
  { $id: "RegistryListResponse" },
);

export const RegistryAnswerSchema = Type.Object(
  {
    ...RegistryInfoMembers,
    registry: Type.Object(
      {
        version: RegistryInfoMembers.version,
        last_updated: RegistryInfoMembers.last_updated,
        servers: Type.Unsafe<Record<string, ServerBody>>({
          type: "object",
          description: "The servers by name.",
          additionalProperties: ServerSchema,
        }),
        remote_servers: Type.Unsafe<Record<string, RemoteServerBody>>({
          type: "object",
          description: "Remote servers by name.",
          additionalProperties: RemoteServerSchema,
        }),
        groups: Type.Array(
          Type.Object(
            {
              name: Type.String({ description: "Name of the group." }),
              description: Type.String({ description: "Purpose of the servers in the group." }),
              servers: Type.Array(ServerSchema, { description: "Sorted by name." }),
              remote_servers: Type.Array(RemoteServerSchema, { description: "Sorted by name." }),
            },
            { $id: "RegistryGroup", description: "Groups of servers that are used together." },
          ),
          { description: "Groups of servers that are used together." },
        ),
      },
      { $id: "Registry", description: "The whole list." },
    ),
    skipped: Type.Array(SkippedSchema, { description: "Entries that cannot be used, the first 100." }),
  },
  { $id: "GetRegistryResponse" },
);

export const ServerListSchema = Type.Object(
  {
    servers: Type.Array(ServerSchema, { description: "Sorted by name." }),
    remote_servers: Type.Array(RemoteServerSchema, { description: "Remote servers, sorted by name." }),
  },
  { $id: "ListServersResponse" },
);

export const ServerAnswerSchema = Type.Object(
  {
    server: Type.Optional(ServerSchema),
    remote_server: Type.Optional(RemoteServerSchema),
    is_remote: Type.Optional(
      Type.Boolean({ description: "`true` if the response has `remote_server` instead of `server`." }),
    ),
  },
  { $id: "GetServerResponse" },
);

export const CatalogEntrySchema = Type.Object(
  {
    reference: Type.String({
      description:
        "Name for the creation of a workload: the plain name, or `source/name` if an earlier source has an entry of that name.",
    }),
    source: Type.String({ description: "Name of the source: `default`, or the name of another one." }),
    also_in: Type.Optional(
      Type.Array(Type.String(), {
        description: "Other sources that have a server of this name; absent if there are none.",
      }),
    ),
    publisher: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: "An account of a code host, such as `github.com/owner`, or a domain." }),
          basis: Type.Enum(["signature", "namespace", "repository"], {
            description:
              "Evidence for the publisher. `signature`: the publisher signs the image, and ToolHive verifies the signature at each start. `namespace`: the name of the server begins with the publisher's, which the official registry checks. `repository`: the entry names a repository of the publisher.",
          }),
        },
        { description: "Publisher of the server; absent if the entry does not name one." },
      ),
    ),
    has_icon: Type.Boolean({ description: "Whether the entry has an icon: `GET /catalog/{reference}/icon`." }),
    server: Type.Optional(ServerSchema),
    remote_server: Type.Optional(RemoteServerSchema),
  },
  { $id: "CatalogEntry", description: "A server of one source; either `server` or `remote_server` is there." },
);
export type CatalogEntryBody = Type.Static<typeof CatalogEntrySchema>;

export const CatalogIconSchema = Type.Object(
  {
    media_type: Type.Enum(["image/png", "image/jpeg", "image/webp"]),
    data: Type.String({ description: "The image, in base64." }),
  },
  { $id: "CatalogIcon" },
);

export const CatalogSchema = Type.Object(
  {
    entries: Type.Array(CatalogEntrySchema, {
      description: "Sorted by name and source; with `search`, the best matches first.",
    }),
    groups: Type.Array(
      Type.Object({
        name: Type.String({ description: "Name of the group." }),
        description: Type.String({ description: "Purpose of the group." }),
        source: Type.String({ description: "Name of its source." }),
        references: Type.Array(Type.String(), { description: "Name of each server for the creation of a workload." }),
      }),
      { description: "Groups of servers that are used together." },
    ),
    sources: Type.Array(RegistryInfoSchema, { description: "All sources, in the order in which names are looked up." }),
  },
  { $id: "Catalog" },
);

const bodies = new WeakMap<Registry, ServerBody[]>();

/** Sorted by name. Made once a registry: it does not change while it is used. */
export function serverBodies(registry: Registry): readonly ServerBody[] {
  let made = bodies.get(registry);
  if (!made) {
    made = registry.servers.map(serverBody);
    bodies.set(registry, made);
  }
  return made;
}

/** All servers, wherever they run, by name. */
export function entryBodies(registry: Registry): (ServerBody | RemoteServerBody)[] {
  return listEntries(registry).map(entryBody);
}

export function catalogEntryBody({ entry, source, reference, alsoIn }: JoinedEntry): CatalogEntryBody {
  const publisher = describePublisher(entry);
  return {
    reference,
    source,
    ...(alsoIn.length > 0 && { also_in: [...alsoIn] }),
    ...(publisher && { publisher }),
    has_icon: entry.icon !== undefined,
    ...(isRemoteServer(entry) ? { remote_server: remoteServerBody(entry) } : { server: serverBody(entry) }),
  };
}

/** The groups of all sources; a server of one is named with its source, unless that is the default one. */
export function catalogGroupBodies(states: readonly SourceState[]) {
  return states.flatMap(({ name: source, loaded }) =>
    (loaded?.registry.groups ?? []).map((group) => ({
      name: group.name,
      description: group.description,
      source,
      references: listEntries(group).map(({ name }) => (source === DEFAULT_SOURCE ? name : `${source}/${name}`)),
    })),
  );
}

export function entryBody(entry: RegistryEntry): ServerBody | RemoteServerBody {
  return isRemoteServer(entry) ? remoteServerBody(entry) : serverBody(entry);
}

export function groupBody({ name, description, servers, remoteServers }: RegistryGroup) {
  return { name, description, servers: servers.map(serverBody), remote_servers: remoteServers.map(remoteServerBody) };
}

export function remoteServerBody(server: RegistryRemoteServer): RemoteServerBody {
  const { metadata } = server;
  return {
    name: server.name,
    url: server.url,
    description: server.description,
    tier: server.tier,
    status: server.status,
    transport: server.transport,
    tools: server.tools,
    headers: server.headers ?? [],
    ...(server.oauth_config && { oauth_config: server.oauth_config }),
    env_vars: server.env_vars ?? [],
    ...(metadata && { metadata: { ...metadata, stars: metadata.stars ?? 0, pulls: metadata.pulls ?? 0 } }),
    ...(server.repository_url !== undefined && { repository_url: server.repository_url }),
    ...(server.tags && { tags: server.tags }),
    ...presentationBody(server),
  };
}

function presentationBody({ title, version }: RegistryEntry) {
  return { ...(title !== undefined && { title }), ...(version !== undefined && { version }) };
}

export function serverBody(server: RegistryServer): ServerBody {
  const { permissions, metadata, provenance } = server;
  return {
    name: server.name,
    image: server.image,
    description: server.description,
    tier: server.tier,
    status: server.status,
    transport: server.transport,
    ...(server.target_port !== undefined && { target_port: server.target_port }),
    ...(permissions && {
      permissions: permissionsBody(permissions),
      reach: describeReach({
        isolate_network: true,
        permission_profile: resolveProfile(permissions),
        transport: "stdio",
      }),
    }),
    tools: server.tools,
    env_vars: server.env_vars ?? [],
    args: server.args ?? [],
    ...(server.needed_args && { needed_args: server.needed_args }),
    ...(metadata && { metadata: { ...metadata, stars: metadata.stars ?? 0, pulls: metadata.pulls ?? 0 } }),
    ...(server.repository_url !== undefined && { repository_url: server.repository_url }),
    ...(server.tags && { tags: server.tags }),
    ...(server.docker_tags && { docker_tags: server.docker_tags }),
    ...(provenance && { provenance }),
    ...presentationBody(server),
  };
}

/** Empty members are omitted, as existing clients expect: a profile that allows nothing has an empty `outbound`. */
function permissionsBody({ name, read = [], write = [], network }: PermissionProfile): PermissionProfile {
  const { insecure_allow_all, allow_host = [], allow_port = [] } = network?.outbound ?? {};
  const outbound = {
    ...(insecure_allow_all && { insecure_allow_all }),
    ...(allow_host.length > 0 && { allow_host }),
    ...(allow_port.length > 0 && { allow_port }),
  };
  return {
    ...(name && { name }),
    ...(read.length > 0 && { read }),
    ...(write.length > 0 && { write }),
    ...(network && { network: network.outbound ? { outbound } : {} }),
  };
}
