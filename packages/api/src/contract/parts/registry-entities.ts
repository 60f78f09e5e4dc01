/** The registry on the wire: entities in the order of api-behaviour 3.2, made from the schemas that check registry files. */
import {
  EnvVarSchema,
  MetadataSchema,
  type PermissionProfile,
  PermissionProfileSchema,
  ProvenanceSchema,
  type Registry,
  type RegistryServer,
  RegistryServerSchema,
} from "@toolhive/core";
import { type Static, Type } from "typebox";

const { image, description, tier, status, transport, target_port, tools, args, repository_url, tags, docker_tags } =
  RegistryServerSchema.properties;

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
    tools,
    env_vars: Type.Array(EnvVarSchema, { description: "Environment variables it reads." }),
    args: Type.Array(args.items, { description: "Arguments it is started with, before the caller's." }),
    metadata: Type.Optional(MetadataSchema),
    repository_url,
    tags,
    docker_tags,
    provenance: Type.Optional(ProvenanceSchema),
  },
  { $id: "Server", description: "What is known of one server." },
);
export type ServerBody = Static<typeof ServerSchema>;

const RegistryInfoMembers = {
  name: Type.String({ description: "Always `default`." }),
  version: Type.String({ description: "Version of the list." }),
  last_updated: Type.String({ format: "date-time", description: "When the list was last changed." }),
  server_count: Type.Integer({ minimum: 0, description: "How many servers it lists." }),
  source: Type.String({ description: "Where it is from: `embedded`, an address or a path." }),
  stale_reason: Type.Optional(
    Type.String({ description: "Why an earlier copy is used; absent while the registry can be reached." }),
  ),
};

export const RegistryInfoSchema = Type.Object(RegistryInfoMembers, { $id: "RegistryInfo" });
export type RegistryInfoBody = Static<typeof RegistryInfoSchema>;

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
      },
      { $id: "Registry", description: "The whole list." },
    ),
  },
  { $id: "GetRegistryResponse" },
);

export const ServerListSchema = Type.Object(
  { servers: Type.Array(ServerSchema, { description: "Sorted by name." }) },
  { $id: "ListServersResponse" },
);

export const ServerAnswerSchema = Type.Object({ server: ServerSchema }, { $id: "GetServerResponse" });

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

function serverBody(server: RegistryServer): ServerBody {
  const { permissions, metadata, provenance } = server;
  return {
    name: server.name,
    image: server.image,
    description: server.description,
    tier: server.tier,
    status: server.status,
    transport: server.transport,
    ...(server.target_port !== undefined && { target_port: server.target_port }),
    ...(permissions && { permissions: permissionsBody(permissions) }),
    tools: server.tools,
    env_vars: server.env_vars ?? [],
    args: server.args ?? [],
    ...(metadata && { metadata: { ...metadata, stars: metadata.stars ?? 0, pulls: metadata.pulls ?? 0 } }),
    ...(server.repository_url !== undefined && { repository_url: server.repository_url }),
    ...(server.tags && { tags: server.tags }),
    ...(server.docker_tags && { docker_tags: server.docker_tags }),
    ...(provenance && { provenance }),
  };
}

/** What says nothing is left out, as existing clients know it: a profile that allows nothing has an empty `outbound`. */
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
