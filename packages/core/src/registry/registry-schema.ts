/**
 * The registry file: lists servers, with the data about each. Types, validation, the published JSON schema and the API's entities
 * come from these schemas. Rules: api-behaviour 9.1.
 */
import * as Type from "typebox";
import { describePattern } from "../schemas/pattern-words.ts";

export const REGISTRY_TIERS = ["Official", "Community"] as const;
export const REGISTRY_STATUSES = ["Active", "Deprecated"] as const;
/** The registry's transports; `inspector` is not something that a server speaks. */
export const REGISTRY_TRANSPORTS = ["stdio", "sse", "streamable-http"] as const;
/** How a server that is somewhere else talks. */
export const REMOTE_TRANSPORTS = ["streamable-http", "sse"] as const;

/** Key of a server, and the name a workload made from it gets. */
export const SERVER_NAME_PATTERN = describePattern(
  "^[a-z0-9][a-z0-9-]+[a-z0-9]$",
  "at least three small letters, digits and hyphens, with no hyphen at either end",
);
/** Characters of what an entry says about its server. */
export const DESCRIPTION_LENGTH = { min: 10, max: 500 };

const ENVIRONMENT_NAME_PATTERN = describePattern(
  "^[A-Za-z_][A-Za-z0-9_]*$",
  "letters, digits and underscores, with no digit at the beginning",
);
const TOOL_PATTERN = describePattern("^[A-Za-z0-9_-]+$", "letters, digits, hyphens and underscores");
const TAG_PATTERN = describePattern("^[a-z0-9_-]{2,}$", "at least two small letters, digits, hyphens and underscores");
const GROUP_NAME_PATTERN = describePattern(
  "^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$",
  "small letters, digits and hyphens, with no hyphen at either end",
);
/** RFC 9110, without the characters that no header of a service has. */
const HEADER_NAME_PATTERN = describePattern("^[A-Za-z0-9][A-Za-z0-9_-]*$", "letters, digits, hyphens and underscores");
const REMOTE_ADDRESS_PATTERN = describePattern(
  "^https?://[^\\s{}]+$",
  "an address that begins with https:// or http://, without braces",
);
const VERSION_PATTERN = describePattern(
  "^\\d+\\.\\d+\\.\\d+$",
  "three numbers with dots between them, for example 1.0.0",
);
/** A host name or an IPv4 address; a domain with everything below it (`.domain`), or only what is below it (`*.domain`). */
const HOST_PATTERN = describePattern(
  "^(?:\\*?\\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$",
  "a host without scheme, port and path: api.example.com, .example.com, *.example.com or 192.0.2.1",
);

const Port = Type.Integer({ minimum: 1, maximum: 65535 });
const Count = Type.Integer({ minimum: 0 });

/** A map from names that match the pattern; JSON Schema's `Record`, written so that both draft-07 and OpenAPI take it. */
function createNamedMap<T extends Type.TSchema>(pattern: string, schema: T, description: string) {
  return Type.Unsafe<Record<string, Type.Static<T>>>({
    type: "object",
    description,
    propertyNames: { pattern },
    additionalProperties: schema,
  });
}

export const EnvVarSchema = Type.Object(
  {
    name: Type.String({ pattern: ENVIRONMENT_NAME_PATTERN, description: "Name of the environment variable." }),
    description: Type.String({ minLength: 5, maxLength: 200, description: "What the server uses it for." }),
    required: Type.Boolean({ description: "Whether the server cannot start without it." }),
    default: Type.Optional(Type.String({ description: "Value of the variable if the caller sets none." })),
    secret: Type.Optional(Type.Boolean({ description: "Whether the value is a secret." })),
    choices: Type.Optional(
      Type.Array(Type.String(), { minItems: 1, uniqueItems: true, description: "Allowed values." }),
    ),
  },
  { $id: "EnvVar", additionalProperties: false, description: "An environment variable that the server reads." },
);

export const MetadataSchema = Type.Object(
  {
    stars: Type.Optional({ ...Count, description: "Stars of the repository." }),
    pulls: Type.Optional({ ...Count, description: "Pulls of the image." }),
    last_updated: Type.Optional(
      Type.String({ format: "date-time", description: "Time at which these numbers were read." }),
    ),
  },
  { $id: "Metadata", additionalProperties: false, description: "Popularity of the server." },
);

export const AttestationSchema = Type.Object(
  {
    predicate_type: Type.Optional(Type.String({ format: "uri" })),
    predicate: Type.Optional(Type.Unknown()),
  },
  { $id: "Attestation", additionalProperties: false, description: "The attestation that the image must have." },
);

export const ProvenanceSchema = Type.Object(
  {
    sigstore_url: Type.Optional(
      Type.String({ format: "hostname", description: "Host of the trust root for the signature." }),
    ),
    repository_uri: Type.Optional(Type.String({ format: "uri", description: "Repository the image is built from." })),
    repository_ref: Type.Optional(Type.String({ description: "Git reference the image is built from." })),
    signer_identity: Type.Optional(Type.String({ description: "Workflow that signs the image." })),
    runner_environment: Type.Optional(Type.String({ description: "Runner environment of the workflow." })),
    cert_issuer: Type.Optional(Type.String({ format: "uri", description: "Issuer of the signing certificate." })),
    attestation: Type.Optional(AttestationSchema),
  },
  { $id: "Provenance", additionalProperties: false, description: "How the image's origin can be verified." },
);

export const OutboundNetworkSchema = Type.Object(
  {
    insecure_allow_all: Type.Optional(Type.Boolean({ description: "Whether every host and port may be reached." })),
    allow_host: Type.Optional(
      Type.Array(Type.String({ pattern: HOST_PATTERN, maxLength: 253 }), {
        description:
          "Hosts that the server may reach, at all ports unless `allow_port` lists some: a host name, `.domain` for a domain with all its subdomains, `*.domain` for the subdomains only, or an IPv4 address.",
      }),
    ),
    allow_port: Type.Optional(
      Type.Array(Port, {
        description: "Ports that the server may reach, at all hosts unless `allow_host` lists some.",
      }),
    ),
  },
  { $id: "OutboundNetwork", additionalProperties: false, description: "What the server may reach." },
);

export const PermissionProfileSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: "Name of the profile." })),
    read: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description: "Mounts that the server may read." })),
    write: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: "Mounts that the server may read and change." }),
    ),
    network: Type.Optional(
      Type.Object(
        { outbound: Type.Optional(OutboundNetworkSchema) },
        { $id: "Network", additionalProperties: false, description: "What the server may do on the network." },
      ),
    ),
  },
  {
    $id: "PermissionProfile",
    additionalProperties: false,
    description: "What the server may do outside its container.",
  },
);

const LONG_NAME =
  "The entry's long name, for example `io.github.owner/server`, under which it is found, too. Anything else is ignored: the key is the name.";

/** What only people read of an entry, and other programs that know the format. */
const PRESENTATION_MEMBERS = {
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Display name." })),
  overview: Type.Optional(Type.String({ description: "A longer text on it, in Markdown." })),
  tool_definitions: Type.Optional(
    Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: "Its tools with their schemas." }),
  ),
  custom_metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "What whoever keeps the registry adds." }),
  ),
  icon: Type.Optional(
    Type.String({
      maxLength: 512,
      pattern: describePattern("^https://[^\\s]+$", "an address that begins with https://"),
      description: "Address of its icon: a PNG, JPEG or WebP image of at most 128 KiB and 1024 pixels on a side.",
    }),
  ),
  version: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "Version of the entry, for `name@version`." }),
  ),
};

export const NeededArgumentSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: "Name of the argument, for example `directory`." }),
    description: Type.Optional(Type.String({ maxLength: 500, description: "What the server uses it for." })),
  },
  {
    $id: "NeededArgument",
    additionalProperties: false,
    description: "An argument that the caller must provide.",
  },
);

export const RegistryServerSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: LONG_NAME })),
    ...PRESENTATION_MEMBERS,
    image: Type.String({
      minLength: 1,
      maxLength: 512,
      description: "Image reference, or a package: `npx://name@version`, `uvx://name@version#program`.",
    }),
    base_image: Type.Optional(
      Type.String({ minLength: 1, maxLength: 512, description: "Image that a package's image is built on." }),
    ),
    with: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        maxItems: 50,
        description: "Packages that are installed with a package, such as `mcp<2`.",
      }),
    ),
    description: Type.String({
      minLength: DESCRIPTION_LENGTH.min,
      maxLength: DESCRIPTION_LENGTH.max,
      description: "What the server does.",
    }),
    tier: Type.Enum([...REGISTRY_TIERS], { description: "Whether the maker of the product maintains the server." }),
    status: Type.Enum([...REGISTRY_STATUSES], { description: "Whether the server is still maintained." }),
    transport: Type.Enum([...REGISTRY_TRANSPORTS], { description: "Transport of the server." }),
    target_port: Type.Optional({ ...Port, description: "Port the server listens on inside its container." }),
    proxy_port: Type.Optional({ ...Port, description: "Port that its proxy would have; another is as good." }),
    permissions: Type.Optional(PermissionProfileSchema),
    tools: Type.Array(Type.String({ pattern: TOOL_PATTERN }), {
      uniqueItems: true,
      description: "Names of its tools; empty if they are not known.",
    }),
    env_vars: Type.Optional(Type.Array(EnvVarSchema, { description: "Environment variables it reads." })),
    args: Type.Optional(
      Type.Array(Type.String(), { description: "Arguments of the server, before those of the caller." }),
    ),
    needed_args: Type.Optional(
      Type.Array(NeededArgumentSchema, { description: "Arguments that the caller must provide, in order." }),
    ),
    metadata: Type.Optional(MetadataSchema),
    repository_url: Type.Optional(Type.String({ format: "uri", description: "Repository of its source." })),
    tags: Type.Optional(
      Type.Array(Type.String({ pattern: TAG_PATTERN }), {
        minItems: 1,
        uniqueItems: true,
        description: "Tags for the search.",
      }),
    ),
    docker_tags: Type.Optional(
      Type.Array(Type.String(), { uniqueItems: true, description: "Known tags of the image." }),
    ),
    provenance: Type.Optional(ProvenanceSchema),
  },
  { $id: "RegistryServer", additionalProperties: false, description: "Entry of a server in the registry." },
);

export const HeaderSchema = Type.Object(
  {
    name: Type.String({ pattern: HEADER_NAME_PATTERN, maxLength: 200, description: "Name of the header." }),
    description: Type.String({ minLength: 5, maxLength: 200, description: "What the server uses it for." }),
    required: Type.Boolean({ description: "Whether the server refuses requests without it." }),
    default: Type.Optional(Type.String({ description: "Value of the header if the caller sets none." })),
    secret: Type.Optional(Type.Boolean({ description: "Whether the value is a secret." })),
    choices: Type.Optional(
      Type.Array(Type.String(), { minItems: 1, uniqueItems: true, description: "Allowed values." }),
    ),
  },
  { $id: "Header", additionalProperties: false, description: "A header that the remote server reads." },
);

export const OAuthHintsSchema = Type.Object(
  {
    issuer: Type.Optional(Type.String({ format: "uri", description: "Issuer that signs people in." })),
    authorize_url: Type.Optional(
      Type.String({ format: "uri", description: "URL of the sign-in page, for an issuer without discovery." }),
    ),
    token_url: Type.Optional(
      Type.String({ format: "uri", description: "URL of the token endpoint, for an issuer without discovery." }),
    ),
    client_id: Type.Optional(Type.String({ description: "ID of the client that is registered at the issuer." })),
    scopes: Type.Optional(Type.Array(Type.String(), { description: "Scopes to request." })),
    use_pkce: Type.Optional(Type.Boolean({ description: "Ignored: PKCE is always used." })),
    oauth_params: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Additional parameters of the sign-in request." }),
    ),
    callback_port: Type.Optional({ ...Port, description: "Local port of the OAuth callback." }),
    resource: Type.Optional(Type.String({ description: "Resource that the token is for (RFC 8707)." })),
  },
  { $id: "OAuthConfig", additionalProperties: false, description: "How to sign in at the remote server." },
);

export const RegistryRemoteServerSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: LONG_NAME })),
    ...PRESENTATION_MEMBERS,
    url: Type.String({ maxLength: 2048, pattern: REMOTE_ADDRESS_PATTERN, description: "URL of the server." }),
    description: RegistryServerSchema.properties.description,
    tier: RegistryServerSchema.properties.tier,
    status: RegistryServerSchema.properties.status,
    transport: Type.Enum([...REMOTE_TRANSPORTS], { description: "Transport of the server." }),
    tools: RegistryServerSchema.properties.tools,
    headers: Type.Optional(Type.Array(HeaderSchema, { description: "Headers that the server reads." })),
    oauth_config: Type.Optional(OAuthHintsSchema),
    env_vars: Type.Optional(
      Type.Array(EnvVarSchema, { description: "Variables of clients; ToolHive does not use them." }),
    ),
    metadata: Type.Optional(MetadataSchema),
    repository_url: RegistryServerSchema.properties.repository_url,
    tags: RegistryServerSchema.properties.tags,
  },
  {
    $id: "RegistryRemoteServer",
    additionalProperties: false,
    description: "Entry of a remote server in the registry.",
  },
);

const ServerMap = createNamedMap(SERVER_NAME_PATTERN, RegistryServerSchema, "The servers by name.");
const RemoteServerMap = createNamedMap(
  SERVER_NAME_PATTERN,
  RegistryRemoteServerSchema,
  "Remote servers by name. No name is also one of `servers`.",
);

export const RegistryGroupSchema = Type.Object(
  {
    name: Type.String({ pattern: GROUP_NAME_PATTERN, maxLength: 100, description: "Name of the group." }),
    description: Type.String({ minLength: 10, maxLength: 500, description: "Purpose of the group." }),
    servers: Type.Optional(ServerMap),
    remote_servers: Type.Optional(RemoteServerMap),
  },
  { $id: "RegistryGroup", additionalProperties: false, description: "Groups of servers that are used together." },
);

export const RegistryFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: "Address of this schema, for editors." })),
    version: Type.String({ pattern: VERSION_PATTERN, description: "Version of the list, for example `1.0.0`." }),
    last_updated: Type.String({ format: "date-time", description: "When the list was last changed." }),
    servers: ServerMap,
    remote_servers: Type.Optional(RemoteServerMap),
    groups: Type.Optional(
      Type.Array(RegistryGroupSchema, { description: "Groups of servers that are used together." }),
    ),
  },
  { description: "A list of MCP servers, with what is needed to run each." },
);

export type RegistryFile = Type.Static<typeof RegistryFileSchema>;
export type EnvVarDeclaration = Readonly<Type.Static<typeof EnvVarSchema>>;
export type HeaderDeclaration = Readonly<Type.Static<typeof HeaderSchema>>;
export type OAuthHints = Readonly<Type.Static<typeof OAuthHintsSchema>>;
export type Provenance = Readonly<Type.Static<typeof ProvenanceSchema>>;
export type PermissionProfile = Readonly<Type.Static<typeof PermissionProfileSchema>>;

/** A server that runs here, under its name: a key of our map (`fetch`), or as the official registry has it (`io.github.owner/fetch`). */
export type RegistryServer = Readonly<Type.Static<typeof RegistryServerSchema>> & EntryNames;

/** A server that runs somewhere else, under its name. */
export type RegistryRemoteServer = Readonly<Type.Static<typeof RegistryRemoteServerSchema>> & EntryNames;

interface EntryNames {
  readonly name: string;
  /** Of an entry whose name is a key of our map: the name that it has elsewhere. */
  readonly longName?: string;
}

/** `isRemoteServer` distinguishes the two. */
export type RegistryEntry = RegistryServer | RegistryRemoteServer;

export function isRemoteServer(entry: RegistryEntry): entry is RegistryRemoteServer {
  return "url" in entry;
}

export interface RegistryGroup {
  readonly name: string;
  readonly description: string;
  readonly servers: readonly RegistryServer[];
  readonly remoteServers: readonly RegistryRemoteServer[];
}

/** An entry that cannot be used; it does not take the others with it. */
export interface SkippedEntry {
  /** As far as it has one. */
  readonly name: string;
  readonly reason: string;
}

/** A registry that was checked, its servers sorted by name; of each name the newest version. */
export interface Registry {
  readonly version: string;
  readonly lastUpdated: string;
  readonly servers: readonly RegistryServer[];
  readonly remoteServers: readonly RegistryRemoteServer[];
  readonly groups: readonly RegistryGroup[];
  /** Versions that `name@version` can choose beside the newest, newest first. */
  readonly olderVersions: readonly RegistryEntry[];
  readonly skipped: readonly SkippedEntry[];
}

// Bounds of a registry that is read. The official one had some ten thousand servers in 2026.

/** Entries of one registry, all versions counted. Further ones are omitted and reported. */
export const MAX_ENTRIES = 30_000;
/** Versions of one server. Older ones are omitted and reported. */
export const MAX_VERSIONS = 100;
/** The reader reports at most this many damaged entries, and stops reading a file that has more. */
export const MAX_SKIPPED = 1_000;
/** Characters of a reason. */
export const MAX_REASON_LENGTH = 1_000;
