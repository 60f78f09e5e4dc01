/**
 * The registry file: which servers there are, and what is known of each. Types, validation, the published JSON schema
 * and the API's entities come from these. Rules: api-behaviour 9.1.
 */
import { type Static, type TSchema, Type } from "typebox";
import { describePattern } from "../schemas/pattern-words.ts";

export const REGISTRY_TIERS = ["Official", "Community"] as const;
export const REGISTRY_STATUSES = ["Active", "Deprecated"] as const;
/** The registry's transports; `inspector` is not something that a server speaks. */
export const REGISTRY_TRANSPORTS = ["stdio", "sse", "streamable-http"] as const;

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
const TAG_PATTERN = describePattern(
  "^[a-z0-9_-]{3,}$",
  "at least three small letters, digits, hyphens and underscores",
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
function createNamedMap<T extends TSchema>(pattern: string, schema: T, description: string) {
  return Type.Unsafe<Record<string, Static<T>>>({
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
    default: Type.Optional(Type.String({ description: "Value that is set when none is given." })),
    secret: Type.Optional(Type.Boolean({ description: "Whether the value is to be kept as a secret." })),
  },
  { $id: "EnvVar", additionalProperties: false, description: "An environment variable that the server reads." },
);

export const MetadataSchema = Type.Object(
  {
    stars: Type.Optional({ ...Count, description: "Stars of the repository." }),
    pulls: Type.Optional({ ...Count, description: "Pulls of the image." }),
    last_updated: Type.Optional(Type.String({ format: "date-time", description: "When these numbers were read." })),
  },
  { $id: "Metadata", additionalProperties: false, description: "How well known the server is." },
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
      Type.String({ format: "hostname", description: "Host of the trust root that the signature is checked with." }),
    ),
    repository_uri: Type.Optional(Type.String({ format: "uri", description: "Repository the image is built from." })),
    repository_ref: Type.Optional(Type.String({ description: "Git reference the image is built from." })),
    signer_identity: Type.Optional(Type.String({ description: "Workflow that signs the image." })),
    runner_environment: Type.Optional(Type.String({ description: "Where the workflow runs." })),
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
          "Hosts that may be reached, with every port unless ports are listed too: a name, `.domain` with everything below it, `*.domain` for what is below it, or an IPv4 address.",
      }),
    ),
    allow_port: Type.Optional(
      Type.Array(Port, { description: "Ports that may be reached, of every host unless hosts are listed too." }),
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

export const RegistryServerSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: "Ignored: the key in `servers` is the name." })),
    image: Type.String({ minLength: 1, maxLength: 512, description: "Image reference." }),
    description: Type.String({
      minLength: DESCRIPTION_LENGTH.min,
      maxLength: DESCRIPTION_LENGTH.max,
      description: "What the server does.",
    }),
    tier: Type.Enum([...REGISTRY_TIERS], { description: "Whether the product's own maker keeps the server." }),
    status: Type.Enum([...REGISTRY_STATUSES], { description: "Whether the server is still looked after." }),
    transport: Type.Enum([...REGISTRY_TRANSPORTS], { description: "How the server talks." }),
    target_port: Type.Optional({ ...Port, description: "Port the server listens on inside its container." }),
    permissions: Type.Optional(PermissionProfileSchema),
    tools: Type.Array(Type.String({ pattern: TOOL_PATTERN }), {
      minItems: 1,
      uniqueItems: true,
      description: "Names of the tools it offers.",
    }),
    env_vars: Type.Optional(Type.Array(EnvVarSchema, { description: "Environment variables it reads." })),
    args: Type.Optional(
      Type.Array(Type.String(), { description: "Arguments it is started with, before the caller's." }),
    ),
    metadata: Type.Optional(MetadataSchema),
    repository_url: Type.Optional(Type.String({ format: "uri", description: "Where its source is." })),
    tags: Type.Optional(
      Type.Array(Type.String({ pattern: TAG_PATTERN }), {
        minItems: 1,
        uniqueItems: true,
        description: "Words to find it by.",
      }),
    ),
    docker_tags: Type.Optional(
      Type.Array(Type.String(), { uniqueItems: true, description: "Tags the image is known to have." }),
    ),
    provenance: Type.Optional(ProvenanceSchema),
  },
  { $id: "RegistryServer", additionalProperties: false, description: "What is known of one server." },
);

export const RegistryFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: "Address of this schema, for editors." })),
    version: Type.String({ pattern: VERSION_PATTERN, description: "Version of the list, for example `1.0.0`." }),
    last_updated: Type.String({ format: "date-time", description: "When the list was last changed." }),
    servers: createNamedMap(SERVER_NAME_PATTERN, RegistryServerSchema, "The servers by name."),
  },
  { description: "A list of MCP servers, with what is needed to run each." },
);

export type RegistryFile = Static<typeof RegistryFileSchema>;
export type EnvVarDeclaration = Readonly<Static<typeof EnvVarSchema>>;
export type Provenance = Readonly<Static<typeof ProvenanceSchema>>;
export type PermissionProfile = Readonly<Static<typeof PermissionProfileSchema>>;

/** One server under its name. */
export type RegistryServer = Readonly<Static<typeof RegistryServerSchema>> & { readonly name: string };

/** A registry that was checked, its servers sorted by name. */
export interface Registry {
  readonly version: string;
  readonly lastUpdated: string;
  readonly servers: readonly RegistryServer[];
}
